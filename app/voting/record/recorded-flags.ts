import { grownThreshold } from '#app/voting/election/origin-rules.ts'
import type { Cover } from './schema.ts'

/** The published rule for each kind of flag. Flags on disposable addresses, and `antes-*` of an earlier version, follow none. */
const RULE_BY_KIND = {
  dominio: 'dominio',
  servicio: 'servicio',
  receptor: 'receptor',
  alojamiento: 'alojamientoPorRed',
  'rafaga-red': 'rafagaPorRed',
  'rafaga-bloque': 'rafagaPorBloque',
} as const

/** Checks a record's flags and annulments against the published rules. @returns faults as Spanish sentences */
export function checkRecordedFlags({ acta, apertura }: Cover): string[] {
  const faults: string[] = []
  const { reglas, marcas = [] } = acta
  const annulledVotes = marcas.map(() => 0)
  for (const [index, { marca, votos }] of acta.anulaciones.entries()) {
    if (marca === undefined) {
      if (apertura.reglas) faults.push(`La anulación ${index + 1} no es de ninguna marca.`)
    } else if (annulledVotes[marca] === undefined)
      faults.push(`La anulación ${index + 1} nombra una marca que el acta no tiene.`)
    else annulledVotes[marca] += votos
  }
  const seenFlags = new Set<string>()
  for (const [index, { clase, origen, tramo, umbral, votos, anulados }] of marcas.entries()) {
    const rule = Object.hasOwn(RULE_BY_KIND, clase)
      ? reglas?.[RULE_BY_KIND[clase as keyof typeof RULE_BY_KIND]]
      : undefined
    const maxThreshold =
      clase === 'dominio' || clase === 'servicio' ? grownThreshold(rule ?? 0, reglas!, acta.papeletas) : rule
    const followsRule =
      rule === undefined ? umbral === 0 : umbral >= rule && umbral <= (maxThreshold ?? rule) && votos > umbral
    if (!followsRule) faults.push(`La marca ${index + 1} no sigue las reglas publicadas.`)
    if (anulados > votos || annulledVotes[index]! > anulados)
      faults.push(`La marca ${index + 1} tiene otros votos anulados que sus anulaciones.`)
    const key = JSON.stringify([clase, origen, tramo])
    if (seenFlags.has(key)) faults.push(`La marca ${index + 1} está dos veces.`)
    seenFlags.add(key)
  }
  return faults
}
