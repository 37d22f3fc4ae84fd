import { basename, isAbsolute, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isPackage } from '#app/core/process/own-commands.server.ts'
import { root } from '../prepare.mjs'

/** Resolves a path from the folder in which the command was called, which npm gives in INIT_CWD; URLs stay as they are. */
export const resolveFromCaller = (path: string): string =>
  isAbsolute(path) || /^\w+:/.test(path) ? path : resolve(process.env.INIT_CWD ?? process.cwd(), path)

/**
 * Loads a command's module.
 * @param rendersMail whether the command's modules contain the JSX of mail, which needs Vite, and so more memory
 */
export async function loadCommand(module: string, { rendersMail = true } = {}): Promise<void> {
  // Without npm, the command was called from the current folder.
  process.env.INIT_CWD ??= process.cwd()
  // The project's own files are read by paths relative to the project's root.
  process.chdir(root)
  // A package contains bundled commands, which do not need Vite.
  if (isPackage(root)) {
    await import(pathToFileURL(join(root, 'ordenes', `${basename(module, '.ts')}.js`)).href)
    return
  }
  if (!rendersMail) {
    await import(pathToFileURL(join(root, module)).href)
    return
  }
  const { runnerImport } = await import('vite')
  await runnerImport(join(root, module), { root, logLevel: 'error' })
}
