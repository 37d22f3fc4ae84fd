import { describeFalla, type Falla, readEdicion } from '#app/contenido/lectura.server.ts'
import { fallasDePistas } from '#app/inscripciones/pistas.ts'
import { brokenPhotos } from './images.ts'

const [verb, edicion] = process.argv.slice(2)
if (verb !== 'revisar' || (edicion !== undefined && !/^\d{4}$/.test(edicion))) {
  console.error('Uso: npm run contenido -- revisar [edición]')
  process.exit(2)
}
const leida = await readEdicion('.', edicion === undefined ? undefined : Number(edicion))
const { name, pendientes } = leida
const fallas = [...leida.fallas, ...fallasDePistas(leida.archivos), ...(await brokenPhotos(leida))]
if (fallas.length + pendientes.length === 0) {
  console.log(`El contenido de la edición ${name} está completo.`)
} else {
  list(fallas, '1 falla por corregir.', 'fallas por corregir.')
  list(pendientes, '1 dato de otra edición.', 'datos de otra edición.')
  process.exit(1)
}

function list(all: Falla[], one: string, several: string) {
  if (all.length === 0) return
  console.error(all.map(describeFalla).join('\n'))
  console.error(all.length === 1 ? one : `${all.length} ${several}`)
}
