import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type Selectable, sql } from 'kysely'
import { createTurnosComunes, type TurnosComunes } from '#app/core/db/lease.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import { Rechazo } from '#app/core/http/refusal.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { MENSAJES_DE_SUBIDA as MENSAJES } from '#app/core/http/upload-refusals.ts'
import { createUnoALaVez } from '#app/core/jobs/limiter.server.ts'
import { openTemporales } from '#app/core/storage/temp-folders.server.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import { createTrozos, IDLE_MS } from './chunks.server.ts'
import { openAntes } from './legacy-staging.server.ts'
import { createPresupuesto, type Limites, type Presupuesto } from './quota.server.ts'

/** After this long since an upload began, by the database's clock or the site's, it goes, finished or not. */
export const STAGED_LIFE_MS = 24 * 3_600_000
/** After this long an upload of which not one byte came goes. */
const EMPTY_LIFE_MS = 15 * 60_000
/** Of an upload that is under way something was heard within this time. */
const ARRIVING_MS = 2 * IDLE_MS

/** What is known of any file on its way in. */
interface Ficha<Tipo extends string> {
  id: string
  /** As the person's device called it, without control characters. */
  filename: string
  /** Bytes announced; null while a form without JavaScript is still sending it. */
  size: number | null
  /** Milliseconds since 1970, by the clock of the machine that it was announced to. */
  createdAt: number
  /** Set once the file is whole and its content accepted; from then on nobody writes to it. */
  sealed: { sha256: string; contentType: Tipo } | null
}

/** A file on its way in. @typeParam Datos what its noun says of it besides; Tipo: what it may be */
export type SubidaDe<Datos extends object, Tipo extends string> = Ficha<Tipo> & Datos

export type SubidaRecibidaDe<Datos extends object, Tipo extends string> = SubidaDe<Datos, Tipo> & {
  /** Bytes that are here. */
  offset: number
}

export type SubidaNuevaDe<Datos extends object> = Datos & {
  filename: string
  /** Bytes; null when the sender does not say (a form without JavaScript). */
  size: number | null
}

/** Key of a submission in the database: its UUID opens its uploads, so only this is written down. */
export const keyOf = (entrega: string): string => createHash('sha256').update(entrega).digest('hex')

/**
 * Files received and not yet taken: a row of `subidas` each, its bytes in pieces in the storage, so that any process goes
 * on with them. A submission's uploads are found through its key only, so an id without the key opens nothing.
 */
export interface StagingDe<Datos extends object, Tipo extends string> {
  presupuesto: Presupuesto
  /** @throws Rechazo for a name, size or number of files that is refused */
  create(key: string, nueva: SubidaNuevaDe<Datos>, client: string, id?: string): Promise<SubidaDe<Datos, Tipo>>
  find(key: string, id: string): Promise<SubidaRecibidaDe<Datos, Tipo> | undefined>
  /** Every upload of a submission, oldest first. */
  list(key: string): Promise<SubidaRecibidaDe<Datos, Tipo>[]>
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
  seal(key: string, id: string): Promise<SubidaDe<Datos, Tipo>>
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
  ifFree: TurnosComunes['siEstaLibre']
}

/** What a noun asks of the files that it takes. */
export interface ReglasDeStaging<Datos extends object, Tipo extends string> {
  /** Its name in the rows. */
  de: 'registros' | 'edicion'
  /** Below the data folder: where the version before had them. */
  antes: string
  limites: Limites
  /** Bytes of the largest file of all. */
  maxBytes: number
  /** Files of one submission, those that were chosen again included. */
  maxUploads: number
  idleMs?: number | undefined
  /** What is said where a submission stays in somebody else's hands for too long. */
  ocupado(): Rechazo
  /** @returns the name to keep; @throws Rechazo for a name or a size that is refused */
  checkedFileName(nueva: SubidaNuevaDe<Datos>): string
  /**
   * The type of a whole file by its content, or a Rechazo for what is refused for good.
   * @param from whose files wait for one another: a network, or where that is not known a submission
   * @throws Saturado
   */
  checkedContent(file: string, subida: SubidaDe<Datos, Tipo> & { size: number }, from: string): Promise<Tipo | Rechazo>
}

