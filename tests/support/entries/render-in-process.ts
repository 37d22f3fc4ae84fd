import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { SandboxResult } from '#app/core/process/sandbox.server.ts'
import { renderDocument } from '#app/entries/document-viewing/render.server.ts'

/**
 * Replaces app/entries/document-viewing/render-sandbox.server.ts in tests of other things than the sandbox: it renders a document in
 * the test's own process, which is faster.
 * `vi.mock('#app/entries/document-viewing/render-sandbox.server.ts', () => import('../../../tests/support/entries/render-in-process.ts'))`
 */
export async function renderInSandbox(
  body: Readable,
  [contentType = '', ...options]: readonly string[],
): Promise<SandboxResult> {
  const renderResult = await renderDocument(await buffer(body), contentType, options)
  const isRefused = typeof renderResult === 'string'
  return {
    output: isRefused || !renderResult ? Buffer.alloc(0) : renderResult,
    outcome: isRefused ? 'refused' : 'done',
    isLate: false,
    errorText: isRefused ? renderResult : '',
    inputError: undefined,
  }
}
