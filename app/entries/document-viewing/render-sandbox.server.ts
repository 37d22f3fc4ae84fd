import type { Readable } from 'node:stream'
import { runInSandbox, type SandboxResult } from '#app/core/process/sandbox.server.ts'

const RENDER_PROCESS = 'app/entries/document-viewing/render.process.ts'

/** Runs render.process.ts over a document, in a separate process. @throws as `runInSandbox` */
export const renderInSandbox = (body: Readable, args: readonly string[]): Promise<SandboxResult> =>
  runInSandbox(RENDER_PROCESS, body, args)
