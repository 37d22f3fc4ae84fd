import type { Services } from '#app/platform/services.server.ts'
import { type Actas, createActas } from './acta.server.ts'
import { createSellos, type SellosPublicos } from './sellos.server.ts'
import { createVivo, type Vivo } from './vivo.server.ts'

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
