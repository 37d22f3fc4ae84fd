// Installs Debian's packages for the checks that need other programs than Node.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, root } from './prepare.mjs'

/** Returns whether this process may install packages. */
export const canInstallPackages = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

/** @param {string} name */
export function installPackage(name) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  // The lock timeout lets two checks install at the same time.
  const options = '-y -qq --no-install-recommends -o DPkg::Lock::Timeout=300'.split(' ')
  for (const args of [
    ['update', '-qq'],
    ['install', ...options, name],
  ])
    spawnSync('apt-get', args, { stdio: 'inherit', env })
}

const TRIPLETS = /** @type {Record<string, string>} */ ({ x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' })

/**
 * Unpacks packages under .cache, with the dependencies that this machine lacks as apt resolves them. This needs neither root nor an
 * installation. Packages that were unpacked before are used again.
 * @param {string} name of the folder
 * @param {readonly string[]} packages
 * @param {string} program path below the folder; it exists once the packages are unpacked
 * @returns {Promise<{ folder: string, libraries: string[], env: NodeJS.ProcessEnv }>}
 */
export async function unpackPackages(name, packages, program) {
  const triplet = TRIPLETS[process.arch]
  if (!triplet || spawnSync('apt-get', ['--version']).status !== 0)
    fail('Esta prueba usa los paquetes de Debian: ejecútala en Debian 12.')
  const folder = join(root, '.cache', name)
  const isUnpacked = () => existsSync(join(folder, program))
  if (!isUnpacked()) {
    const draft = await unpack(name, `${folder}.${process.pid}`, packages)
    // Another check may have unpacked the same packages in the meantime, and be running their programs.
    await rm(isUnpacked() ? draft : folder, { recursive: true, force: true })
    if (!isUnpacked()) await rename(draft, folder)
  }
  const libraries = ['usr/lib', 'lib'].map((one) => join(folder, one, triplet))
  return { folder, libraries, env: { ...process.env, LD_LIBRARY_PATH: libraries.join(':') } }
}

/**
 * @param {string} name
 * @param {string} draft the folder that is made, and returned
 * @param {readonly string[]} packages
 */
async function unpack(name, draft, packages) {
  console.log(`Descargando ${name} de los paquetes de Debian…`)
  const plan = spawnSync('apt-get', ['install', '--simulate', '--no-install-recommends', '-y', ...packages], {
    encoding: 'utf8',
  })
  const names = [...plan.stdout.matchAll(/^Inst (\S+)/gm)].map((found) => found[1] ?? '')
  const wanted = [...new Set([...names, ...packages])]
  await rm(draft, { recursive: true, force: true })
  await mkdir(join(draft, 'debs'), { recursive: true })
  const fetched = spawnSync('apt-get', ['download', ...wanted], { cwd: join(draft, 'debs'), encoding: 'utf8' })
  if (plan.status !== 0 || fetched.status !== 0)
    fail(`apt-get no pudo descargar ${name}. Ejecuta apt-get update y repite la orden. ${plan.stderr}${fetched.stderr}`)
  for (const deb of await readdir(join(draft, 'debs')))
    if (spawnSync('dpkg-deb', ['-x', join(draft, 'debs', deb), draft]).status !== 0) fail(`No se pudo abrir ${deb}`)
  await rm(join(draft, 'debs'), { recursive: true })
  return draft
}
