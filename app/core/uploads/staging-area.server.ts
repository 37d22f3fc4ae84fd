import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type Selectable, sql } from 'kysely'
import { createLeases, type Leases } from '#app/core/db/lease.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import { RefusalError } from '#app/core/http/refusal.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { UPLOAD_MESSAGES as MESSAGES } from '#app/core/http/upload-refusals.ts'
import { createKeyedQueue } from '#app/core/jobs/limiter.server.ts'
import { openTempFolder } from '#app/core/storage/temp-folders.server.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import { createChunkStore, IDLE_MS } from './chunks.server.ts'
import { openAntes } from './legacy-staging.server.ts'
import { createQuota, type Limits, type Quota } from './quota.server.ts'

/** After this long since an upload began, by the database's clock or the site's, it goes, finished or not. */
export const STAGED_LIFE_MS = 24 * 3_600_000
/** After this long an upload of which not one byte came goes. */
const EMPTY_LIFE_MS = 15 * 60_000
/** Of an upload that is under way something was heard within this time. */
const ARRIVING_MS = 2 * IDLE_MS

/** What is known of any file on its way in. */
interface Card<Type extends string> {
  id: string
  /** As the person's device called it, without control characters. */
  filename: string
  /** Bytes announced; null while a form without JavaScript is still sending it. */
  size: number | null
  /** Milliseconds since 1970, by the clock of the machine that it was announced to. */
  createdAt: number
  /** Set once the file is whole and its content accepted; from then on nobody writes to it. */
  sealed: { sha256: string; contentType: Type } | null
}

/** A file on its way in. @typeParam Datos what its noun says of it besides; Tipo: what it may be */
export type StagedUploadOf<Data extends object, Type extends string> = Card<Type> & Data

export type ReceivedUploadOf<Data extends object, Type extends string> = StagedUploadOf<Data, Type> & {
  /** Bytes that are here. */
  offset: number
}

export type NewUploadOf<Data extends object> = Data & {
  filename: string
  /** Bytes; null when the sender does not say (a form without JavaScript). */
  size: number | null
}

/** Key of a submission in the database: its UUID opens its uploads, so only this is written down. */
export const keyOf = (submission: string): string => createHash('sha256').update(submission).digest('hex')

/**
 * Files received and not yet taken: a row of `subidas` each, its bytes in pieces in the storage, so that any process goes
 * on with them. A submission's uploads are found through its key only, so an id without the key opens nothing.
 */
export interface StagingDe<Data extends object, Type extends string> {
  presupuesto: Quota
  /** @throws Rechazo for a name, size or number of files that is refused */
  create(key: string, newOne: NewUploadOf<Data>, client: string, id?: string): Promise<StagedUploadOf<Data, Type>>
  find(key: string, id: string): Promise<ReceivedUploadOf<Data, Type> | undefined>
  /** Every upload of a submission, oldest first. */
  list(key: string): Promise<ReceivedUploadOf<Data, Type>[]>
  /**
   * Writes a body at `offset`, which is how much there is. What arrived before a broken connection stays, durable.
   * @returns how much there is now
   * @throws Rechazo sinEspacio; subidaDesfasada when the body stalls, or another request was first; subidaAjena
   */
  append(key: string, id: string, body: Readable, offset: number): Promise<number>
  /** A file of unknown size has ended. */
  close(key: string, id: string): Promise<void>
  /**
   * Checks a whole file by its content, which takes a picture to be decoded, and closes it to writing; a refused one is
   * removed.
   * @throws Rechazo archivoTipo, archivoVacio or archivoIlegible; documentoInvalido while bytes are missing; saturado
   */
  seal(key: string, id: string): Promise<StagedUploadOf<Data, Type>>
  /**
   * Puts a file together on this machine's disk, for as long as the work takes.
   * @param work is told where it is, and its SHA-256 as it is now
   * @throws with the code ENOENT where it is not there any more, or not whole
   */
  withFile<T>(key: string, id: string, work: (file: string, sha256: string) => Promise<T>): Promise<T>
  remove(key: string, id: string): Promise<void>
  removeAll(key: string): Promise<void>
  /**
   * Removes what began more than STAGED_LIFE_MS ago, except for the submissions in `keep`, those that some process has in
   * hand and those of which bytes are arriving just now; and pieces of which no upload knows.
   * @param ahead milliseconds: as if so much more time had gone by
   * @returns uploads removed
   */
  sweep(keep: ReadonlySet<string>, ahead?: number): Promise<number>
  /** Takes over what the version before left in this machine's folder and nobody has written to since a while. */
  takeOver(): Promise<void>
  /** Runs one piece of work at a time for a submission, over all processes. @throws what `ocupado` says */
  exclusively<T>(key: string, work: () => Promise<T>): Promise<T>
  /** The same, unless another is at it. @returns undefined then */
  ifFree: Leases['siEstaLibre']
}

