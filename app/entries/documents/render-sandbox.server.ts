import type { Readable } from 'node:stream'
import { runInSandbox, type SandboxResult } from '#app/core/process/sandbox.server.ts'

const RENDER_PROCESS = 'app/entries/documents/render.process.ts'

/** Runs render.process.ts over a document. @throws what the system says where it can start no process */
export const renderInSandbox = (body: Readable, args: readonly string[]): Promise<SandboxResult> =>
  runInSandbox(RENDER_PROCESS, body, args)
