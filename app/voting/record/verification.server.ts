import { createReadStream } from 'node:fs'
import { type Verification, verifyFile } from './verification.ts'
import type { Witness } from './witness.ts'

/** Counts the act in a file on the disk again. @throws as `verifyFile` does, or when there is no such file */
export const verifyRecordFile = (
  file: string,
  witnesses: readonly Witness[] = [],
  publicKeys: readonly string[] = [],
): Promise<Verification> => verifyFile(() => createReadStream(file), { testigos: witnesses, publicKeys })
