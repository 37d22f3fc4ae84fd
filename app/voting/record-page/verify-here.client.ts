import { type Verification, verifyFile } from '#app/voting/record/verification.ts'
import { readWitness, WITNESS_MESSAGES, type Witness } from '#app/voting/record/witness.ts'

/** Counting yields to the page after this time. */
const SLICE_MS = 12

export type VerificationOutcome =
  | { ok: true; verification: Verification }
  /** A Spanish message with the file's fault and the next step. */
  | { ok: false; fault: string }

/**
 * Verifies a record on this device, in slices, so that the page stays responsive. Nothing is sent.
 * @param onProgress called with the number of ballots counted so far
 */
export async function verifyHere(
  record: Blob,
  witnessFiles: readonly File[],
  publicKeys: readonly string[],
  onProgress: (ballots: number) => void,
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
      async onBlock(ballots) {
        if (performance.now() - sliceStartMs < SLICE_MS) return
        onProgress(ballots)
        await new Promise((done) => setTimeout(done))
        sliceStartMs = performance.now()
      },
    })
    return { ok: true, verification }
  } catch (error) {
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
