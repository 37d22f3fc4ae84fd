import { sql } from 'kysely'
import type { Database } from '#app/platform/database.server.ts'
import type { Services } from '#app/platform/services.server.ts'
import { isSigned, VOTE_KEY } from '#app/popularidad/data.server.ts'
import { hashRecibo, sealOf, sorted } from './cadena.server.ts'
import { type Papeleta, PRINCIPIO } from './cadena.ts'
import { batches } from './cadena-guardada.server.ts'
import { cuantos } from './rules.ts'
import { isSealed } from './sello.server.ts'

export interface CadenaRecontada {
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
}

/** How many faults of a kind are named one by one. */
const MAX_NAMED = 5

/**
 * Compares every vote with its own signature and with the chain, and the chain with itself.
 * @param keyed undefined: the site's secret is not at hand, and signatures are left out
 * @param each is told the ballots of every batch, in the chain's order
 */
export async function recountCadena(
  { db, keyed }: { db: Database; keyed: Services['keyed'] | undefined },
  edicion: number,
  each: (lote: number, papeletas: readonly Papeleta[]) => void = () => {},
): Promise<CadenaRecontada> {
  const voteKey = keyed?.(VOTE_KEY)
  const fallas: string[] = []
  const changed: number[] = []
  const sums = new Map<string, number>()
  let papeletas = 0
  let expected = PRINCIPIO
  let lotes = 0
  let numero = 0
  let broken = false
  for await (const { lote, votos } of batches(db, edicion)) {
    lotes++
    numero = lote.numero
    papeletas += votos.length
    if (voteKey) changed.push(...votos.filter((voto) => !isSigned(voteKey, voto)).map(({ id }) => id))
    for (const { candidata } of votos) sums.set(candidata ?? '', (sums.get(candidata ?? '') ?? 0) + 1)
    const hashed = votos.map(({ recibo, candidata }) => ({
      recibo: hashRecibo(recibo),
      candidata: candidata ?? '',
    }))
    const isWhole = votos.length === lote.papeletas && sealOf(lote.numero, lote.anterior, sorted(hashed)) === lote.sello
    if (!isWhole && fallas.length < MAX_NAMED)
      fallas.push(
        votos.length === lote.papeletas
          ? `El lote ${lote.numero} no coincide con su sello: cambió algún voto.`
          : `El lote ${lote.numero} se selló con ${cuantos(lote.papeletas, 'voto')} y ahora tiene ${votos.length}.`,
      )
    each(lote.numero, hashed)
    const isLinked = lote.numero === lotes && lote.anterior === expected
    const isOurs = !keyed || isSealed({ keyed }, `${edicion} ${lote.numero} ${lote.sello}`, lote.firma)
    if (!broken && !(isLinked && isOurs)) {
      broken = true
      fallas.push(`La cadena se rompe en el lote ${lote.numero}.`)
    }
    expected = lote.sello
  }
  if (changed.length > 0)
    fallas.push(
      `${cuantos(changed.length, 'voto fue cambiado', 'votos fueron cambiados')} después de emitirse (${changed.slice(0, MAX_NAMED).join(', ')}).`,
    )
  return { papeletas, lotes, numero, ultimo: expected, sums, fallas }
}

/** Counts the chain of every edition that has one. @returns Spanish sentences; empty: everything is as it was sealed */
export async function recountTodas(db: Database, keyed: Services['keyed'] | undefined): Promise<string[]> {
  const { rows } = await sql<{ edicion: number }>`select distinct edicion from lotes order by 1`.execute(db)
  const fallas: string[] = []
  for (const { edicion } of rows)
    for (const falla of (await recountCadena({ db, keyed }, edicion)).fallas)
      fallas.push(`Votación ${edicion}: ${falla}`)
  return fallas
}
