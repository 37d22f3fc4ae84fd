import { createReadStream } from 'node:fs'
import { type Verificacion, verifyFile } from './verification.ts'
import type { Testigo } from './witness.ts'

/** Counts the act in a file on the disk again. @throws as `verifyFile` does, or when there is no such file */
export const verifyActaFile = (
  file: string,
  testigos: readonly Testigo[] = [],
  publicKeys: readonly string[] = [],
): Promise<Verificacion> => verifyFile(() => createReadStream(file), { testigos, publicKeys })
