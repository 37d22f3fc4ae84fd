import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { type Database, openPool } from '#app/platform/database.server.ts'
import { diaDe, momentoDe } from '#app/platform/fechas.ts'
import type { Services } from '#app/platform/services.server.ts'
import { StartError } from '#app/platform/start-error.server.ts'
import { llevaSupresiones } from '#app/platform/supresiones.server.ts'
import { openAlmacen } from './almacen.server.ts'
import { REGLA } from './conservar.ts'
import { ensayar } from './ensayo.server.ts'
import { anotarEnsayo, hacerCopia } from './mutations.server.ts'
import { openCopia } from './restaurar.server.ts'

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

/** @returns whether the night's copy is still to be made: none since three o'clock, nor one that failed within the hour */
export async function tocaCopia(db: Database, now: Date): Promise<boolean> {
  const tonight = new Date(momentoDe(`${diaDe(now)}T${HORA}`)!)
  const night = tonight > now ? new Date(tonight.getTime() - DAY_MS) : tonight
  const { made, tried } = await db
    .selectFrom('copias')
    .select((eb) => [
      eb.fn.count<number>('hecha_at').filterWhere('empezada_at', '>=', night).as('made'),
      eb.fn
        .countAll<number>()
        .filterWhere('empezada_at', '>=', new Date(now.getTime() - HOUR_MS))
        .as('tried'),
    ])
    .executeTakeFirstOrThrow()
  return made === 0 && tried === 0
}

/** @returns whether a rehearsal is due: none for a week */
async function tocaEnsayo(db: Database, now: Date): Promise<boolean> {
  const { recent, whole } = await db
    .selectFrom('copias')
    .select((eb) => [
      eb.fn
        .count<number>('ensayada_at')
        .filterWhere('ensayada_at', '>', new Date(now.getTime() - WEEK_MS))
        .as('recent'),
      eb.fn.count<number>('hecha_at').as('whole'),
    ])
    .executeTakeFirstOrThrow()
  return whole > 0 && recent === 0
}

/** Makes the night's copy, and once a week restores the newest one in rehearsal, where each is due. */
export async function hacerTurno(
  { services, connection, secreto, root }: SitioQueSeCopia,
  now = new Date(),
): Promise<void> {
  const { db, storage, settings, log } = services
  const { backupUrl, backupKey, dataDir, publicUrl } = settings
  if (backupUrl === undefined) return
  await llevaSupresiones(settings)
  const dice = (avance: string) => log.debug({ avance }, 'backup')
  if (await tocaCopia(db, now)) {
    const pool = openPool(connection, 3)
    pool.on('error', () => {})
    try {
      const almacen = await openAlmacen(backupUrl, backupKey)
      const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
      const sitio = { pool, storage, dataDir, publicUrl, secreto, version }
      const { id, bytes, objetos } = await hacerCopia(sitio, almacen, { conservar: REGLA, dice })
      log.info({ copia: id, bytes, objetos }, 'a backup was made')
    } finally {
      await pool.end()
    }
  }
  if (!(await tocaEnsayo(db, now))) return
  const abierta = await openCopia(await openAlmacen(backupUrl, backupKey))
  const { fallas } = await ensayar(abierta, { migrations: join(root, 'db/migrations'), secreto, dice })
  await anotarEnsayo(db, abierta.caratula.id, fallas[0])
  if (fallas.length > 0) log.error({ copia: abierta.caratula.id, fallas }, 'a backup does not restore')
  else log.info({ copia: abierta.caratula.id }, 'a backup was restored in rehearsal')
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
        if (error instanceof StartError) log.warn(error.message)
        else log.error({ err: error }, 'the backup failed')
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
