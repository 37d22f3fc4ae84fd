import type { Challenge } from 'altcha-lib/types'

/** Work that a browser is given, and hands in again with what it found. */
export type Reto = Challenge

/** Work as a form hands it in: both are JSON text. */
export interface Trabajo {
  reto: string
  respuesta: string
}

/** What a form says of work that was done; undefined: nothing. */
export function readTrabajo(form: FormData | URLSearchParams): Trabajo | undefined {
  const [reto, respuesta] = [form.get('reto'), form.get('respuesta')]
  return typeof reto === 'string' && typeof respuesta === 'string' ? { reto, respuesta } : undefined
}
