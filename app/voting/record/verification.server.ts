import { createReadStream } from 'node:fs'
import { type Verification, verifyFile } from './verification.ts'
import type { Witness } from './witness.ts'

/** Verifies a record's file on disk. @throws the errors of `verifyFile`; a system error if the file cannot be read */
export const verifyRecordFile = (
  file: string,
  witnesses: readonly Witness[] = [],
  publicKeys: readonly string[] = [],
): Promise<Verification> => verifyFile(() => createReadStream(file), { witnesses, publicKeys })
