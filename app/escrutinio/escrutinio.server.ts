import type { Services } from '#app/platform/services.server.ts'
import { type Actas, createActas } from './acta.server.ts'
import { createVivo, type Vivo } from './vivo.server.ts'

/** The count, in one process: what it has at hand between one request and the next. */
export interface Escrutinio {
  actas: Actas
  vivo: Vivo
}

/** One a process, made at its start. */
export const createEscrutinio = (services: Services): Escrutinio => ({
  actas: createActas(services),
  vivo: createVivo(services),
})
