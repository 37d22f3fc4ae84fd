import { startOlvido } from '#app/accounts/people/voter-erasure.server.ts'
import { readSupresiones } from '#app/core/db/erasure-log.server.ts'
import { startPresencia } from '#app/core/db/presence.server.ts'
import { sweepTemporales } from '#app/core/storage/temp-folders.server.ts'
import { startBorrados } from '#app/entries/retention/deletion.server.ts'
import { startCopias } from '#app/ops/backup/nightly.server.ts'
import { repiteSupresiones } from '#app/ops/backup/replay-erasures.server.ts'
import { startVigilancia } from '#app/ops/health/watch.server.ts'
import { startNovedades } from '#app/panel/digest/digest.server.ts'
import { type EdicionesVivas, openEdiciones } from './ediciones.ts'
import { type OpenSite, startCounting, startMail } from './services.ts'
import type { Undo } from './undo.ts'

interface Work extends Pick<OpenSite, 'sitio' | 'connection' | 'secreto'> {
  /** The project's root. */
  root: string
  say(line: string): void
  /** Screens come from the modules on disk, and nothing is deleted or copied because its time has come. */
  isDevelopment?: boolean
}

/**
 * Begins what a site does beside answering, once its services are open: first what it shows, at the end mail and count.
 * @param undo receives a step for everything that is begun
 */
export async function startWork(work: Work, undo: Undo): Promise<EdicionesVivas> {
  const { sitio, connection, secreto, root, say, isDevelopment = false } = work
  const { services, cuentas, recepcion, registros, visitas } = sitio
  const ediciones = await openEdiciones({ sitio, connection, root, say, hasPages: !isDevelopment })
  undo.push(() => ediciones.stop())
  undo.push(await startPresencia(services.db))
  await sweepTemporales(services.settings.dataDir)
  await registros.recover()
  // What cannot be deleted now never keeps the site from starting: it is hidden, and the sweep tries again.
  const bad = (file: string) => services.log.warn({ file }, 'not a line of the ledger of deletions')
  await repiteSupresiones(services, await readSupresiones(services.settings.dataDir, bad), root)
  undo.push(registros.startSweeping())
  undo.push(recepcion.startSweeping())
  undo.push(cuentas.startSweeping())
  if (!isDevelopment) {
    undo.push(startBorrados(services))
    undo.push(startOlvido(services))
    undo.push(startCopias({ services, connection, secreto, root }))
    undo.push(startVigilancia(services, { raiz: root }))
  }
  undo.push(visitas.start())
  undo.push(startNovedades(services))
  await startMail(services, undo)
  await startCounting(services, undo)
  return ediciones
}
