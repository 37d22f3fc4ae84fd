import { FORMA_CANDIDATA } from './candidate-form.ts'
import { FORMA_TRAJE } from './costume-form.ts'
import type { TipoInscripcion } from './document-kinds.ts'
import type { Forma } from './form.ts'

/** Both; a screen with one of them takes that one alone, so that it does not fetch the other. */
export const FORMAS: Readonly<Record<TipoInscripcion, Forma>> = { candidata: FORMA_CANDIDATA, traje: FORMA_TRAJE }
