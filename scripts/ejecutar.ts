import { isAbsolute, join, resolve } from 'node:path'
import { runnerImport } from 'vite'
import { root } from './prepare.mjs'

/** Where the command was called: what it is given as a relative path is meant from there. */
export const desdeAqui = (path: string): string =>
  isAbsolute(path) || /^\w+:/.test(path) ? path : resolve(process.env.INIT_CWD ?? process.cwd(), path)

/** Loads a command's module. Messages are laid out as components, which Node alone does not read. */
export async function ejecutar(module: string): Promise<void> {
  // Lines of npm itself and of its loader do not belong to what a machine reads.
  process.env.INIT_CWD ??= process.cwd()
  // The project's own files are found from here, wherever the command was called.
  process.chdir(root)
  await runnerImport(join(root, module), { root, logLevel: 'error' })
}
