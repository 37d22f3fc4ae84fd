import { type ContentFault, describeContentFault, readEdition } from '#app/cms/schema/read-content.server.ts'
import { findHintFaults } from '#app/entries/definitions/document-hints.ts'
import { findOrphanedVotes } from './commands/orphaned-votes.ts'
import { findBrokenPhotos } from './images.ts'

const [verb, edition] = process.argv.slice(2)
if (verb !== 'revisar' || (edition !== undefined && !/^\d{4}$/.test(edition))) {
  console.error('Uso: npm run contenido -- revisar [edición]')
  process.exit(2)
}
const loadedContent = await readEdition('.', edition === undefined ? undefined : Number(edition))
const { name, pendingFields } = loadedContent
const faults = [
  ...loadedContent.faults,
  ...findHintFaults(loadedContent.documents),
  ...(await findBrokenPhotos(loadedContent)),
]
const orphanedVotes = await explainOrphanedVotes()
if (faults.length + pendingFields.length === 0 && orphanedVotes === undefined) {
  console.log(`El contenido de la edición ${name} está completo.`)
} else {
  printFaults(faults, '1 falla por corregir.', 'fallas por corregir.')
  printFaults(pendingFields, '1 dato de otra edición.', 'datos de otra edición.')
  if (orphanedVotes !== undefined) console.error(orphanedVotes)
  process.exit(1)
}

/**
 * Explains which votes the content would orphan: a site with these votes would not publish the content at its start.
 * @returns the explanation in Spanish; undefined if there are none, without candidates, or after a fault, which is reported
 */
async function explainOrphanedVotes(): Promise<string | undefined> {
  const candidates = loadedContent.documents['candidatas.yaml']?.candidatas
  if (!candidates) return undefined
  return findOrphanedVotes({ edicion: Number(name), candidatas: candidates }).catch((error: Error) => {
    console.error(`No se pudo ver si el contenido separa votos de su candidata: ${error.message}`)
    return undefined
  })
}

function printFaults(faults: ContentFault[], oneText: string, severalText: string) {
  if (faults.length === 0) return
  console.error(faults.map(describeContentFault).join('\n'))
  console.error(faults.length === 1 ? oneText : `${faults.length} ${severalText}`)
}