/** Opens a staging area: once in a process. */
export async function openStagingArea<Datos extends object, Tipo extends string>(
  services: Services,
  reglas: ReglasDeStaging<Datos, Tipo>,
): Promise<StagingDe<Datos, Tipo>> {
  type Subida = SubidaDe<Datos, Tipo>
  type Recibida = SubidaRecibidaDe<Datos, Tipo>
  const { db, clock, settings } = services
  const { de } = reglas
  const idleMs = reglas.idleMs ?? IDLE_MS
  const draft = await openTemporales(join(settings.dataDir, 'temporales'))
  const presupuesto = createPresupuesto(services, de, reglas.limites, reglas.maxBytes)
  const trozos = createTrozos(services, de, presupuesto, draft)
  const turnos = createTurnosComunes(db, reglas.ocupado)
  const nameOf = (que: string) => `${de}:${que}`

  const readRow = (row: Selectable<Tables['subidas']>): Recibida =>
    ({
      ...(row.datos as Datos),
      ...{ id: row.id, filename: row.nombre_archivo, size: row.bytes, createdAt: row.orden },
      ...{ sealed: row.sellada as Ficha<Tipo>['sealed'], offset: row.recibidos },
    }) as Recibida

  const ofKey = (key: string) => {
    if (!/^[0-9a-f]{64}$/.test(key)) throw new Error('Not a submission key')
    return db.selectFrom('subidas').selectAll().where('de', '=', de).where('key', '=', key)
  }
  const ofUpload = (key: string, id: string) => {
    if (!isUuid(id)) throw new Error('Not an upload id')
    return ofKey(key).where('id', '=', id)
  }

  const antes = await openAntes({
    folder: join(settings.dataDir, reglas.antes),
    async write(key, { id, filename, size, createdAt, siteCreatedAt, sealed: _, ...datos }) {
      await db
        .insertInto('subidas')
        .values({
          ...{ id, de, key, nombre_archivo: filename, datos: JSON.stringify(datos), bytes: size, orden: createdAt },
          ...{ oida_at: null, creada_at: new Date(createdAt), del_sitio_at: new Date(siteCreatedAt), sellada: null },
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      return (await ofUpload(key, id).select('recibidos').executeTakeFirst())?.recibidos
    },
    append: (id, body, offset) => trozos.append(id, body, offset, idleMs),
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

  async function find(key: string, id: string): Promise<Recibida | undefined> {
    await antes.ofKey(key)
    const row = await ofUpload(key, id).executeTakeFirst()
    return row && readRow(row)
  }

  async function removeRows(which: Pick<Selectable<Tables['subidas']>, 'id'>[]): Promise<number> {
    if (which.length === 0) return 0
    const ids = which.map(({ id }) => id)
    const gone = await db.deleteFrom('subidas').where('id', 'in', ids).returning('id').execute()
    // Their rows first: without one a piece is nobody's, and the sweep takes it.
    await Promise.all(gone.map(({ id }) => trozos.remove(id)))
    return gone.length
  }

  async function sealOne(key: string, id: string): Promise<Subida> {
    const upload = await find(key, id)
    if (upload === undefined) throw new Rechazo('subidaAjena', MENSAJES.archivoPerdido)
    const { offset, ...card } = upload
    const subida = card as unknown as Subida
    if (subida.sealed !== null) return subida
    if (subida.size === null || offset < subida.size)
      throw new Rechazo('documentoInvalido', MENSAJES.archivoIncompleto(subida.filename))
    const from = (await ofUpload(key, id).executeTakeFirst())?.redes?.[0] ?? key
    const sealed = await trozos.withFile(id, async (file, sha256) => {
      const contentType = await reglas.checkedContent(file, { ...subida, size: offset }, from)
      return contentType instanceof Rechazo ? contentType : { sha256, contentType }
    })
    if (sealed instanceof Rechazo) {
      await removeRows([{ id }])
      throw sealed
    }
    const { numUpdatedRows } = await db
      .updateTable('subidas')
      .set({ sellada: JSON.stringify(sealed) })
      .where('id', '=', id)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new Rechazo('subidaAjena', MENSAJES.archivoPerdido)
    return { ...subida, sealed }
  }
  const sealing = createUnoALaVez()

  let latest = 0

  return {
    presupuesto,
    find,

    async list(key) {
      await antes.ofKey(key)
      return (await ofKey(key).orderBy('orden').orderBy('id').execute()).map(readRow)
    },

    async create(key, nueva, client, id = randomUUID()) {
      // No two alike, and in the order of asking: it says which side of the credential came first.
      latest = Math.max(Date.now(), latest + 1)
      const createdAt = latest
      const filename = reglas.checkedFileName(nueva)
      await presupuesto.countCreation(client)
      const { filename: _, size, ...datos } = nueva
      await presupuesto.reserve({ id, client, size: size ?? reglas.maxBytes }, async (tx, redes) => {
        const { rows } = await sql<{ hay: number }>`
          select count(*)::int as hay from subidas where de = ${de} and key = ${key}`.execute(tx)
        if (rows[0]!.hay >= reglas.maxUploads) throw new Rechazo('subidasDemasiadas', MENSAJES.subidasDemasiadas)
        await tx
          .insertInto('subidas')
          .values({
            ...{ id, de, key, nombre_archivo: filename, datos: JSON.stringify(datos), bytes: size, orden: createdAt },
            ...{ redes: [...redes], oida_at: sql<Date>`now()`, del_sitio_at: clock.now(), sellada: null },
          })
          .execute()
      })
      return { ...nueva, id, filename, size, createdAt, sealed: null } as unknown as Subida
    },

    async append(key, id, body, offset) {
      if (await ofUpload(key, id).executeTakeFirst()) return trozos.append(id, body, offset, idleMs)
      body.destroy()
      throw new Rechazo('subidaAjena', MENSAJES.subidaAjena)
    },

    async close(_key, id) {
      await db.updateTable('subidas').set({ bytes: sql`recibidos` }).where('id', '=', id).execute()
    },

    // One at a time: nobody here looks at a file that another is just refusing.
    seal: (key, id) => sealing(`${key}/${id}`, () => sealOne(key, id)),

    async withFile(key, id, work) {
      await find(key, id)
      return trozos.withFile(id, work)
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
        const done = await turnos.siEstaLibre(nameOf(key), async () =>
          removeRows(await over.where('key', '=', key).execute()),
        )
        removed += done?.hecho ?? 0
      }
      await trozos.sweep()
      await presupuesto.sweep()
      await db.deleteFrom('turnos').where('hasta', '<', sql<Date>`now() - interval '1 hour'`).execute()
      return removed
    },

    takeOver: antes.all,
    exclusively: (key, work) => turnos.enTurno(nameOf(key), work),
    ifFree: (key, work) => turnos.siEstaLibre(nameOf(key), work),
  }
}
