// Installs Debian's packages for the checks that need other programs than Node.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, root } from './prepare.mjs'

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

const ARCHITECTURE_TRIPLETS = /** @type {Record<string, string>} */ ({
  x64: 'x86_64-linux-gnu',
  arm64: 'aarch64-linux-gnu',
})

/**
 * Unpacks packages under .cache, with the dependencies that this machine lacks as apt resolves them. This needs neither root nor an
 * installation. Packages that were unpacked before are used again.
 * @param {string} name of the folder
 * @param {readonly string[]} packages
 * @param {string} program path below the folder; it exists once the packages are unpacked
 * @returns {Promise<{ folder: string, libraries: string[], env: NodeJS.ProcessEnv }>}
 */
export async function unpackPackages(name, packages, program) {
  const triplet = ARCHITECTURE_TRIPLETS[process.arch]
  if (!triplet || spawnSync('apt-get', ['--version']).status !== 0)
    fail('Esta prueba usa los paquetes de Debian: ejecútala en Debian 12.')
  const folder = join(root, '.cache', name)
  const isUnpacked = () => existsSync(join(folder, program))
  if (!isUnpacked()) {
    const tempFolder = await unpack(name, `${folder}.${process.pid}`, packages)
    // Another check may have unpacked the same packages in the meantime, and be running their programs.
    await rm(isUnpacked() ? tempFolder : folder, { recursive: true, force: true })
    if (!isUnpacked()) await rename(tempFolder, folder)
  }
  const libraries = ['usr/lib', 'lib'].map((path) => join(folder, path, triplet))
  return { folder, libraries, env: { ...process.env, LD_LIBRARY_PATH: libraries.join(':') } }
}

/**
 * @param {string} name
 * @param {string} tempFolder the folder that is made, and returned
 * @param {readonly string[]} packages
 */
async function unpack(name, tempFolder, packages) {
  console.log(`Descargando ${name} de los paquetes de Debian…`)
  const simulation = spawnSync('apt-get', ['install', '--simulate', '--no-install-recommends', '-y', ...packages], {
    encoding: 'utf8',
  })
  const names = [...simulation.stdout.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name)
  const debNames = [...new Set([...names, ...packages])]
  await rm(tempFolder, { recursive: true, force: true })
  await mkdir(join(tempFolder, 'debs'), { recursive: true })
  const download = spawnSync('apt-get', ['download', ...debNames], { cwd: join(tempFolder, 'debs'), encoding: 'utf8' })
  if (simulation.status !== 0 || download.status !== 0)
    fail(
      `apt-get no pudo descargar ${name}. Ejecuta apt-get update y repite la orden. ${simulation.stderr}${download.stderr}`,
    )
  for (const deb of await readdir(join(tempFolder, 'debs')))
    if (spawnSync('dpkg-deb', ['-x', join(tempFolder, 'debs', deb), tempFolder]).status !== 0)
      fail(`No se pudo abrir ${deb}`)
  await rm(join(tempFolder, 'debs'), { recursive: true })
  return tempFolder
}
