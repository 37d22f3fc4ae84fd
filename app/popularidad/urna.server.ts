import { sql } from 'kysely'
import { gather, inBatches } from '#app/platform/batches.server.ts'
import type { Database } from '#app/platform/database.server.ts'

/** A vote on its way into the table. */
export interface Voto {
  user_id: string
  candidata: string
  edicion: number
  correo: Buffer
  recibo: string
  intento: string | null
  firma: Buffer
  red: string
  dominio: string | null
  sospecha: string | null
  created_at: Date
}

/** `doble`: this account or address has a vote; `cerrada`: the closing act is sealed, or is being sealed. */
type Recepcion = 'dentro' | 'doble' | 'cerrada'

const STATEMENTS = 2
const MAX_VOTES = 250
const urnas = new WeakMap<Database, Map<number, (voto: Voto) => Promise<Recepcion>>>()

/**
 * Puts a vote into the table, unless this account or address has one, or the closing act is there.
 * @returns `dentro` only once it is on disk
 */
export function insertVote(db: Database, voto: Voto): Promise<Recepcion> {
  const ofEdition = urnas.get(db) ?? new Map<number, (voto: Voto) => Promise<Recepcion>>()
  urnas.set(db, ofEdition)
  const { edicion } = voto
  const insert =
    ofEdition.get(edicion) ?? gather((votos) => insertAll(db, edicion, votos), { atOnce: STATEMENTS, most: MAX_VOTES })
  ofEdition.set(edicion, insert)
  return insert(voto)
}

/** A vote that is in the table. */
interface Emitido {
  recibo: string | null
  intento: string | null
  candidata: string | null
}

const buscadores = new WeakMap<Database, (clave: string) => Promise<Emitido | undefined>>()

/** The vote that an account has in an edition. A crowd that is asked for work is looked up together. */
export function findVote(db: Database, edicion: number, userId: string): Promise<Emitido | undefined> {
  const find = buscadores.get(db) ?? inBatches((claves) => findAll(db, claves))
  buscadores.set(db, find)
  return find(`${edicion} ${userId}`)
}

async function findAll(db: Database, claves: string[]): Promise<Map<string, Emitido>> {
  const ediciones = claves.map((clave) => Number.parseInt(clave, 10))
  const ids = claves.map((clave) => clave.slice(clave.indexOf(' ') + 1))
  const { rows } = await sql<Emitido & { clave: string }>`
    select v.edicion || ' ' || v.user_id as clave, v.recibo, v.intento, v.candidata
    from unnest(${ediciones}::smallint[], ${ids}::text[]) as c (edicion, user_id)
    join banda_digital_votes v using (edicion, user_id)`.execute(db)
  return new Map(rows.map((row) => [row.clave, row]))
}

/**
 * One statement decides for all of them, two of the same person among them included. In the order of their addresses
 * (an account has one), so that no two statements wait for each other.
 */
async function insertAll(db: Database, edicion: number, some: Voto[]): Promise<Recepcion[]> {
  const votos = some.toSorted((a, b) => a.correo.compare(b.correo))
  const column = <Key extends keyof Voto>(key: Key) => votos.map((voto) => voto[key])
  const { rows } = await sql<{ recibo: string | null }>`
    with abierta as materialized (select votacion_sin_acta(${edicion}::smallint) as si), nuevos as (
      insert into banda_digital_votes
        (user_id, candidata, edicion, correo, recibo, intento, firma, red, dominio, sospecha, created_at)
      select * from unnest(${column('user_id')}::text[], ${column('candidata')}::text[], ${column('edicion')}::smallint[],
        ${column('correo')}::bytea[], ${column('recibo')}::text[], ${column('intento')}::uuid[], ${column('firma')}::bytea[],
        ${column('red')}::text[], ${column('dominio')}::text[], ${column('sospecha')}::text[],
        ${column('created_at')}::timestamptz[])
      where (select si from abierta)
      on conflict do nothing returning recibo
    )
    select recibo from nuevos union all select null from abierta where not si`.execute(db)
  const dentro = new Set(rows.map(({ recibo }) => recibo))
  return some.map(({ recibo }) => (dentro.has(recibo) ? 'dentro' : dentro.has(null) ? 'cerrada' : 'doble'))
}
