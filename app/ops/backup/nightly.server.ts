import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { readReloj } from '#app/core/db/clock-guard.server.ts'
import { type Database, openPool } from '#app/core/db/database.server.ts'
import { llevaSupresiones } from '#app/core/db/erasure-log.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { diaDe, momentoDe } from '#app/core/time/mexico-dates.ts'
import { esFutura, listIntentos, readEstadoDeCopias } from './data.server.ts'
import { motivoDeFalla, OtraEnCurso } from './fault.server.ts'
import { anotarEnsayo, hacerCopia } from './mutations.server.ts'
import { ensayar, puedeEnsayar } from './rehearsal.server.ts'
import { openCopia } from './restore.server.ts'
import { REGLA } from './rotation.ts'
import { openAlmacen } from './store.server.ts'

/** When the town sleeps. */
const HORA = '03:00'
const LOOK_MS = 15 * 60_000
const FIRST_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS

/** A site that copies itself. */
interface SitioQueSeCopia {
  services: Pick<Services, 'db' | 'storage' | 'settings' | 'log'>
  /** How the database is reached. */
  connection: string | pg.PoolConfig
  secreto: string
  /** The project's root. */
  root: string
}

/**
 * @param destino where the site's own copies go: those made elsewhere do not count
 * @returns whether the night's copy is still to be made: none since three o'clock, nor one that failed within the hour
 */
export async function tocaCopia(db: Database, destino: string, now: Date): Promise<boolean> {
  const tonight = new Date(momentoDe(`${diaDe(now)}T${HORA}`)!)
  const night = tonight > now ? new Date(tonight.getTime() - DAY_MS) : tonight
  // What a clock that ran ahead wrote down is not of this night.
  const past = (await listIntentos(db, destino)).filter(
    ({ empezada_at, hecha_at }) => !esFutura(empezada_at, now) && !esFutura(hecha_at, now),
  )
  const made = past.some(({ empezada_at, hecha_at }) => hecha_at && empezada_at >= night)
  const tried = past.some(({ empezada_at }) => empezada_at.getTime() >= now.getTime() - HOUR_MS)
  return !made && !tried
}

/** @returns whether a rehearsal is due: none for a week, or the last one failed a day ago */
async function tocaEnsayo(db: Database, destino: string, now: Date): Promise<boolean> {
  const { ensayo } = await readEstadoDeCopias(db, destino, now)
  if (!(await listIntentos(db, destino)).some(({ hecha_at }) => hecha_at)) return false
  return !ensayo || now.getTime() - ensayo.at.getTime() > (ensayo.falla === null ? WEEK_MS : DAY_MS)
}

/** Makes the night's copy, and once a week restores the newest one in rehearsal, where each is due. */
export async function hacerTurno(
  { services, connection, secreto, root }: SitioQueSeCopia,
  now = new Date(),
): Promise<void> {
  const { db, storage, settings, log } = services
  const { backupUrl, backupKey, dataDir, publicUrl } = settings
  if (backupUrl === undefined) return
  // Nothing here goes by a clock that is known to be wrong: a copy of next year would be the newest for a year.
  if ((await readReloj(db, now)).adelantado) {
    log.warn('the clock runs ahead: no backup is made until it is right')
    return
  }
  await llevaSupresiones(db, settings)
  const dice = (avance: string) => log.debug({ avance }, 'backup')
  if (await tocaCopia(db, backupUrl, now)) {
    const pool = openPool(connection, 3)
    pool.on('error', () => {})
    try {
      const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
      const sitio = { pool, storage, dataDir, publicUrl, secreto, version }
      const hecha = await hacerCopia(sitio, { destino: backupUrl, clave: backupKey }, { conservar: REGLA, dice })
      const { id: copia, bytes, objetos, avisos, perdidos } = hecha
      if (perdidos.length > 0) log.error({ copia, perdidos: perdidos.length }, 'a backup lacks documents')
      else log.info({ copia, bytes, objetos }, 'a backup was made')
      for (const aviso of avisos) log.warn({ copia, aviso }, 'about the place of backups')
    } finally {
      await pool.end()
    }
  }
  // Where it cannot be tried, that nothing was tried is said in itself; it is no fault of the copy's.
  if ((await puedeEnsayar()) && (await tocaEnsayo(db, backupUrl, now)))
    await ensayarNueva({ services, secreto, root }, backupUrl, dice)
}

/** Restores the newest copy in rehearsal. What comes of it is written down, also where it cannot be opened at all. */
async function ensayarNueva(
  { services: { db, settings, log }, secreto, root }: Omit<SitioQueSeCopia, 'connection'>,
  destino: string,
  dice: (avance: string) => void,
): Promise<void> {
  let copia: string | undefined
  let falla: string | undefined
  try {
    const almacen = await openAlmacen(destino, settings.backupKey, { espera: settings.dataDir, soloLeer: true })
    const abierta = await openCopia(almacen, undefined, dice)
    copia = abierta.caratula.id
    const [migrations, lugar] = [join(root, 'db/migrations'), settings.dataDir]
    falla = (await ensayar(abierta, { migrations, lugar, secreto, dice })).resumen
  } catch (error) {
    falla = motivoDeFalla(error)
  }
  await anotarEnsayo(db, destino, copia, falla)
  if (falla === undefined) log.info({ copia }, 'a backup was restored in rehearsal')
  else log.error({ copia, falla }, 'a backup does not restore')
}

/** Copies the site every night, for as long as it runs and there is somewhere to. @returns ends it */
export function startCopias(sitio: SitioQueSeCopia): () => Promise<void> {
  const { settings, log } = sitio.services
  if (settings.backupUrl === undefined) return async () => {}
  let running = Promise.resolve()
  const look = () => {
    running = running
      .then(() => hacerTurno(sitio))
      .catch((error: unknown) => {
        // Another process of the site is at it.
        if (error instanceof OtraEnCurso) log.debug('another process makes the backup')
        // What went wrong may quote rows and paths; the command at the terminal says all of it.
        else log.error({ falla: motivoDeFalla(error) }, 'the backup failed')
      })
  }
  const first = setTimeout(look, FIRST_MS).unref()
  const timer = setInterval(look, LOOK_MS).unref()
  return async () => {
    clearTimeout(first)
    clearInterval(timer)
    // A copy that is cut is none: the next one goes on from the objects that it left.
    await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 1_000).unref())])
  }
}
