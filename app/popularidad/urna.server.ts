import { sql } from 'kysely'
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

interface Waiting {
  voto: Voto
  resolve(taken: boolean): void
  reject(error: unknown): void
}

interface Urna {
  waiting: Waiting[]
  underWay: number
}
const urnas = new WeakMap<Database, Urna>()

const STATEMENTS = 2
const MAX_VOTES = 250

/**
 * Puts a vote into the table, unless this account or address has one. What comes in while two statements are under way
 * goes together in the next: a rush takes a fraction of the commits, and a single vote waits for nothing.
 * @returns whether it was taken; only once it is on disk
 */
export function insertVote(db: Database, voto: Voto): Promise<boolean> {
  const urna = urnas.get(db) ?? { waiting: [], underWay: 0 }
  urnas.set(db, urna)
  return new Promise((resolve, reject) => {
    urna.waiting.push({ voto, resolve, reject })
    void empty(db, urna)
  })
}

async function empty(db: Database, urna: Urna): Promise<void> {
  if (urna.underWay >= STATEMENTS || urna.waiting.length === 0) return
  const batch = urna.waiting.splice(0, MAX_VOTES)
  urna.underWay++
  try {
    const taken = await insertAll(
      db,
      batch.map(({ voto }) => voto),
    )
    for (const { voto, resolve } of batch) resolve(taken.has(voto.recibo))
  } catch (error) {
    for (const { reject } of batch) reject(error)
  } finally {
    urna.underWay--
    void empty(db, urna)
  }
}

/** One statement decides for all of them, two of the same person among them included. @returns receipts taken */
async function insertAll(db: Database, votos: Voto[]): Promise<Set<string>> {
  const column = <Key extends keyof Voto>(key: Key) => votos.map((voto) => voto[key])
  const { rows } = await sql<{ recibo: string }>`
    insert into banda_digital_votes
      (user_id, candidata, edicion, correo, recibo, intento, firma, red, dominio, sospecha, created_at)
    select * from unnest(${column('user_id')}::text[], ${column('candidata')}::text[], ${column('edicion')}::smallint[],
      ${column('correo')}::bytea[], ${column('recibo')}::text[], ${column('intento')}::uuid[], ${column('firma')}::bytea[],
      ${column('red')}::text[], ${column('dominio')}::text[], ${column('sospecha')}::text[],
      ${column('created_at')}::timestamptz[])
    on conflict do nothing returning recibo`.execute(db)
  return new Set(rows.map(({ recibo }) => recibo))
}