/** What a noun asks of the files that it takes. */
export interface StagingRules<Data extends object, Type extends string> {
  /** Its name in the rows. */
  de: 'registros' | 'edicion'
  /** Below the data folder: where the version before had them. */
  antes: string
  limites: Limits
  /** Bytes of the largest file of all. */
  maxBytes: number
  /** Files of one submission, those that were chosen again included. */
  maxUploads: number
  idleMs?: number | undefined
  /** What is said where a submission stays in somebody else's hands for too long. */
  ocupado(): RefusalError
  /** @returns the name to keep; @throws Rechazo for a name or a size that is refused */
  checkedFileName(newOne: NewUploadOf<Data>): string
  /**
   * The type of a whole file by its content, or a Rechazo for what is refused for good.
   * @param from whose files wait for one another: a network, or where that is not known a submission
   * @throws Saturado
   */
  checkedContent(
    file: string,
    unsealed: StagedUploadOf<Data, Type> & { size: number },
    from: string,
  ): Promise<Type | RefusalError>
}

/** Opens a staging area: once in a process. */
export async function openStagingArea<Data extends object, Type extends string>(
  services: Services,
  rules: StagingRules<Data, Type>,
): Promise<StagingDe<Data, Type>> {
  type StagedUpload = StagedUploadOf<Data, Type>
  type ReceivedUpload = ReceivedUploadOf<Data, Type>
  const { db, clock, settings } = services
  const { de } = rules
  const idleMs = rules.idleMs ?? IDLE_MS
  const draft = await openTempFolder(join(settings.dataDir, 'temporales'))
  const quota = createQuota(services, de, rules.limites, rules.maxBytes)
  const chunks = createChunkStore(services, de, quota, draft)
  const turns = createLeases(db, rules.ocupado)
  const nameOf = (que: string) => `${de}:${que}`

  const readRow = (row: Selectable<Tables['subidas']>): ReceivedUpload =>
    ({
      ...(row.datos as Data),
      ...{ id: row.id, filename: row.nombre_archivo, size: row.bytes, createdAt: row.orden },
      ...{ sealed: row.sellada as Card<Type>['sealed'], offset: row.recibidos },
    }) as ReceivedUpload

  const ofKey = (key: string) => {
    if (!/^[0-9a-f]{64}$/.test(key)) throw new Error('Not a submission key')
    return db.selectFrom('subidas').selectAll().where('de', '=', de).where('key', '=', key)
  }
  const ofUpload = (key: string, id: string) => {
    if (!isUuid(id)) throw new Error('Not an upload id')
    return ofKey(key).where('id', '=', id)
  }

  const antes = await openAntes({
    folder: join(settings.dataDir, rules.antes),
    async write(key, { id, filename, size, createdAt, siteCreatedAt, sealed: _, ...data }) {
      await db
        .insertInto('subidas')
        .values({
          ...{ id, de, key, nombre_archivo: filename, datos: JSON.stringify(data), bytes: size, orden: createdAt },
          ...{ oida_at: null, creada_at: new Date(createdAt), del_sitio_at: new Date(siteCreatedAt), sellada: null },
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      return (await ofUpload(key, id).select('recibidos').executeTakeFirst())?.recibidos
    },
    append: (id, body, offset) => chunks.append(id, body, offset, idleMs),
    async seal(id, sealed) {
      await db
        .updateTable('subidas')
        .set({ sellada: JSON.stringify(sealed) })
        .where('id', '=', id)
        .where('recibidos', '=', sql<number>`bytes`)
        .execute()
    },
    log: services.log,
  })

  async function find(key: string, id: string): Promise<ReceivedUpload | undefined> {
    await antes.ofKey(key)
    const row = await ofUpload(key, id).executeTakeFirst()
    return row && readRow(row)
  }

  async function removeRows(which: Pick<Selectable<Tables['subidas']>, 'id'>[]): Promise<number> {
    if (which.length === 0) return 0
    const ids = which.map(({ id }) => id)
    const gone = await db.deleteFrom('subidas').where('id', 'in', ids).returning('id').execute()
    // Their rows first: without one a piece is nobody's, and the sweep takes it.
    await Promise.all(gone.map(({ id }) => chunks.remove(id)))
    return gone.length
  }

  async function sealOne(key: string, id: string): Promise<StagedUpload> {
    const upload = await find(key, id)
    if (upload === undefined) throw new RefusalError('subidaAjena', MESSAGES.archivoPerdido)
    const { offset, ...card } = upload
    const unsealed = card as unknown as StagedUpload
    if (unsealed.sealed !== null) return unsealed
    if (unsealed.size === null || offset < unsealed.size)
      throw new RefusalError('documentoInvalido', MESSAGES.archivoIncompleto(unsealed.filename))
    const from = (await ofUpload(key, id).executeTakeFirst())?.redes?.[0] ?? key
    const sealed = await chunks.withFile(id, async (file, sha256) => {
      const contentType = await rules.checkedContent(file, { ...unsealed, size: offset }, from)
      return contentType instanceof RefusalError ? contentType : { sha256, contentType }
    })
    if (sealed instanceof RefusalError) {
      await removeRows([{ id }])
      throw sealed
    }
    const { numUpdatedRows } = await db
      .updateTable('subidas')
      .set({ sellada: JSON.stringify(sealed) })
      .where('id', '=', id)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new RefusalError('subidaAjena', MESSAGES.archivoPerdido)
    return { ...unsealed, sealed }
  }
  const sealing = createKeyedQueue()

  let latest = 0

  return {
    presupuesto: quota,
    find,

    async list(key) {
      await antes.ofKey(key)
      return (await ofKey(key).orderBy('orden').orderBy('id').execute()).map(readRow)
    },

    async create(key, newOne, client, id = randomUUID()) {
      // No two alike, and in the order of asking: it says which side of the credential came first.
      latest = Math.max(Date.now(), latest + 1)
      const createdAt = latest
      const filename = rules.checkedFileName(newOne)
      await quota.countCreation(client)
      const { filename: _, size, ...data } = newOne
      await quota.reserve({ id, client, size: size ?? rules.maxBytes }, async (tx, redes) => {
        const { rows } = await sql<{ hay: number }>`
          select count(*)::int as hay from subidas where de = ${de} and key = ${key}`.execute(tx)
        if (rows[0]!.hay >= rules.maxUploads) throw new RefusalError('subidasDemasiadas', MESSAGES.subidasDemasiadas)
        await tx
          .insertInto('subidas')
          .values({
            ...{ id, de, key, nombre_archivo: filename, datos: JSON.stringify(data), bytes: size, orden: createdAt },
            ...{ redes: [...redes], oida_at: sql<Date>`now()`, del_sitio_at: clock.now(), sellada: null },
          })
          .execute()
      })
      return { ...newOne, id, filename, size, createdAt, sealed: null } as unknown as StagedUpload
    },

    async append(key, id, body, offset) {
      if (await ofUpload(key, id).executeTakeFirst()) return chunks.append(id, body, offset, idleMs)
      body.destroy()
      throw new RefusalError('subidaAjena', MESSAGES.subidaAjena)
    },

    async close(_key, id) {
      await db.updateTable('subidas').set({ bytes: sql`recibidos` }).where('id', '=', id).execute()
    },

    // One at a time: nobody here looks at a file that another is just refusing.
    seal: (key, id) => sealing(`${key}/${id}`, () => sealOne(key, id)),

    async withFile(key, id, work) {
      await find(key, id)
      return chunks.withFile(id, work)
    },

    async remove(key, id) {
      await antes.ofKey(key)
      await removeRows(await ofUpload(key, id).execute())
    },

    async removeAll(key) {
      await antes.ofKey(key)
      await removeRows(await ofKey(key).execute())
    },

    async sweep(keep, ahead = 0) {
      const before = (ms: number) => sql<Date>`now() + make_interval(secs => ${(ahead - ms) / 1000}::float8)`
      const over = db
        .selectFrom('subidas')
        .select(['id', 'key'])
        .where('de', '=', de)
        .where((is) =>
          is.or([
            is('creada_at', '<=', before(STAGED_LIFE_MS)),
            is('del_sitio_at', '<=', new Date(clock.now().getTime() + ahead - STAGED_LIFE_MS)),
            // An announcement of which nothing came: whoever sends after all begins anew.
            is.and([is('recibidos', '=', 0), is('creada_at', '<=', before(EMPTY_LIFE_MS))]),
          ]),
        )
        .where((is) =>
          is.or([
            is('recibidos', '=', 0),
            is('recibidos', '=', is.ref('bytes')),
            is('oida_at', 'is', null),
            is('oida_at', '<=', sql<Date>`now() - make_interval(secs => ${ARRIVING_MS / 1000})`),
          ]),
        )
      let removed = 0
      for (const key of new Set((await over.execute()).map((one) => one.key))) {
        if (keep.has(key)) continue
        // Not under the hands of a registration that is just being stored.
        const done = await turns.siEstaLibre(nameOf(key), async () =>
          removeRows(await over.where('key', '=', key).execute()),
        )
        removed += done?.hecho ?? 0
      }
      await chunks.sweep()
      await quota.sweep()
      await db.deleteFrom('turnos').where('hasta', '<', sql<Date>`now() - interval '1 hour'`).execute()
      return removed
    },

    takeOver: antes.all,
    exclusively: (key, work) => turns.enTurno(nameOf(key), work),
    ifFree: (key, work) => turns.siEstaLibre(nameOf(key), work),
  }
}
