import type { Services } from '#app/core/http/services.server.ts'
import { createVivo, type Vivo } from './live-results.server.ts'
import { createSellos, type SellosPublicos } from './published-seals.server.ts'
import { type Actas, createActas } from './record-file.server.ts'

/** The count in one process, with what it keeps between requests. */
export interface Escrutinio {
  actas: Actas
  sellos: SellosPublicos
  vivo: Vivo
}

/** Made once in a process, at its start. */
export const createEscrutinio = (services: Services): Escrutinio => ({
  actas: createActas(services),
  sellos: createSellos(services),
  vivo: createVivo(services),
})
