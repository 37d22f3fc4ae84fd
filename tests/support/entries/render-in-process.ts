import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { SandboxResult } from '#app/core/process/sandbox.server.ts'
import { renderDocument } from '#app/entries/document-viewing/render.server.ts'

/**
 * Stands in for app/entries/document-viewing/render-sandbox.server.ts where it is not the point that a document is opened in a process of its
 * own, which takes longer than all else: what that process does is done in this one.
 * `vi.mock('#app/entries/document-viewing/render-sandbox.server.ts', () => import('../../../tests/support/entries/render-in-process.ts'))`
 */
export async function renderInSandbox(
  body: Readable,
  [contentType = '', ...how]: readonly string[],
): Promise<SandboxResult> {
  const painted = await renderDocument(await buffer(body), contentType, how)
  const isRefused = typeof painted === 'string'
  return {
    output: isRefused || !painted ? Buffer.alloc(0) : painted,
    outcome: isRefused ? 'refused' : 'done',
    isLate: false,
    errorText: isRefused ? painted : '',
    inputError: undefined,
  }
}
