import { describeFalla, readEdicion } from '#app/contenido/lectura.server.ts'

const [verb, edicion] = process.argv.slice(2)
if (verb !== 'revisar' || (edicion !== undefined && !/^\d{4}$/.test(edicion))) {
  console.error('Uso: npm run contenido -- revisar [edición]')
  process.exit(2)
}
const { name, fallas } = await readEdicion('.', edicion === undefined ? undefined : Number(edicion))
if (fallas.length === 0) {
  console.log(`El contenido de la edición ${name} está completo.`)
} else {
  console.error(fallas.map(describeFalla).join('\n'))
  console.error(fallas.length === 1 ? '1 falla por corregir.' : `${fallas.length} fallas por corregir.`)
  process.exit(1)
}
