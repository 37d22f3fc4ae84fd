// npm run escrutinio -- acta.json: counts the published act of the popularity vote again, from that file alone.
import { type Verificacion, verifyActaFile } from '#app/escrutinio/verificacion.server.ts'

const [file, ...rest] = process.argv.slice(2)
if (!file || rest.length > 0) {
  console.error('Uso: npm run escrutinio -- acta.json\nEl archivo se descarga de /misspopularidad/acta.json.')
  process.exit(2)
}

try {
  say(await verifyActaFile(file))
} catch (error) {
  const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
  console.error(missing ? `No existe el archivo ${file}.` : `${file} no es un acta de este sitio, o está incompleta.`)
  process.exit(2)
}

function say({ portada, cajas, papeletas, totales, fallas }: Verificacion) {
  const { acta } = portada
  const width = Math.max(...[...totales.keys()].map(({ length }) => length), 20)
  console.log(`Acta de cierre ${acta.edicion}, levantada el ${acta.levantada}`)
  for (const [nombre, votos] of totales) console.log(`  ${nombre.padEnd(width)} ${String(votos).padStart(10)}`)
  for (const { nombre, antes } of acta.candidatas)
    if (antes) console.log(`Con ${nombre} se cuentan los votos de su nombre de antes: ${antes.join(', ')}.`)
  console.log(`  ${'Papeletas'.padEnd(width)} ${String(papeletas).padStart(10)}`)
  console.log(`  ${'Anuladas'.padEnd(width)} ${String(acta.anulados).padStart(10)}`)
  console.log(`Cajas: ${cajas}. Sello de la última: ${acta.ultimoSello}`)
  for (const falla of acta.fallas) console.log(`El acta misma declara: ${falla}`)
  for (const falla of fallas) console.error(`FALLA: ${falla}`)
  if (fallas.length > 0) process.exitCode = 1
  else console.log('Todo coincide: sellos, orden, anulaciones y totales.')
}
