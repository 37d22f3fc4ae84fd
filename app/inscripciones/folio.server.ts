import { inGroups, makeCode } from '#app/platform/codigos.ts'
import { ALFABETO_FOLIO } from './rules.ts'

/** A new folio: 60 random bits, so that nobody can guess one. */
export const newFolio = (): string => inGroups(makeCode(12, ALFABETO_FOLIO), 4)
