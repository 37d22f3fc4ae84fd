import type { KeyObject } from 'node:crypto'
import { isSealed } from '#app/voting/election/seal-signature.server.ts'
import { cuantos } from '#app/voting/election/tally-rules.ts'
import { isSigned, VOTE_KEY } from '#app/voting/election/vote-signature.server.ts'
import { createPosibles, type PorClase, unidos } from '#app/voting/origins/possible-bursts.ts'
import type { Papeleta } from '#app/voting/record/block-seal.ts'
import type { Lote, Voto } from './batch-reader.server.ts'
import { hashRecibo, sealOf, sorted } from './block-seal.server.ts'
import type { Caja } from './published-blocks.server.ts'

/** How many faults of a kind are named one by one. */
export const MAX_NAMED = 5

/** What a stretch of the chain is held against. */
export interface Medida {
  edicion: number
  /** Undefined: the site's secret is not at hand, and signatures are left out. */
  keyed: ((purpose: string) => KeyObject) | undefined
  /** The batch before the stretch; without a seal: there is none. */
  antes: { numero: number; sello: string | undefined }
  /** The links that its batches make, in their order. */
  cajas: readonly Caja[]
  /** Votes in ten minutes beyond which an origin may have a burst. */
  umbrales: PorClase<number>
}

/** What came of counting a stretch of the chain. */
export interface Trecho {
  papeletas: number
  lotes: number
  /** Its last batch; undefined: it has none. */
  ultimo: { numero: number; sello: string } | undefined
  /** Votes by what stands on the ballots. */
  sums: Map<string, number>
  /** Votes that are not as they were signed: how many, and the first of them. */
  cambiados: number
  primeros: number[]
  /** Spanish sentences in the chain's order: batches that are not as they were sealed, and where the chain breaks first. */
  fallas: { rompe: boolean; texto: string }[]
  cajas: {
    /** How many links were held against their ballots, the numbers of those that differ, and of those whose batches there are not. */
    vistas: number
    distintas: number[]
    faltan: number[]
    /** Ballots behind the last that was held against them. */
    sueltas: number
  }
  /** Every origin that has a burst is among these. */
  rafagas: PorClase<string[]>
}

/**
 * Compares every vote of a stretch with its own signature and with the chain, the chain with itself, and its links with
 * their ballots.
 */
export async function recountTrecho(
  lotes: AsyncIterable<{ lote: Lote; votos: Voto[] }>,
  { edicion, keyed, antes, cajas, umbrales }: Medida,
): Promise<Trecho> {
  const voteKey = keyed?.(VOTE_KEY)
  const trecho: Trecho = {
    ...{ papeletas: 0, lotes: 0, ultimo: undefined, sums: new Map(), cambiados: 0, primeros: [], fallas: [] },
    cajas: { vistas: 0, distintas: [], faltan: [], sueltas: 0 },
    rafagas: { red: [], bloque: [] },
  }
  const posibles = createPosibles(umbrales)
  const { sums, primeros, fallas } = trecho
  let { numero, sello }: Medida['antes'] = antes
  let open: Papeleta[] = []
  let isBroken = false
  for await (const { lote, votos } of lotes) {
    trecho.lotes++
    trecho.papeletas += votos.length
    const papeletas: Papeleta[] = []
    for (const voto of votos) {
      if (voteKey && !isSigned(voteKey, voto)) {
        trecho.cambiados++
        if (primeros.length < MAX_NAMED) primeros.push(voto.id)
      }
      posibles.see(voto)
      const candidata = voto.candidata ?? ''
      sums.set(candidata, (sums.get(candidata) ?? 0) + 1)
      papeletas.push({ recibo: hashRecibo(voto.recibo), candidata })
    }
    const isWhole =
      votos.length === lote.papeletas && sealOf(lote.numero, lote.anterior, sorted(papeletas)) === lote.sello
    if (!isWhole && fallas.length < MAX_NAMED)
      fallas.push({
        rompe: false,
        texto:
          votos.length === lote.papeletas
            ? `El lote ${lote.numero} no coincide con su sello: cambió algún voto.`
            : `El lote ${lote.numero} se selló con ${cuantos(lote.papeletas, 'voto')} y ahora tiene ${votos.length}.`,
      })
    takeBallots(lote.numero, papeletas)
    const isLinked = lote.numero === numero + 1 && lote.anterior === sello
    const isOurs = !keyed || isSealed({ keyed }, `${edicion} ${lote.numero} ${lote.sello}`, lote.firma)
    if (!isBroken && !(isLinked && isOurs)) {
      isBroken = true
      fallas.push({ rompe: true, texto: `La cadena se rompe en el lote ${lote.numero}.` })
    }
    numero++
    sello = lote.sello
    trecho.ultimo = { numero: lote.numero, sello: lote.sello }
  }
  trecho.rafagas = posibles.named()
  trecho.cajas.faltan = cajas.slice(trecho.cajas.vistas).map((caja) => caja.numero)
  return trecho

  function takeBallots(lote: number, papeletas: Papeleta[]): void {
    const { cajas: seen } = trecho
    const caja = cajas[seen.vistas]
    seen.sueltas += papeletas.length
    if (!caja) return
    if (open.length === 0) open = papeletas
    else for (const papeleta of papeletas) open.push(papeleta)
    if (lote < caja.hasta_lote) return
    const isWhole = open.length === caja.papeletas && sealOf(caja.numero, caja.anterior, sorted(open)) === caja.sello
    if (!isWhole) seen.distintas.push(caja.numero)
    seen.vistas++
    seen.sueltas = 0
    open = []
  }
}

/** One stretch behind another. */
export function joined(one: Trecho, next: Trecho): Trecho {
  const sums = new Map(one.sums)
  for (const [candidata, votos] of next.sums) sums.set(candidata, (sums.get(candidata) ?? 0) + votos)
  const fallas = [...one.fallas]
  for (const falla of next.fallas)
    if (falla.rompe ? !fallas.some(({ rompe }) => rompe) : fallas.length < MAX_NAMED) fallas.push(falla)
  return {
    papeletas: one.papeletas + next.papeletas,
    lotes: one.lotes + next.lotes,
    ultimo: next.ultimo ?? one.ultimo,
    sums,
    cambiados: one.cambiados + next.cambiados,
    primeros: [...one.primeros, ...next.primeros].slice(0, MAX_NAMED),
    fallas,
    cajas: {
      vistas: one.cajas.vistas + next.cajas.vistas,
      distintas: [...one.cajas.distintas, ...next.cajas.distintas],
      faltan: [...one.cajas.faltan, ...next.cajas.faltan],
      sueltas: next.cajas.vistas > 0 ? next.cajas.sueltas : one.cajas.sueltas + next.cajas.sueltas,
    },
    rafagas: unidos(one.rafagas, next.rafagas),
  }
}
