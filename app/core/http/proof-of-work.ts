import type { Challenge } from 'altcha-lib/types'

/** A browser is given the proof of work in this form. */
export type WorkChallenge = Challenge

/** A form returns the proof of work as challenge and solution, both JSON text. */
export interface SubmittedWork {
  reto: string
  respuesta: string
}

/** Reads the proof of work in a form; undefined if the form has none. */
export function readWork(form: FormData | URLSearchParams): SubmittedWork | undefined {
  const [challenge, solution] = [form.get('reto'), form.get('respuesta')]
  return typeof challenge === 'string' && typeof solution === 'string'
    ? { reto: challenge, respuesta: solution }
    : undefined
}
