// Finds Firefox and WebKitGTK for the checks. The machine's own programs come first, then Debian's packages, unpacked and mounted over /usr
// for their own processes only, which needs neither root nor an installation, then Debian's packages installed as root.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { canInstallPackages, installPackage, unpackPackages } from './debian.mjs'
import { fail, root } from './prepare.mjs'

/** Debian's packages of each engine, and a program that exists once they are unpacked. */
const ENGINES = /** @type {const} */ ({
  firefox: { packages: ['firefox-esr'], program: '/usr/bin/firefox-esr' },
  webkit: { packages: ['webkit2gtk-driver', 'xvfb'], program: '/usr/bin/Xvfb' },
})

/** @typedef {keyof typeof ENGINES} Engine */

const isRoot = process.getuid?.() === 0
const OVERLAY_SCRIPT = 'mount -t overlay overlay -o "lowerdir=$0/usr:/usr" /usr && exec "$@"'

/** @param {Engine} engine */
const folderOf = (engine) => join(root, '.cache', engine)

/**
 * Returns the command that starts a program of an engine on this machine.
 * @param {Engine} engine
 * @param {string} program its path where the package is installed
 * @param {readonly string[]} args
 * @returns {[command: string, args: string[]]}
 */
export function commandFor(engine, program, args) {
  if (existsSync(ENGINES[engine].program)) return [program, [...args]]
  if (!existsSync(folderOf(engine))) throw new Error(`Falta ${engine}: npm test lo prepara.`)
  return ['unshare', [...(isRoot ? [] : ['-Ur']), '-m', 'sh', '-c', OVERLAY_SCRIPT, folderOf(engine), program, ...args]]
}

/** @param {Engine} engine */
function isReady(engine) {
  if (!existsSync(ENGINES[engine].program) && !existsSync(folderOf(engine))) return false
  const [command, args] = commandFor(engine, '/usr/bin/test', ['-x', ENGINES[engine].program])
  return spawnSync(command, args).status === 0
}

/** Prepares both engines, or ends with a message about the missing one. */
export async function ensureEngines() {
  for (const engine of /** @type {const} */ (['firefox', 'webkit'])) {
    const { packages, program } = ENGINES[engine]
    if (isReady(engine)) continue
    await unpackPackages(engine, packages, program.slice(1))
    // A container may forbid mounts to root, but allow an installation.
    if (!isReady(engine) && canInstallPackages()) for (const name of packages) installPackage(name)
    if (!isReady(engine))
      fail(`No se pudo preparar ${engine} para las pruebas. Instálalo: apt-get install ${packages.join(' ')}`)
  }
}
