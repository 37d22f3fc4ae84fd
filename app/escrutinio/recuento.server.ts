import type { Selectable } from 'kysely'
import type { Database } from '#app/platform/database.server.ts'
import type { Services } from '#app/platform/services.server.ts'
import type { Tables } from '#app/platform/tables.ts'
import { isSigned, VOTE_KEY } from '#app/popularidad/data.server.ts'
import { hashText, type Papeleta, PRINCIPIO, sealOf, sorted } from './cadena.server.ts'
import type { Cierre } from './schema.ts'
import { isSealed } from './sello.server.ts'

type Lote = Selectable<Tables['lotes']>
type Voto = Pick<
  Selectable<Tables['banda_digital_votes']>,
  'id' | 'user_id' | 'candidata' | 'edicion' | 'recibo' | 'firma' | 'lote'
>

const ROWS_AT_ONCE = 5_000
const LOTES_AT_ONCE = 500

/** The chain with the votes of each batch, in its order. */
async function* batches(db: Database, edicion: number): AsyncGenerator<{ lote: Lote; votos: Voto[] }> {
  for (let after = 0; ; ) {
    const lotes = await db
      .selectFrom('lotes')
      .selectAll()
      .where('edicion', '=', edicion)
      .where('numero', '>', after)
      .orderBy('numero')
      .limit(LOTES_AT_ONCE)
      .execute()
    if (lotes.length === 0) return
    while (lotes.length > 0) {
      let rows = 0
      const some: Lote[] = []
      while (lotes[0] && (some.length === 0 || rows + lotes[0].papeletas <= ROWS_AT_ONCE)) {
        rows += lotes[0].papeletas
        some.push(lotes.shift()!)
      }
      const votos = await db
        .selectFrom('banda_digital_votes')
        .select(['id', 'user_id', 'candidata', 'edicion', 'recibo', 'firma', 'lote'])
        .where('edicion', '=', edicion)
        .where('lote', '>=', some[0]!.numero)
        .where('lote', '<=', some.at(-1)!.numero)
        .execute()
      const byLote = Map.groupBy(votos, ({ lote }) => lote!)
      for (const lote of some) yield { lote, votos: byLote.get(lote.numero) ?? [] }
      after = some.at(-1)!.numero
    }
  }
}

/** The ballots of the chain, batch by batch, as they stand in the database now. */
export async function* ballots(db: Database, edicion: number): AsyncGenerator<(Papeleta & { votoId: number })[]> {
  for await (const { votos } of batches(db, edicion))
    yield votos.map(({ id, recibo, candidata }) => ({
      votoId: id,
      recibo: hashText(recibo ?? ''),
      candidata: candidata ?? '',
    }))
}

export interface Recuento {
  papeletas: number
  lotes: number
  /** Seal of the last batch. */
  ultimo: string
  /** Spanish sentences; empty: everything is as it was sealed. */
  fallas: string[]
}

/** Faults named one by one; the rest are counted. */
const MAX_NAMED = 5

/**
 * Compares every vote with its own signature and with the chain, the chain with itself, and the sums with both; keeps
 * the outcome for the panel. Whatever was changed, removed or inserted in the database without the site shows here.
 */
export async function recount(services: Services, edicion: number): Promise<Recuento> {
  const { db, clock, keyed } = services
  const voteKey = keyed(VOTE_KEY)
  const fallas: string[] = []
  const changed: number[] = []
  const sums = new Map<string, number>()
  let papeletas = 0
  let expected = PRINCIPIO
  let lotes = 0
  let broken = false
  for await (const { lote, votos } of batches(db, edicion)) {
    lotes++
    papeletas += votos.length
    changed.push(...votos.filter((voto) => !isSigned(voteKey, voto)).map(({ id }) => id))
    for (const { candidata } of votos) sums.set(candidata ?? '', (sums.get(candidata ?? '') ?? 0) + 1)
    const hashed = votos.map(({ recibo, candidata }) => ({
      recibo: hashText(recibo ?? ''),
      candidata: candidata ?? '',
    }))
    const isWhole = votos.length === lote.papeletas && sealOf(lote.numero, lote.anterior, sorted(hashed)) === lote.sello
    if (!isWhole && fallas.length < MAX_NAMED)
      fallas.push(
        votos.length === lote.papeletas
          ? `El lote ${lote.numero} no coincide con su sello: cambió algún voto.`
          : `El lote ${lote.numero} se selló con ${lote.papeletas} votos y ahora tiene ${votos.length}.`,
      )
    const isLinked = lote.numero === lotes && lote.anterior === expected
    const isOurs = isSealed(services, `${edicion} ${lote.numero} ${lote.sello}`, lote.firma)
    if (!broken && !(isLinked && isOurs)) {
      broken = true
      fallas.push(`La cadena se rompe en el lote ${lote.numero}.`)
    }
    expected = lote.sello
  }
  if (changed.length > 0)
    fallas.push(
      `${changed.length} ${changed.length === 1 ? 'voto fue cambiado' : 'votos fueron cambiados'} después de emitirse (${changed.slice(0, MAX_NAMED).join(', ')}).`,
    )
  const rest = await checkRest(services, edicion, { papeletas, lotes, ultimo: expected, sums })
  fallas.push(...rest.fallas)
  const result: Recuento = { papeletas, lotes, ultimo: expected, fallas }
  const { anulados, actas } = rest
  const kept = { at: clock.now(), papeletas, lotes, ultimo: expected, anulados, actas, fallas: JSON.stringify(fallas) }
  await db
    .insertInto('recuentos')
    .values({ edicion, ...kept })
    .onConflict((conflict) => conflict.column('edicion').doUpdateSet(kept))
    .execute()
  return result
}

