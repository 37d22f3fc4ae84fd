import { sql } from 'kysely'
import type pg from 'pg'
import type { Database } from '#app/core/db/database.server.ts'
import { openPool } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { SELLO_KEY } from '#app/voting/election/seal-signature.server.ts'
import { cuantos } from '#app/voting/election/tally-rules.ts'
import { VOTE_KEY } from '#app/voting/election/vote-signature.server.ts'
import { type PorClase, umbralesDeParte } from '#app/voting/origins/possible-bursts.ts'
import { PRINCIPIO } from '#app/voting/record/block-seal.ts'
import { batches } from './batch-reader.server.ts'
import type { Caja } from './published-blocks.server.ts'
import { joined, recountTrecho, type Trecho } from './segment-recount.server.ts'
import { enHilos, partsOf } from './threads.server.ts'

/** What came of counting the chain, the links that its batches make, and the bursts that may be in it. */
export type CadenaRecontada = {
  papeletas: number
  lotes: number
  /** Number of the last batch. */
  numero: number
  /** Its seal. */
  ultimo: string
  /** Votes by candidate. */
  sums: Map<string, number>
  /** Spanish sentences; empty: everything is as it was sealed. */
  fallas: string[]
} & Pick<Trecho, 'cajas' | 'rafagas'>

const NINGUNO = { red: Number.MAX_SAFE_INTEGER, bloque: Number.MAX_SAFE_INTEGER }

type Mesa = { db: Database; keyed: Services['keyed'] | undefined } & Pick<Partial<Services>, 'hilos' | 'log'>

/**
 * Compares every vote with its own signature and with the chain, the chain with itself, and the links with their ballots.
 * @param keyed undefined: the site's secret is not at hand, and signatures are left out
 * @param umbrales votes in ten minutes beyond which an origin has a burst; without them none is sought
 * @param hilos the most of a long chain is counted in threads, over connections of their own
 */
export async function recountCadena(
  { db, keyed, hilos, log }: Mesa,
  edicion: number,
  cajas: readonly Caja[] = [],
  umbrales: PorClase<number> = NINGUNO,
): Promise<CadenaRecontada> {
  const beside =
    hilos && keyed
      ? await besideOf({ hilos, keyed }, edicion, cajas, umbrales).catch((error: unknown) => {
          log?.warn({ err: error, edicion }, 'the chain is counted by the site itself')
          return undefined
        })
      : undefined
  const behind = beside?.upTo ?? 0
  const antes = { numero: behind, sello: behind === 0 ? PRINCIPIO : await sealOfLote(db, edicion, behind) }
  const left = cajas.slice(beside?.cajas ?? 0)
  const rest = await recountTrecho(batches(db, edicion, behind), {
    ...{ edicion, keyed, antes, cajas: left },
    umbrales: umbralesDeParte(umbrales, beside?.parts ?? 1),
  })
  const whole = beside ? joined(beside.trecho, rest) : rest
  const { papeletas, lotes, ultimo, sums, cambiados, primeros, fallas, cajas: links, rafagas } = whole
  return {
    ...{ papeletas, lotes, sums },
    numero: ultimo?.numero ?? 0,
    ultimo: ultimo?.sello ?? PRINCIPIO,
    fallas: [
      ...fallas.map(({ texto }) => texto),
      ...(cambiados > 0
        ? [
            `${cuantos(cambiados, 'voto fue cambiado', 'votos fueron cambiados')} después de emitirse (${primeros.join(', ')}).`,
          ]
        : []),
    ],
    cajas: links,
    rafagas,
  }
}

/** Counts in threads what other connections see of the chain: the links that were closed before this transaction. */
async function besideOf(
  { hilos: { conexion, desde }, keyed }: Required<Pick<Services, 'hilos' | 'keyed'>>,
  edicion: number,
  cajas: readonly Caja[],
  umbrales: PorClase<number>,
): Promise<{ trecho: Trecho; cajas: number; upTo: number; parts: number } | undefined> {
  const seen = await countSeen(conexion, edicion)
  const stretches = partsOf(cajas.slice(0, seen), desde)
  const last = stretches.at(-1)
  if (!last) return undefined
  // What comes behind them is counted here.
  const parts = stretches.length + 1
  const keys = { [VOTE_KEY]: keyed(VOTE_KEY), [SELLO_KEY]: keyed(SELLO_KEY) }
  const answers = await enHilos<{ trecho: Trecho }>(
    stretches.map((stretch) => ({
      ...{ que: 'contar' as const, conexion, edicion, ...stretch, keys },
      umbrales: umbralesDeParte(umbrales, parts),
    })),
  )
  return { trecho: answers.map(({ trecho }) => trecho).reduce(joined), cajas: seen, upTo: last.upTo, parts }
}

/** How many links any connection sees. */
async function countSeen(conexion: string | pg.PoolConfig, edicion: number): Promise<number> {
  const pool = openPool(conexion, 1)
  try {
    const { rows } = await pool.query<{ cajas: number }>('select count(*) as cajas from cajas where edicion = $1', [
      edicion,
    ])
    return rows[0]!.cajas
  } finally {
    await pool.end()
  }
}

const sealOfLote = async (db: Database, edicion: number, numero: number): Promise<string | undefined> =>
  (
    await db
      .selectFrom('lotes')
      .select('sello')
      .where('edicion', '=', edicion)
      .where('numero', '=', numero)
      .executeTakeFirst()
  )?.sello

/** Counts the chain of every edition that has one. @returns Spanish sentences; empty: everything is as it was sealed */
export async function recountTodas(db: Database, keyed: Services['keyed'] | undefined): Promise<string[]> {
  const { rows } = await sql<{ edicion: number }>`select distinct edicion from lotes order by 1`.execute(db)
  const fallas: string[] = []
  for (const { edicion } of rows)
    for (const falla of (await recountCadena({ db, keyed }, edicion)).fallas)
      fallas.push(`Votación ${edicion}: ${falla}`)
  return fallas
}
