// Longer than 350 lines: all that is read of entries, but what one leads to (vecinas, parecidas).
import { type Expression, type SqlBool, sql } from 'kysely'
import { listFinishedDeletions } from '#app/audit/data.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { SUGGESTED_MAX_AGE, SUGGESTED_MIN_AGE } from '#app/entries/definitions/candidate-fields.ts'
import { compareByKind, type DocumentKind, type VoterCardSide } from '#app/entries/definitions/document-kinds.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import { readFolio } from './folio.ts'
import { type Data, toTsquery } from './rules.ts'
import { type Counts, type Entry, type EntryFilter, type EntryState, type Row, STATES } from './schema.ts'
import { panelValues } from './shown-values.ts'

const PAGE_SIZE = 50

/** One page of a list, and where the next one begins. */
export interface EntryListPage {
  renglones: Row[]
  /** Id of the first entry shown, when newer ones stand before it. */
  antes: number | undefined
  /** Id of the last entry shown, when more follow. */
  sigue: number | undefined
}

/** The page after an entry, the page before one, or the first. */
export interface Position {
  desde?: number | undefined
  hasta?: number | undefined
}

/** Of an entry whose deletion has begun nothing is shown any more, however long an object resists. */
export const isNotBeingDeleted = sql<SqlBool>`inscripciones.id <> all (array(select inscripcion_id from borrados))`

/** What people write before a number, between two of one field, or before an extension. */
const BESIDE_NUMBER = /^(?:[yox]|ext(?:ensi[oó]n)?|int|cel(?:ular)?|tel(?:[eé]fono)?|m[oó]vil|whats(?:app)?)[.:]*$/i

/**
 * Whether an entry is found by a text: by beginnings of its words, or by a telephone in any spelling, beside words or alone.
 * @returns undefined when there is nothing to look for
 */
function matchesText(text: string): Expression<SqlBool> | undefined {
  const inWords = (said: string) => {
    const tsquery = toTsquery(said)
    return tsquery === undefined ? undefined : sql<SqlBool>`busqueda @@ ${tsquery}::tsquery`
  }
  const words = typedText(text).normalize('NFKC').split(/\s+/)
  const isOfNumber = (word: string) => !/\p{L}/u.test(word) || BESIDE_NUMBER.test(word) || /^x\d{1,6}$/i.test(word)
  const number = words.filter(isOfNumber).join(' ')
  const whole = inWords(text)
  if (!/\p{Nd}/u.test(number)) return whole
  const byNumber = sql<SqlBool>`telefonos_buscables(celular) @@ busca_telefono(${number})`
  const beside = inWords(words.filter((word) => !isOfNumber(word)).join(' '))
  const both = beside ? sql<SqlBool>`(${byNumber} and ${beside})` : byNumber
  return whole ? sql<SqlBool>`(${whole} or ${both})` : both
}

/** The number that is dialled to reach the person, with its country; null: what was typed is no whole number. */
export const diallablePhone = sql<
  string | null
>`(select numero from unnest(telefonos_de(celular)) as t (numero) where numero like '+%' limit 1)`

/** Entries that a filter lets through, newest first, without anything selected yet. */
export function entriesMatching(db: Database, { edicion, tipo, estado, fueraDeEdad, texto, ids }: EntryFilter) {
  return db
    .selectFrom('inscripciones')
    .where((eb) => {
      const conditions: Expression<SqlBool>[] = [eb('inscripciones.edicion', '=', edicion), isNotBeingDeleted]
      if (tipo) conditions.push(eb('inscripciones.tipo', '=', tipo))
      if (estado) conditions.push(eb('inscripciones.estado', '=', estado))
      if (fueraDeEdad)
        conditions.push(
          eb.or([eb('inscripciones.edad', '<', SUGGESTED_MIN_AGE), eb('inscripciones.edad', '>', SUGGESTED_MAX_AGE)]),
        )
      if (ids) conditions.push(eb('inscripciones.id', '=', eb.fn.any(sql<number[]>`${ids}::bigint[]`)))
      // Signs alone are looked for, and nowhere found.
      if (texto !== undefined) conditions.push(matchesText(texto) ?? sql<SqlBool>`false`)
      return eb.and(conditions)
    })
    .orderBy('inscripciones.created_at', 'desc')
    .orderBy('inscripciones.id', 'desc')
}

