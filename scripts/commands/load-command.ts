import { basename, isAbsolute, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isPackage } from '../builder/package.ts'
import { root } from '../prepare.mjs'

/** Where the command was called: what it is given as a relative path is meant from there. */
export const resolveFromCaller = (path: string): string =>
  isAbsolute(path) || /^\w+:/.test(path) ? path : resolve(process.env.INIT_CWD ?? process.cwd(), path)

/**
 * Loads a command's module.
 * @param conVista whether it lays out messages, as components, which Node alone does not read: what reads them takes
 * memory that the others spare
 */
export async function loadCommand(module: string, { conVista = true } = {}): Promise<void> {
  // Lines of npm itself and of its loader do not belong to what a machine reads.
  process.env.INIT_CWD ??= process.cwd()
  // The project's own files are found from here, wherever the command was called.
  process.chdir(root)
  // A package brings its commands ready to run, without what builds them.
  if (isPackage(root)) {
    await import(pathToFileURL(join(root, 'ordenes', `${basename(module, '.ts')}.js`)).href)
    return
  }
  if (!conVista) {
    await import(pathToFileURL(join(root, module)).href)
    return
  }
  const { runnerImport } = await import('vite')
  await runnerImport(join(root, module), { root, logLevel: 'error' })
}
