import { hash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type pg from 'pg'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { migrate } from '#app/core/db/migrate.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'
import { createLog } from '#app/core/process/log.server.ts'
import { keysOf } from '#app/core/process/session-secret.server.ts'
import { openFolderStorage } from '#app/core/storage/folder-adapter.server.ts'
import { keepCandidateNames } from '#app/voting/ballot/mutations.server.ts'
import { hashReceipt, sealOf, sorted } from '#app/voting/chain/block-seal.server.ts'
import { closeBlocks } from '#app/voting/chain/published-blocks.server.ts'
import { RECEIPT_ALPHABET, RECEIPT_CHARACTERS } from '#app/voting/election/receipt.ts'
import { signSeal } from '#app/voting/election/seal-signature.server.ts'
import { signVote, VOTE_KEY } from '#app/voting/election/vote-signature.server.ts'
import { readClosingRecord } from '#app/voting/record/schema.ts'
import { closeVote } from '#app/voting/tally/mutations.server.ts'
import { createRecordFiles } from '#app/voting/tally/record-file.server.ts'
import { sealVotes } from '#app/voting/tally/sealing.server.ts'
import { ACTOR, CLOSED, ELECTION, OPEN } from '../../tests/votos.ts'
import type { Figure } from './figure.ts'

const BATCH = 2_000
const ROWS = 20_000
const EMAIL_BYTES = 32
const MB = 1_000_000
const ID_CHARACTERS = 32
/** Length of the keyed hash that stands for a network (app/voting/ballot/mutations.server.ts). */
const ORIGIN_CHARACTERS = 16

/** Closes and publishes a vote of `count` ballots: duration, memory, event loop delay, and faults of the recount. */
export async function closingFigures(say: (line: string) => void, count: number): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-cierre-'))
  const postgres = await startPostgres(join(folder, 'postgres'), say)
  const pool = openPool(postgres.connection, 10)
  // The pool emits an error when PostgreSQL stops before its connections have closed.
  pool.on('error', () => {})
  try {
    await migrate(pool, 'db/migrations')
    let now = OPEN
    const services = {
      db: openDatabase(pool),
      hilos: { conexion: postgres.connection, desde: 1 },
      storage: await openFolderStorage(join(folder, 'storage')),
      settings: { dataDir: folder },
      keyed: keysOf('x'.repeat(40)),
      log: createLog('silent'),
      clock: { now: () => now },
    } as unknown as Services
    await keepCandidateNames(services, ELECTION)
    await store(pool, services, count, say)
    now = CLOSED
    return await closing(services, count, say)
  } finally {
    await pool.end()
    await postgres.stop()
    await rm(folder, { recursive: true })
  }
}

async function closing(services: Services, count: number, say: (line: string) => void): Promise<Figure[]> {
  global.gc?.()
  const before = process.memoryUsage().rss
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 20)
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const began = performance.now()
  const closed = await closeVote(services, ELECTION, ACTOR)
  const sealedMs = performance.now() - began
  if (!closed.ok) throw new Error(`The vote was not closed: ${closed.reason}`)
  const published = await createRecordFiles(services).publish(closed.acta)
  const tookMs = performance.now() - began
  delay.disable()
  clearInterval(watch)
  if (!('file' in published)) throw new Error('The act was not published')
  const record = readClosingRecord(closed.acta.contenido)
  const wrong = record.fallas.length + Math.abs(record.papeletas - count)
  for (const falla of record.fallas) say(`  ${falla}`)
  const { size } = await stat(published.file)
  say(`  acta sellada en ${Math.round(sealedMs / 1_000)} s; su archivo: ${Math.round(size / MB)} MB`)
  const of = `cierre de ${count.toLocaleString('es-MX')} votos`
  return [
    { name: `${of}: acta sellada y escrita`, value: tookMs / 1_000, unit: 's', target: { atMost: 60 } },
    { name: `${of}: memoria`, value: (most - before) / MB, unit: 'MB', target: { atMost: 300 } },
    { name: `${of}: el proceso sin atender a nadie, p99`, value: delay.percentile(99) / 1e6, unit: 'ms' },
    { name: `${of}: el mismo, lo más`, value: delay.max / 1e6, unit: 'ms', target: { atMost: 50 } },
    { name: `${of}: fallas del recuento`, value: wrong, unit: '', target: { atMost: 0 } },
  ]
}

/**
 * Stores votes as the site does: signed, in sealed batches and published blocks. The site seals the first batch; the other
 * batches, which would take it half an hour, are sealed here.
 */
