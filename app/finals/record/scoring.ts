import { MIN_PARA_DESCARTAR } from '#app/cms/schema/final-limits.ts'
import type { Reglas } from './record-entries.ts'
import { activas, type Final, type RondaLlevada } from './state.ts'

/** The counting: whole numbers only, so that nothing is ever rounded. Scores are tenths, points thousandths. */

const MINIMA = 10
const MAXIMA = 100

/** Whether a score, in tenths, may be given. */
export const isCalificacion = (decimas: number, { medios }: Pick<Reglas, 'medios'>): boolean =>
  decimas >= MINIMA && decimas <= MAXIMA && decimas % (medios ? 5 : 10) === 0

/** What a judge gives a candidate in a round, in thousandths. @param decimas one for each criterion, in their order */
export const puntosDe = (decimas: readonly number[], criterios: Reglas['rondas'][number]['criterios']): number =>
  criterios.reduce((sum, { peso }, at) => sum + (decimas[at] ?? 0) * peso, 0)

/** Points in words: 27350 → «27.350». */
export const enPuntos = (milesimas: number): string =>
  `${Math.floor(milesimas / 1_000)}.${String(milesimas % 1_000).padStart(3, '0')}`

/** What a judge's sheet gives a candidate, and whether it is dropped. */
export interface PuntosDeJuez {
  juez: number
  puntos: number
  fuera: boolean
}

const rulesOf = (final: Final, ronda: RondaLlevada) => final.reglas.rondas[ronda.numero - 1]!

/** Every sheet's points for a candidate in a round, by judge. */
export function puntosPorJuez(final: Final, ronda: RondaLlevada, candidata: string): PuntosDeJuez[] {
  const { criterios } = rulesOf(final, ronda)
  const given = [...ronda.hojas]
    .sort(([one], [other]) => one - other)
    .map(([juez, { calificaciones }]) => ({ juez, puntos: puntosDe(calificaciones[candidata] ?? [], criterios) }))
  if (!final.reglas.descarta || given.length < MIN_PARA_DESCARTAR) return given.map((one) => ({ ...one, fuera: false }))
  const sorted = given.map((_, at) => at).sort((a, b) => given[a]!.puntos - given[b]!.puntos || a - b)
  const gone = [sorted[0], sorted.at(-1)]
  return given.map((one, at) => ({ ...one, fuera: gone.includes(at) }))
}

/** What a round gives a candidate, in thousandths. */
export const puntosDeRonda = (final: Final, ronda: RondaLlevada, candidata: string): number =>
  puntosPorJuez(final, ronda, candidata).reduce((sum, { puntos, fuera }) => sum + (fuera ? 0 : puntos), 0)

/** What a candidate has after a round: from the last round on that began from zero. */
function totalDe(final: Final, ronda: RondaLlevada, candidata: string): number {
  const from = final.reglas.rondas.slice(0, ronda.numero).findLastIndex(({ desdeCero }) => desdeCero)
  return final.rondas
    .filter(({ numero }) => numero <= ronda.numero && numero > from)
    .reduce((sum, one) => sum + puntosDeRonda(final, one, candidata), 0)
}

/** By what two who have the same total were told apart. */
type PorQue = { que: 'regla'; ronda: string; criterio?: string; uno: number; otro: number } | { que: 'sorteo' }

/** Two neighbours with the same total. */
export interface Empate {
  antes: string
  despues: string
  total: number
  por: PorQue
}

interface Paso {
  ronda: string
  criterio?: string
  /** Points, or tenths of the criterion. */
  de(candidata: string): number
}

/** The steps of the written rule that can be looked at after a round. */
function pasosDe(final: Final, ronda: RondaLlevada): Paso[] {
  return final.reglas.desempate.flatMap(({ ronda: nombre, criterio }): Paso[] => {
    const at = final.reglas.rondas.findIndex((one) => one.nombre === nombre)
    const held = final.rondas.find(({ numero }) => numero === at + 1)
    if (!held || held.numero > ronda.numero) return []
    if (criterio === undefined) return [{ ronda: nombre, de: (candidata) => puntosDeRonda(final, held, candidata) }]
    const which = rulesOf(final, held).criterios.findIndex((one) => one.nombre === criterio)
    const sumOf = (candidata: string) =>
      [...held.hojas.values()].reduce((sum, { calificaciones }) => sum + (calificaciones[candidata]?.[which] ?? 0), 0)
    return which < 0 ? [] : [{ ronda: nombre, criterio, de: sumOf }]
  })
}

export interface Lugar {
  candidata: string
  total: number
}

/** Who stands where after a round, without those who were withdrawn, and how ties were settled. */
export function ordenDe(final: Final, ronda: RondaLlevada): { orden: Lugar[]; empates: Empate[] } {
  const pasos = pasosDe(final, ronda)
  const lot = (candidata: string) => final.sorteo.get(candidata) ?? ''
  const orden = activas(final, ronda)
    .map((candidata) => ({ candidata, total: totalDe(final, ronda, candidata) }))
    .sort((a, b) => {
      if (a.total !== b.total) return b.total - a.total
      for (const { de } of pasos) if (de(a.candidata) !== de(b.candidata)) return de(b.candidata) - de(a.candidata)
      return lot(a.candidata) < lot(b.candidata) ? -1 : 1
    })
  const empates = orden.slice(1).flatMap((otra, at): Empate[] => {
    const una = orden[at]!
    if (una.total !== otra.total) return []
    const paso = pasos.find(({ de }) => de(una.candidata) !== de(otra.candidata))
    const por: PorQue = paso
      ? {
          ...{ que: 'regla', ronda: paso.ronda, ...(paso.criterio !== undefined && { criterio: paso.criterio }) },
          ...{ uno: paso.de(una.candidata), otro: paso.de(otra.candidata) },
        }
      : { que: 'sorteo' }
    return [{ antes: una.candidata, despues: otra.candidata, total: una.total, por }]
  })
  return { orden, empates }
}

/** How many of a round go on: all where its rules say nothing. */
export const cuantasPasan = (final: Final, ronda: RondaLlevada): number =>
  rulesOf(final, ronda).pasan ?? Number.POSITIVE_INFINITY

/** Who is in the next round, in the order of their numbers. */
export function quienesEntran(final: Final): string[] {
  const ultima = final.rondas.at(-1)
  const all = final.apertura.candidatas.map(({ id }) => id)
  if (!ultima) return all.filter((id) => !final.retiradas.has(id))
  const first = ordenDe(final, ultima).orden.slice(0, cuantasPasan(final, ultima))
  return all.filter((id) => first.some(({ candidata }) => candidata === id))
}

/** The end: the last round's order, then those whom earlier rounds left, the latest first. */
export function ordenFinal(
  final: Final,
): { lugar: number; candidata: string; ronda: number; total: number; titulo?: string }[] {
  const placed = new Set<string>()
  return final.rondas.toReversed().flatMap((ronda) =>
    ordenDe(final, ronda).orden.flatMap(({ candidata, total }) => {
      if (placed.has(candidata)) return []
      placed.add(candidata)
      const titulo = final.reglas.lugares[placed.size - 1]
      return [{ lugar: placed.size, candidata, ronda: ronda.numero, total, ...(titulo !== undefined && { titulo }) }]
    }),
  )
}