const MAX_HITS = 2_000

/**
 * A rare word is found by its index, a common one by looking through the newest entries. PostgreSQL cannot tell beforehand
 * how rare the beginning of a word is, and would look through all of them for a word that is nowhere.
 */
export async function withHits(db: Database, filter: EntryFilter): Promise<EntryFilter> {
  const matches = filter.texto === undefined || filter.ids ? undefined : matchesText(filter.texto)
  if (matches === undefined) return filter
  const hits = await db
    .selectFrom('inscripciones')
    .select('id')
    .where('edicion', '=', filter.edicion)
    .where(matches)
    .limit(MAX_HITS + 1)
    .execute()
  return hits.length > MAX_HITS ? filter : { ...filter, texto: undefined, ids: hits.map(({ id }) => id) }
}

/** A page of the list. @param where by the entry at its edge; one that is gone means the first page */
export async function listEntries(
  db: Database,
  filter: EntryFilter,
  { desde, hasta }: Position = {},
): Promise<EntryListPage> {
  const found = await withHits(db, filter)
  const query = entriesMatching(db, found)
    .select(['id', 'tipo', 'folio', 'titular', 'detalle', 'edad', 'estado', 'created_at'])
    .limit(PAGE_SIZE + 1)
  const [edge] =
    desde || hasta
      ? await db
          .selectFrom('inscripciones')
          .select(['id', sql<string>`created_at::text`.as('at')])
          .where('id', '=', (desde ?? hasta)!)
          .execute()
      : []
  const beside = (sign: '<' | '>') =>
    sql<SqlBool>`(inscripciones.created_at, inscripciones.id) ${sql.raw(sign)} (${edge?.at}::timestamptz, ${edge?.id}::bigint)`
  if (edge && desde === undefined) {
    const newer = await query
      .where(beside('>'))
      .clearOrderBy()
      .orderBy('inscripciones.created_at')
      .orderBy('inscripciones.id')
      .execute()
    // Too few for a page: that is the first one, which is shown whole.
    if (newer.length < PAGE_SIZE) return listEntries(db, filter)
    const shown = newer.slice(0, PAGE_SIZE).reverse()
    return {
      renglones: await toRows(db, shown),
      antes: newer.length > PAGE_SIZE ? shown[0]!.id : undefined,
      sigue: shown.at(-1)!.id,
    }
  }
  const rows = await (edge ? query.where(beside('<')) : query).execute()
  const shown = rows.slice(0, PAGE_SIZE)
  return {
    renglones: await toRows(db, shown),
    antes: edge && shown[0]?.id,
    sigue: rows.length > PAGE_SIZE ? shown.at(-1)!.id : undefined,
  }
}

/** Chosen entries, as they are asked about before something is done to all of them; those that are gone are left out. */
export const listChosenEntries = (db: Database, edition: number, ids: number[]) =>
  entriesMatching(db, { edicion: edition, ids })
    .select(['id', 'tipo', 'folio', 'titular', 'detalle', 'estado', 'version'])
    .execute()

type ListRow = Omit<Row, 'faltan' | 'recibidaAt'> & { created_at: Date }

async function toRows(db: Database, shown: ListRow[]): Promise<Row[]> {
  const missing = await countMissing(db, shown)
  return shown.map(({ created_at, ...row }) => ({ ...row, faltan: missing.get(row.id) ?? 0, recibidaAt: created_at }))
}

/** Kinds of documents asked for again that have not come, by entry. */
async function countMissing(db: Database, rows: { id: number; estado: EntryState }[]) {
  const ids = rows.filter(({ estado }) => estado === 'falta-documento').map(({ id }) => id)
  if (ids.length === 0) return new Map<number, number>()
  const open = await db
    .selectFrom('solicitudes')
    .select((eb) => ['inscripcion_id', eb.fn.count<number>('clase').distinct().as('faltan')])
    .where('inscripcion_id', 'in', ids)
    .where('cumplida_at', 'is', null)
    .where('retirada_at', 'is', null)
    .groupBy('inscripcion_id')
    .execute()
  return new Map(open.map(({ inscripcion_id, faltan }) => [inscripcion_id, faltan]))
}