async function store(pool: pg.Pool, services: Services, count: number, say: (line: string) => void): Promise<void> {
  const { db, keyed } = services
  const { edicion } = ELECTION
  await insert(pool, votesFrom(0, BATCH, keyed))
  await sealVotes(services, ELECTION)
  const { sello } = await db.selectFrom('lotes').select('sello').where('numero', '=', 1).executeTakeFirstOrThrow()
  let anterior = sello
  await pool.query('alter table banda_digital_votes disable trigger votos_por_hora_insert')
  for (let done = BATCH, number = 2; done < count; done += ROWS) {
    const votes = votesFrom(done, Math.min(ROWS, count - done), keyed)
    const sealedBatches = []
    for (let from = 0; from < votes.length; from += BATCH, number++) {
      const some = votes.slice(from, from + BATCH)
      for (const one of some) one.lote = number
      const ballots = sorted(
        some.map(({ recibo, candidata }) => ({ recibo: hashReceipt(recibo), candidata: candidata ?? '' })),
      )
      const seal = sealOf(number, anterior, ballots)
      const firma = signSeal({ keyed }, `${edicion} ${number} ${seal}`)
      sealedBatches.push({
        edicion,
        numero: number,
        anterior,
        sello: seal,
        firma,
        papeletas: some.length,
        sellado_at: OPEN,
      })
      anterior = seal
    }
    await insert(pool, votes)
    await db.insertInto('lotes').values(sealedBatches).execute()
    if ((done - BATCH) % 1_000_000 === 0) say(`  ${done.toLocaleString('es-MX')} votos guardados`)
  }
  await pool.query('alter table banda_digital_votes enable trigger votos_por_hora_insert')
  await pool.query('truncate votos_por_hora')
  await pool.query(
    `insert into votos_por_hora (edicion, hora, candidata, votos)
     select edicion, date_trunc('hour', created_at), candidata, count(*) from banda_digital_votes group by 1, 2, 3`,
  )
  while (await db.transaction().execute((tx) => closeBlocks({ ...services, db: tx }, edicion)));
  await pool.query('vacuum analyze banda_digital_votes')
}

/** Signed votes, each from another network. */
function votesFrom(first: number, rows: number, keyed: Services['keyed']) {
  const key = keyed(VOTE_KEY)
  const random = randomBytes(rows * (RECEIPT_CHARACTERS + EMAIL_BYTES))
  return Array.from({ length: rows }, (_, row) => {
    const number = first + row
    const own = random.subarray(
      row * (RECEIPT_CHARACTERS + EMAIL_BYTES),
      (row + 1) * (RECEIPT_CHARACTERS + EMAIL_BYTES),
    )
    const letters = Array.from(
      own.subarray(0, RECEIPT_CHARACTERS),
      (byte) => RECEIPT_ALPHABET[byte % RECEIPT_ALPHABET.length],
    )
    const vote = {
      edicion: ELECTION.edicion,
      user_id: madeUp('cuenta', number, ID_CHARACTERS),
      candidata: ELECTION.candidatas[number % 5]!.nombre,
      recibo: letters.join(''),
      correo: own.subarray(RECEIPT_CHARACTERS),
      red: madeUp('red', number, ORIGIN_CHARACTERS),
      bloque: madeUp('bloque', number % 1_000_003, ORIGIN_CHARACTERS),
      dominio: null,
      sospecha: null,
      created_at: new Date(OPEN.getTime() + (number % 600_000) * 100),
    }
    return { ...vote, firma: signVote(key, vote), lote: null as number | null }
  })
}

/** Random-looking characters, like those of account ids and keyed hashes. */
const madeUp = (what: string, number: number, characters: number) =>
  hash('sha256', `${what} ${number}`, 'base64url').slice(0, characters)

async function insert(pool: pg.Pool, votes: ReturnType<typeof votesFrom>): Promise<void> {
  await pool.query(
    `insert into banda_digital_votes
       (edicion, user_id, candidata, recibo, correo, red, bloque, created_at, firma, lote)
     select ${ELECTION.edicion}, * from unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::text[], $6::text[],
       $7::timestamptz[], $8::bytea[], $9::int[])`,
    [
      votes.map(({ user_id }) => user_id),
      votes.map(({ candidata }) => candidata),
      votes.map(({ recibo }) => recibo),
      votes.map(({ correo }) => correo),
      votes.map(({ red }) => red),
      votes.map(({ bloque }) => bloque),
      votes.map(({ created_at }) => created_at),
      votes.map(({ firma }) => firma),
      votes.map(({ lote }) => lote),
    ],
  )
}
