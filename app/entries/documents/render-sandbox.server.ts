import type { Readable } from 'node:stream'
import { type Aparte, runAparte } from '#app/core/process/sandbox.server.ts'

const PINTAR = 'app/entries/documents/render.process.ts'

/** Runs render.process.ts over a document. @throws what the system says where it can start no process */
export const pintarAparte = (body: Readable, args: readonly string[]): Promise<Aparte> => runAparte(PINTAR, body, args)
