import type { Challenge } from 'altcha-lib/types'

/** Work that a browser is given, and hands in again with what it found. */
export type WorkChallenge = Challenge

/** Work as a form hands it in: both are JSON text. */
export interface Work {
  reto: string
  respuesta: string
}

/** What a form says of work that was done; undefined: nothing. */
export function readWork(form: FormData | URLSearchParams): Work | undefined {
  const [challenge, solution] = [form.get('reto'), form.get('respuesta')]
  return typeof challenge === 'string' && typeof solution === 'string'
    ? { reto: challenge, respuesta: solution }
    : undefined
}