/** How many entries of an edition there are, by form and state. */
export async function countEntries(db: Database, edition: number): Promise<Counts> {
  const counted = db
    .selectFrom('inscripciones')
    .select(({ fn }) => ['tipo', 'estado', fn.countAll<number>().as('cuantas')])
    .where('edicion', '=', edition)
    .groupBy(['tipo', 'estado'])
  // All of them from the index alone, then those that are going: looking at each for that would take three times as long.
  const [rows, going] = await Promise.all([
    counted.execute(),
    counted.innerJoin('borrados', 'borrados.inscripcion_id', 'inscripciones.id').execute(),
  ])
  const none = () => Object.fromEntries(STATES.map((state) => [state, 0])) as Record<EntryState, number>
  const counts: Counts = { candidata: none(), traje: none() }
  for (const { tipo, estado, cuantas } of rows) counts[tipo][estado] = cuantas
  for (const { tipo, estado, cuantas } of going) counts[tipo][estado] -= cuantas
  return counts
}

/** One entry with everything that belongs to it; undefined when there is none. */
export async function readEntry(db: Database, id: number): Promise<Entry | undefined> {
  const row = await db
    .selectFrom('inscripciones')
    .selectAll()
    .select(diallablePhone.as('telefono'))
    .where('id', '=', id)
    .where(isNotBeingDeleted)
    .executeTakeFirst()
  if (!row) return undefined
  const [fila, documents, history, corrections, solicitudes] = await Promise.all([
    readFila(db, FORMS[row.tipo], id),
    db.selectFrom('documentos').selectAll().where('inscripcion_id', '=', id).orderBy('id').execute(),
    db
      .selectFrom('cambios')
      .leftJoin('profiles', 'profiles.id', 'cambios.quien')
      .select(['cambios.id', 'at', 'de', 'a', 'nota', 'para_persona', 'quien', 'email'])
      .where('inscripcion_id', '=', id)
      .orderBy('cambios.id', 'desc')
      .execute(),
    db
      .selectFrom('correcciones')
      .leftJoin('profiles', 'profiles.id', 'correcciones.quien')
      .select(['correcciones.id', 'at', 'campo', 'antes', 'ahora', 'quien', 'email'])
      .where('inscripcion_id', '=', id)
      .orderBy('correcciones.id', 'desc')
      .execute(),
    db
      .selectFrom('solicitudes')
      .select(['id', 'clase', 'lado', 'nota', 'pedida_at'])
      .where('inscripcion_id', '=', id)
      .where('cumplida_at', 'is', null)
      .where('retirada_at', 'is', null)
      .orderBy('id')
      .execute(),
  ])
  const { edicion, tipo, folio, titular, detalle, edad, estado, version, correo, celular, telefono, created_at } = row
  return {
    ...{
      id,
      edicion,
      tipo,
      folio,
      titular,
      detalle,
      edad,
      estado,
      version,
      correo,
      celular,
      telefono,
      recibidaAt: created_at,
    },
    campos: panelValues(FORMS[tipo], fila.datos),
    documentos: documents
      .map((one) => ({
        id: one.id,
        clase: one.clase,
        lado: one.lado,
        nombreArchivo: one.nombre_archivo,
        contentType: one.content_type,
        bytes: one.size_bytes,
        recibidoAt: one.recibido_at,
        reemplazadoAt: one.reemplazado_at,
      }))
      .sort(compareByKind),
    credencialRepetida: areTwins(documents.filter((one) => one.clase === 'credencialElector' && !one.reemplazado_at)),
    historia: history.map(({ email, quien, para_persona, ...one }) => ({
      ...one,
      paraPersona: para_persona,
      quien: email ?? quien,
    })),
    correcciones: corrections.map(({ email, quien, ...one }) => ({ ...one, quien: email ?? quien })),
    solicitudes: solicitudes.map(({ pedida_at, ...one }) => ({ ...one, pedidaAt: pedida_at })),
  }
}

const areTwins = ([one, other]: readonly { sha256: string }[]) => one !== undefined && one.sha256 === other?.sha256

/** What one form asked for, and where its files lie. */
interface Fila {
  /** Of the form's own table; the folder is called by it. */
  id: number
  carpeta: string
  metadata_path: string
  datos: Data
}

