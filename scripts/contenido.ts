import { describeFalla, type Falla, readEdicion } from '#app/cms/schema/read-content.server.ts'
import { fallasDePistas } from '#app/entries/definitions/document-hints.ts'
import { brokenPhotos } from './images.ts'
import { votosSeparados } from './votos-separados.ts'

const [verb, edicion] = process.argv.slice(2)
if (verb !== 'revisar' || (edicion !== undefined && !/^\d{4}$/.test(edicion))) {
  console.error('Uso: npm run contenido -- revisar [edición]')
  process.exit(2)
}
const leida = await readEdicion('.', edicion === undefined ? undefined : Number(edicion))
const { name, pendientes } = leida
const fallas = [...leida.fallas, ...fallasDePistas(leida.archivos), ...(await brokenPhotos(leida))]
const separa = await lookAtVotes()
if (fallas.length + pendientes.length === 0 && separa === undefined) {
  console.log(`El contenido de la edición ${name} está completo.`)
} else {
  list(fallas, '1 falla por corregir.', 'fallas por corregir.')
  list(pendientes, '1 dato de otra edición.', 'datos de otra edición.')
  if (separa !== undefined) console.error(separa)
  process.exit(1)
}

/** What would keep a site that has votes from starting with this content. */
async function lookAtVotes(): Promise<string | undefined> {
  const candidatas = leida.archivos['candidatas.yaml']?.candidatas
  if (!candidatas) return undefined
  return votosSeparados({ edicion: Number(name), candidatas }).catch((error: Error) => {
    console.error(`No se pudo ver si el contenido separa votos de su candidata: ${error.message}`)
    return undefined
  })
}

function list(all: Falla[], one: string, several: string) {
  if (all.length === 0) return
  console.error(all.map(describeFalla).join('\n'))
  console.error(all.length === 1 ? one : `${all.length} ${several}`)
}
