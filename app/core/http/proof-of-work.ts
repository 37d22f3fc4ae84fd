import type { Challenge } from 'altcha-lib/types'

/** A proof-of-work challenge, as a browser gets it. */
export type WorkChallenge = Challenge

/** A proof of work as a form sends it: challenge and solution, both as JSON. */
export interface SubmittedWork {
  reto: string
  respuesta: string
}

/** Reads the proof of work from a form; undefined if the form has none. */
export function readWork(form: FormData | URLSearchParams): SubmittedWork | undefined {
  const [challenge, solution] = [form.get('reto'), form.get('respuesta')]
  return typeof challenge === 'string' && typeof solution === 'string'
    ? { reto: challenge, respuesta: solution }
    : undefined
}
