import { sql } from 'kysely'
import { gather } from '#app/platform/batches.server.ts'
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

const STATEMENTS = 2
const MAX_VOTES = 250
const urnas = new WeakMap<Database, (voto: Voto) => Promise<boolean>>()

/**
 * Puts a vote into the table, unless this account or address has one.
 * @returns whether it was taken; only once it is on disk
 */
export function insertVote(db: Database, voto: Voto): Promise<boolean> {
  const insert = urnas.get(db) ?? gather((votos) => insertAll(db, votos), { atOnce: STATEMENTS, most: MAX_VOTES })
  urnas.set(db, insert)
  return insert(voto)
}

/** One statement decides for all of them, two of the same person among them included. @returns which were taken */
async function insertAll(db: Database, votos: Voto[]): Promise<boolean[]> {
  const column = <Key extends keyof Voto>(key: Key) => votos.map((voto) => voto[key])
  const { rows } = await sql<{ recibo: string }>`
    insert into banda_digital_votes
      (user_id, candidata, edicion, correo, recibo, intento, firma, red, dominio, sospecha, created_at)
    select * from unnest(${column('user_id')}::text[], ${column('candidata')}::text[], ${column('edicion')}::smallint[],
      ${column('correo')}::bytea[], ${column('recibo')}::text[], ${column('intento')}::uuid[], ${column('firma')}::bytea[],
      ${column('red')}::text[], ${column('dominio')}::text[], ${column('sospecha')}::text[],
      ${column('created_at')}::timestamptz[])
    on conflict do nothing returning recibo`.execute(db)
  const taken = new Set(rows.map(({ recibo }) => recibo))
  return votos.map(({ recibo }) => taken.has(recibo))
}
