import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { SandboxResult } from '#app/core/process/sandbox.server.ts'
import { paintAs } from '#app/entries/documents/render.server.ts'

/**
 * Stands in for app/entries/documents/render-sandbox.server.ts in tests that are not about the sandbox: renders a
 * document in this process, since a process for each document takes longer than the rest of a test.
 * `vi.mock('#app/entries/documents/render-sandbox.server.ts', () => import('../../../tests/painted-here.ts'))`
 */
export async function renderInSandbox(
  body: Readable,
  [contentType = '', ...how]: readonly string[],
): Promise<SandboxResult> {
  const painted = await paintAs(await buffer(body), contentType, how)
  const isRefused = typeof painted === 'string'
  return {
    painted: isRefused || !painted ? Buffer.alloc(0) : painted,
    outcome: isRefused ? 'rechazado' : 'hecho',
    isLate: false,
    said: isRefused ? painted : '',
    broken: undefined,
  }
}
