import { existsSync } from 'node:fs'
import { chown, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomically } from '#app/core/process/durable-files.server.ts'
import { folderIdentityOf } from '#app/core/process/folder-identity.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'

// While a server works in a cluster, a marker file in the cluster states the folder's identity. If the folder is copied
// meanwhile, the marker shows that the copy is unusable: its files are from different moments, and votes are missing without any
// error.

const markerPathOf = (cluster: string) => join(cluster, 'certamen-en-uso')

/**
 * Asserts that a cluster was not copied while its server worked: votes and entries might be missing.
 * @throws StartError for such a copied cluster
 */
export async function assertNotCopiedLive(cluster: string): Promise<void> {
  const markerText = await readFile(markerPathOf(cluster), 'utf8').catch(() => undefined)
  if (markerText === undefined || markerText.trim() === '' || markerText.trim() === (await folderIdentityOf(cluster)))
    return
  throw new StartError(
    `La base de datos de ${cluster} se copió mientras su sitio trabajaba: así le faltan votos e inscripciones sin que se note, y no se usa. Haz la copia con npm run respaldo y ponla con npm run restaurar, o detén el sitio de origen antes de copiar su carpeta. Si la máquina de origen ya no existe, restaura la última copia: npm run restaurar.`,
  )
}

/**
 * Refuses a data folder that has lost its cluster: a new, empty one would look like a site that is well. The server's log shows
 * that there was a cluster.
 * @throws StartError if the log exists, but the cluster does not
 */
export async function assertClusterNotLost(cluster: string): Promise<void> {
  if (!existsSync(`${cluster}.log`) || existsSync(join(cluster, 'PG_VERSION'))) return
  throw new StartError(
    `Falta la base de datos: ${cluster} ya no está, y esta carpeta ya tuvo una. No se abre un sitio vacío: devuélvela de una copia (docs/operacion.md, «Restaurar»). Si de verdad quieres empezar de cero, quita ${cluster}.log.`,
  )
}

/** Writes the marker. @param uid owner of the cluster's files; undefined for this account */
export async function markInUse(cluster: string, uid: number | undefined): Promise<void> {
  await writeFileAtomically(markerPathOf(cluster), `${await folderIdentityOf(cluster)}\n`)
  if (uid !== undefined) await chown(markerPathOf(cluster), uid, uid)
}

/** Removes the marker after an orderly shutdown, since a copy made from then on is complete. */
export const markAtRest = (cluster: string): Promise<void> => rm(markerPathOf(cluster), { force: true })
