import { type Verificacion, verifyFile } from '#app/voting/record/verification.ts'
import { MENSAJES_DE_TESTIGO, readTestigo, type Testigo } from '#app/voting/record/witness.ts'

/** How long the count may hold the page before somebody else has a turn. */
const SLICE_MS = 12

export type Recontada =
  | { ok: true; verificacion: Verificacion }
  /** Spanish: what is wrong with a file, and what to do. */
  | { ok: false; falla: string }

/**
 * Counts an act again on this device, in slices between which the page does its own work. Nothing is sent.
 * @param onProgress called with the ballots counted so far
 */
export async function contar(
  acta: Blob,
  kept: readonly File[],
  publicKeys: readonly string[],
  onProgress: (papeletas: number) => void,
): Promise<Recontada> {
  const testigos: Testigo[] = []
  for (const file of kept) {
    const read = await readTestigo(file.name, new Uint8Array(await file.arrayBuffer()))
    if (!read.ok) return { ok: false, falla: `${file.name} ${MENSAJES_DE_TESTIGO[read.reason]}` }
    testigos.push(read.testigo)
  }
  let sinceMs = performance.now()
  try {
    const verificacion = await verifyFile(() => piecesOf(acta), {
      ...{ testigos, publicKeys },
      async onCaja(papeletas) {
        if (performance.now() - sinceMs < SLICE_MS) return
        onProgress(papeletas)
        await new Promise((done) => setTimeout(done))
        sinceMs = performance.now()
      },
    })
    return { ok: true, verificacion }
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError)) throw error
    return {
      ok: false,
      falla: 'Ese archivo no es un acta de este sitio, o está incompleto. Descárgalo otra vez, tal como se publica.',
    }
  }
}

/** A file's bytes. Not every browser can go through a stream by itself. */
async function* piecesOf(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}
