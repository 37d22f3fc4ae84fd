import type { TipoInscripcion } from './clases.ts'
import type { Forma } from './forma.ts'
import { FORMA_CANDIDATA } from './forma-candidata.ts'
import { FORMA_TRAJE } from './forma-traje.ts'

/** Both; a screen with one of them takes that one alone, so that it does not fetch the other. */
export const FORMAS: Readonly<Record<TipoInscripcion, Forma>> = { candidata: FORMA_CANDIDATA, traje: FORMA_TRAJE }