/** What stands beside the chain: rows outside it, sums, annulments, acts, and what was there at the last count. */
async function checkRest(
  services: Services,
  edicion: number,
  chain: Omit<Recuento, 'fallas'> & { sums: Map<string, number> },
): Promise<{ fallas: string[]; anulados: number; actas: number }> {
  const { db } = services
  const fallas: string[] = []
  // First: what another process counts meanwhile is no less than this.
  const before = await db.selectFrom('recuentos').selectAll().where('edicion', '=', edicion).executeTakeFirst()
  const rows = await db
    .selectFrom('banda_digital_votes')
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('lote', '=', 0).as('ajenos'),
      fn.countAll<number>().filterWhere('lote', '>', 0).as('sellados'),
    ])
    .where('edicion', '=', edicion)
    .executeTakeFirstOrThrow()
  if (rows.ajenos > 0)
    fallas.push(
      rows.ajenos === 1
        ? 'Un voto se escribió en la base de datos sin pasar por el sitio.'
        : `${rows.ajenos} votos se escribieron en la base de datos sin pasar por el sitio.`,
    )
  // Meanwhile others may have been sealed: never fewer than were read, unless they point to no batch.
  const last = await db
    .selectFrom('lotes')
    .select(({ fn }) => [fn.sum<number>('papeletas').as('papeletas'), fn.max('numero').as('numero')])
    .where('edicion', '=', edicion)
    .executeTakeFirstOrThrow()
  const stray = rows.sellados - Math.max(chain.papeletas, last.papeletas ?? 0)
  if (stray > 0 && last.numero === chain.lotes) fallas.push(`${stray} votos dicen ser de un lote que no los tiene.`)

  const summed = await db
    .selectFrom('votos_por_hora')
    .select(['candidata'])
    .select(({ fn }) => fn.sum<number>('votos').as('votos'))
    .where('edicion', '=', edicion)
    .groupBy('candidata')
    .execute()
  if (last.numero === chain.lotes || chain.lotes === 0) {
    const sums = new Map(summed.map(({ candidata, votos }) => [candidata, votos]))
    const names = new Set([...sums.keys(), ...chain.sums.keys()])
    for (const name of names)
      if ((sums.get(name) ?? 0) !== (chain.sums.get(name) ?? 0))
        fallas.push(
          `La suma de ${name || 'votos en blanco'} dice ${sums.get(name) ?? 0} y sus papeletas son ${chain.sums.get(name) ?? 0}.`,
        )
  }

  const anulaciones = await db.selectFrom('anulaciones').selectAll().where('edicion', '=', edicion).execute()
  for (const one of anulaciones) {
    const ids = await annulledIds(db, one.id)
    if (!isSealed(services, annulmentText({ ...one, ids }), one.firma))
      fallas.push(`La anulación ${one.id} fue cambiada después de hacerse.`)
  }
  const anulados = anulaciones.reduce((sum, { votos }) => sum + votos, 0)
  const actas = await db.selectFrom('actas').selectAll().where('edicion', '=', edicion).execute()
  for (const { clase, contenido, sello, firma } of actas)
    if (hashText(contenido) !== sello || !isSealed(services, `${clase} ${edicion} ${sello}`, firma))
      fallas.push(`El acta de ${clase} fue cambiada después de sellarse.`)
    else if (clase === 'cierre' && (JSON.parse(contenido) as Cierre).anulados !== anulados)
      fallas.push(`El acta de cierre cuenta otros votos anulados que los ${anulados} que hay.`)
  if (chain.papeletas > 0 && !actas.some(({ clase }) => clase === 'apertura')) fallas.push('Falta el acta de cero.')

  if (before && before.lotes > 0) {
    const then = await db
      .selectFrom('lotes')
      .select('sello')
      .where('edicion', '=', edicion)
      .where('numero', '=', before.lotes)
      .executeTakeFirst()
    if (then?.sello !== before.ultimo)
      fallas.push(`En el recuento anterior la cadena llegaba al lote ${before.lotes}; ya no es la misma.`)
  }
  if (before && before.anulados > anulados)
    fallas.push(`En el recuento anterior había ${before.anulados} votos anulados; ahora hay ${anulados}.`)
  if (before && before.actas > actas.length) fallas.push('Un acta que estaba en el recuento anterior ya no está.')
  return {
    fallas,
    anulados: Math.max(anulados, before?.anulados ?? 0),
    actas: Math.max(actas.length, before?.actas ?? 0),
  }
}

export const annulledIds = async (db: Database, anulacionId: number): Promise<number[]> => {
  const rows = await db
    .selectFrom('votos_anulados')
    .select('voto_id')
    .where('anulacion_id', '=', anulacionId)
    .orderBy('voto_id')
    .execute()
  return rows.map(({ voto_id }) => voto_id)
}

/** What an annulment's signature covers. @param ids sorted */
export const annulmentText = (one: {
  edicion: number
  motivo: string
  conteo: Record<string, number>
  ids: number[]
}): string => {
  const conteo = Object.entries(one.conteo).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(['anulación', one.edicion, one.motivo, conteo, hashText(one.ids.join('\n'))])
}
