import { type Verification, verifyFile } from '#app/voting/record/verification.ts'
import { readWitness, WITNESS_MESSAGES, type Witness } from '#app/voting/record/witness.ts'

/** Verification pauses after this time, so that the page can respond. */
const SLICE_MS = 12

export type VerificationOutcome =
  | { ok: true; verification: Verification }
  /** `fault` says in Spanish what is wrong with the record or a witness file. */
  | { ok: false; fault: string }

/**
 * Verifies a record on this device, in short slices. Neither the record nor the witnesses leave the device.
 * @param onProgress called with the number of ballots counted so far
 */
export async function verifyHere(
  record: Blob,
  witnessFiles: readonly File[],
  publicKeys: readonly string[],
  onProgress: (ballotCount: number) => void,
): Promise<VerificationOutcome> {
  const witnesses: Witness[] = []
  for (const file of witnessFiles) {
    const reading = await readWitness(file.name, new Uint8Array(await file.arrayBuffer()))
    if (!reading.ok) return { ok: false, fault: `${file.name} ${WITNESS_MESSAGES[reading.reason]}` }
    witnesses.push(reading.witness)
  }
  let sliceStartMs = performance.now()
  try {
    const verification = await verifyFile(() => piecesOf(record), {
      witnesses,
      publicKeys,
      async onBlock(ballotCount) {
        if (performance.now() - sliceStartMs < SLICE_MS) return
        onProgress(ballotCount)
        await new Promise((resume) => setTimeout(resume))
        sliceStartMs = performance.now()
      },
    })
    return { ok: true, verification }
  } catch (error) {
    // `verifyFile` throws these errors for a file that is no record, or is too long.
    if (!(error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError)) throw error
    return {
      ok: false,
      fault: 'Ese archivo no es un acta de este sitio, o está incompleto. Descárgalo otra vez, tal como se publica.',
    }
  }
}

/** Yields the bytes of a file by a reader, since ReadableStream is not async iterable in every browser. */
async function* piecesOf(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}
