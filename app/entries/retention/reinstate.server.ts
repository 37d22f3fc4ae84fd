import pg from 'pg'
import { anotar, TERMINAL } from '#app/audit/mutations.server.ts'
import { type Database, openDatabase } from '#app/core/db/database.server.ts'
import { FORMAS } from '#app/entries/definitions/both-forms.ts'
import { huellaDeInscripcion } from './stored-objects.server.ts'

/** An entry as a backup has it: its rows, table by table. */
export interface InscripcionDeAntes {
  id: number
  /** What the ledger of deletions calls it. */
  huella: string
  bucket: string
  carpeta: string
  filas: { tabla: string; filas: Record<string, unknown>[] }[]
}

interface Referencia {
  tabla: string
  columna: string
  destino: string
  clave: string
  puedeFaltar: boolean
}

const name = (text: string) => pg.escapeIdentifier(text)

/** References of one column between the tables of the site. */
async function readReferencias(client: pg.ClientBase): Promise<Referencia[]> {
  const { rows } = await client.query<Referencia>(
    `select c.relname as tabla, a.attname as columna, d.relname as destino, k.attname as clave,
       not a.attnotnull as "puedeFaltar"
     from pg_constraint r
     join pg_class c on c.oid = r.conrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = r.conkey[1]
     join pg_class d on d.oid = r.confrelid join pg_attribute k on k.attrelid = d.oid and k.attnum = r.confkey[1]
     where r.contype = 'f' and array_length(r.conkey, 1) = 1 and r.connamespace = current_schema::regnamespace`,
  )
  return rows
}

/**
 * Reads an entry and all that belongs to it out of a restored backup.
 * @param clave of the ledger of deletions; undefined in a backup from before there was one
 * @returns undefined where it has none with that folio
 */
export async function readInscripcionDeAntes(
  client: pg.ClientBase,
  folio: string,
  clave: Uint8Array | undefined,
): Promise<InscripcionDeAntes | undefined> {
  const { rows } = await client.query<{ id: number; folio: string; created_at: Date; tipo: keyof typeof FORMAS }>(
    'select id, folio, created_at, tipo from inscripciones where folio = $1',
    [folio],
  )
  const [found] = rows
  if (!found) return undefined
  const { bucket, tabla: formaTabla } = FORMAS[found.tipo]
  const own = (await readReferencias(client)).filter(({ destino }) => destino === 'inscripciones')
  const filas: InscripcionDeAntes['filas'] = []
  for (const { tabla, columna } of [{ tabla: 'inscripciones', columna: 'id' }, ...own]) {
    const { rows: some } = await client.query<{ fila: Record<string, unknown> }>(
      `select to_jsonb(t) as fila from ${name(tabla)} t where ${name(columna)} = $1`,
      [found.id],
    )
    filas.push({ tabla, filas: some.map(({ fila }) => fila) })
  }
  const forma = filas.find(({ tabla }) => tabla === formaTabla)?.filas[0]
  const huella = clave ? huellaDeInscripcion(clave, found) : ''
  return { id: found.id, huella, bucket, carpeta: String(forma?.carpeta ?? ''), filas }
}

/** Whether an entry with that folio is there. */
export async function hayFolio(db: Database, folio: string): Promise<boolean> {
  const found = await db.selectFrom('inscripciones').select('id').where('folio', '=', folio).executeTakeFirst()
  return found !== undefined
}

/**
 * Puts an entry's rows back, in the transaction that is open, with a line of the log. What pointed at an account that is
 * not there any more points at nobody; mail that was still waiting then is not sent now.
 */
export async function insertInscripcionDeAntes(client: pg.ClientBase, antes: InscripcionDeAntes): Promise<void> {
  const referencias = await readReferencias(client)
  const { rows: columnas } = await client.query<{ tabla: string; columna: string }>(
    `select c.relname as tabla, a.attname as columna from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = current_schema::regnamespace and c.relkind = 'r' and a.attnum > 0
       and not a.attisdropped and a.attgenerated = ''`,
  )
  for (const { tabla, filas } of inOrder(antes.filas, referencias)) {
    const writable = new Set(columnas.filter((one) => one.tabla === tabla).map(({ columna }) => columna))
    for (const fila of filas) {
      if (tabla === 'correos' && fila.sent_at === null && fila.failed_at === null) continue
      if (!(await pointsRight(client, tabla, fila, referencias))) continue
      const wanted = Object.keys(fila).filter((columna) => writable.has(columna))
      const list = wanted.map(name).join(', ')
      await client.query(
        `insert into ${name(tabla)} (${list}) overriding system value
         select ${list} from jsonb_populate_record(null::${name(tabla)}, $1)`,
        [JSON.stringify(fila)],
      )
    }
  }
}

export const anotaRegreso = (pool: pg.Pool, id: number): Promise<void> =>
  anotar(openDatabase(pool), TERMINAL, { que: 'inscripcion.devuelta', inscripcion: id })

/** Tables so that each stands behind those that it points at. */
function inOrder(filas: InscripcionDeAntes['filas'], referencias: readonly Referencia[]): InscripcionDeAntes['filas'] {
  const left = [...filas]
  const done: InscripcionDeAntes['filas'] = []
  while (left.length > 0) {
    const names = new Set(left.map(({ tabla }) => tabla))
    const next = left.findIndex(({ tabla }) =>
      referencias.every((one) => one.tabla !== tabla || one.destino === tabla || !names.has(one.destino)),
    )
    done.push(...left.splice(Math.max(0, next), 1))
  }
  return done
}

/** Lets go of what is not there any more. @returns false for a row that cannot be without it */
async function pointsRight(
  client: pg.ClientBase,
  tabla: string,
  fila: Record<string, unknown>,
  referencias: readonly Referencia[],
): Promise<boolean> {
  for (const { columna, destino, clave, puedeFaltar } of referencias.filter((one) => one.tabla === tabla)) {
    if (fila[columna] === null || fila[columna] === undefined) continue
    const { rowCount } = await client.query(`select 1 from ${name(destino)} where ${name(clave)}::text = $1`, [
      String(fila[columna]),
    ])
    if (rowCount !== 0) continue
    if (!puedeFaltar) return false
    fila[columna] = null
  }
  return true
}