/** The values of an entry, under the keys of §3. @throws when the entry is gone */
export async function readFila(db: Database, forma: Forma, entry: number): Promise<Fila> {
  // Both tables have these columns; the fields' own are those of the form's descriptors.
  const row = await db
    .selectFrom(forma.tabla as 'registros')
    .selectAll()
    .where('inscripcion_id', '=', entry)
    .executeTakeFirstOrThrow()
  const { id, carpeta, metadata_path } = row
  return { id, carpeta, metadata_path, datos: dataOf(forma, row as unknown as Record<string, unknown>) }
}

/** An accepted entry of a candidate, as the site may make something of it. */
export interface AcceptedEntry {
  edicion: number
  datos: Data
  /** Her id in the edition, once she was made a candidate; she may have been taken out of it again. */
  candidata: string | undefined
}

/** @param held whether nobody else changes or deletes the entry until the transaction ends */
export async function readAcceptedEntry(db: Database, id: number, held?: 'held'): Promise<AcceptedEntry | undefined> {
  const found = db
    .selectFrom('inscripciones')
    .select('edicion')
    .where('id', '=', id)
    .where('tipo', '=', 'candidata')
    .where('estado', '=', 'aceptada')
    .where(isNotBeingDeleted)
  const row = await (held ? found.forUpdate() : found).executeTakeFirst()
  if (!row) return undefined
  const link = await db
    .selectFrom('candidatas_de_inscripciones')
    .select('candidata')
    .where('inscripcion_id', '=', id)
    .executeTakeFirst()
  const { datos } = await readFila(db, FORMS.candidata, id)
  return { edicion: row.edicion, datos, candidata: link?.candidata }
}

/** The values of a row, in the form's order. */
export const dataOf = ({ campos }: Forma, row: Readonly<Record<string, unknown>>): Data =>
  Object.fromEntries(campos.map(({ nombre }) => [nombre, row[nombre] ?? null])) as Data

/** A document that counts. */
export interface CurrentDocument {
  clase: DocumentKind
  lado: VoterCardSide | null
  path: string
}

/** The documents of an entry that count, the front of the credential before its back. */
export async function listCurrentDocuments(db: Database, entry: number): Promise<CurrentDocument[]> {
  return db
    .selectFrom('documentos')
    .select(['clase', 'lado', 'path'])
    .where('inscripcion_id', '=', entry)
    .where('reemplazado_at', 'is', null)
    .orderBy('lado')
    .execute()
}

/** SHA-256 of every document that an entry ever had. */
export async function listChecksums(db: Database, entry: number): Promise<string[]> {
  const rows = await db.selectFrom('documentos').select('sha256').where('inscripcion_id', '=', entry).execute()
  return rows.map(({ sha256 }) => sha256)
}

/** The folio of an entry; undefined once it is gone. */
export async function readFolioDe(db: Database, entry: number): Promise<string | undefined> {
  const row = await db.selectFrom('inscripciones').select('folio').where('id', '=', entry).executeTakeFirst()
  return row?.folio
}

/** The entry with this folio, however it was typed; undefined when there is none. */
export async function findFolio(db: Database, folio: string): Promise<number | undefined> {
  const written = readFolio(folio)
  if (written === undefined) return undefined
  const row = await db
    .selectFrom('inscripciones')
    .select('id')
    .where('folio', '=', written)
    .where(isNotBeingDeleted)
    .executeTakeFirst()
  return row?.id
}

interface Deletion {
  acuse: string
  at: Date
  motivo: 'solicitud' | 'plazo'
  /** An organiser's address; null: the site itself. */
  quien: string | null
  isDone: boolean
}

/** Deletions under way, and the last that were finished, by what the log keeps of them. */
export async function listDeletions(db: Database): Promise<{ pendientes: Deletion[]; hechos: Deletion[] }> {
  const [open, done] = await Promise.all([
    db
      .selectFrom('borrados')
      .leftJoin('profiles', 'profiles.id', 'borrados.quien')
      .select(['acuse', 'at', 'motivo', 'email'])
      .orderBy('at', 'desc')
      .limit(PAGE_SIZE)
      .execute(),
    listFinishedDeletions(db, PAGE_SIZE),
  ])
  return {
    pendientes: open.map(({ email, ...one }) => ({ ...one, quien: email, isDone: false })),
    hechos: done.map((one) => ({ ...one, isDone: true })),
  }
}
