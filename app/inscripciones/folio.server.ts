import { randomInt } from 'node:crypto'
import { ALFABETO_FOLIO } from './rules.ts'

/** A new folio: 60 random bits, so that nobody can guess one. */
export function newFolio(): string {
  const letters = Array.from({ length: 12 }, () => ALFABETO_FOLIO[randomInt(ALFABETO_FOLIO.length)])
  return [0, 4, 8].map((at) => letters.slice(at, at + 4).join('')).join('-')
}
