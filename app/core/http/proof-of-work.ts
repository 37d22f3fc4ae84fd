import type { Challenge } from 'altcha-lib/types'

/** A proof of work as given to a browser. */
export type WorkChallenge = Challenge

/** A proof of work as a form returns it: challenge and solution, both JSON text. */
export interface Work {
  reto: string
  respuesta: string
}

/** The proof of work in a form; undefined if there is none. */
export function readWork(form: FormData | URLSearchParams): Work | undefined {
  const [challenge, solution] = [form.get('reto'), form.get('respuesta')]
  return typeof challenge === 'string' && typeof solution === 'string'
    ? { reto: challenge, respuesta: solution }
    : undefined
}
