import { basename, isAbsolute, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../prepare.mjs'
import { isPackage } from '../run-folder.ts'

/** Resolves a path from the folder where the command was called, which npm keeps in INIT_CWD; URLs stay as they are. */
export const resolveFromCaller = (path: string): string =>
  isAbsolute(path) || /^\w+:/.test(path) ? path : resolve(process.env.INIT_CWD ?? process.cwd(), path)

/**
 * Loads a command's module.
 * @param conVista whether the command renders mails from JSX, which Node alone cannot read: Vite, which can, takes more memory
 */
export async function loadCommand(module: string, { conVista = true } = {}): Promise<void> {
  // Without npm, the command was called from the current folder.
  process.env.INIT_CWD ??= process.cwd()
  // The project's own files are read by paths from its root.
  process.chdir(root)
  // A package brings its commands bundled, without Vite.
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
