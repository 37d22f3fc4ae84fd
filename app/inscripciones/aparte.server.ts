import type { Readable } from 'node:stream'
import { type Aparte, runAparte } from '#app/platform/aparte.server.ts'

const PINTAR = 'app/inscripciones/pintar.proceso.ts'

/** Runs pintar.proceso.ts over a document. @throws what the system says where it can start no process */
export const pintarAparte = (body: Readable, args: readonly string[]): Promise<Aparte> => runAparte(PINTAR, body, args)
