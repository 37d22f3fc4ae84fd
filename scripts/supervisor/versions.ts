import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { filesUnder } from '../builder/build-stamp.ts'
import { isPackage } from '../builder/package.ts'

/** One version of the site, built, in a folder. */
export interface Version {
  /** Of all that it is made of: the same sources have the same one, wherever they lie. */
  id: string
  carpeta: string
  /** What package.json calls it. */
  version: string
}

/** What the keeper writes down of the versions over a data folder. */
export interface VersionLedger {
  sirve?: Version
  /** The one before, which `actualizar -- --volver` goes back to. */
  antes?: Version
  /** Instead of which versions another one is started, by their id. */
  desvios: Record<string, { a: Version; rechazada: boolean }>
}

/** Versions set aside, one folder each, and what is written down of them. */
export const versionsFolderOf = (dataDir: string) => join(dataDir, 'construcciones')
const ledgerPathOf = (dataDir: string) => join(versionsFolderOf(dataDir), 'libro.json')

export async function readLedger(dataDir: string): Promise<VersionLedger> {
  const text = await readFile(ledgerPathOf(dataDir), 'utf8').catch(() => '{}')
  const said = JSON.parse(text) as Partial<VersionLedger>
  return { ...said, desvios: said.desvios ?? {} }
}

/** Only the keeper writes, or a command while there is none. */
export async function writeLedger(dataDir: string, ledger: VersionLedger): Promise<void> {
  await mkdir(versionsFolderOf(dataDir), { recursive: true, mode: 0o700 })
  const draft = `${ledgerPathOf(dataDir)}.${randomUUID()}`
  await writeFile(draft, `${JSON.stringify(ledger, null, 2)}\n`)
  await rename(draft, ledgerPathOf(dataDir))
}

/** What is written down once `nueva` has taken the place of what served. @param rejected whether that is not to come back by itself */
export function ledgerAfterChange(
  { sirve, desvios }: VersionLedger,
  newOne: Version,
  rejected: boolean,
): VersionLedger {
  const kept = Object.entries(desvios).filter(([id]) => id !== newOne.id)
  const led = kept.map(([id, one]) => [id, one.a.id === sirve?.id ? { ...one, a: newOne } : one])
  const left = sirve && sirve.id !== newOne.id ? { [sirve.id]: { a: newOne, rechazada: rejected } } : {}
  return {
    sirve: newOne,
    ...(sirve && { antes: sirve }),
    desvios: { ...Object.fromEntries(led), ...left },
  }
}

/** The version that is started where that of a folder is asked for. @returns undefined: that one */
export async function findVersionOverride(folder: string, dataDir: string): Promise<Version | undefined> {
  const { desvios } = await readLedger(dataDir)
  if (Object.keys(desvios).length === 0) return undefined
  const led = desvios[await idDe(folder)]
  // A checkout says by its sources what it wants to be, unless just these were found wanting.
  if (!led || !(led.rechazada || isPackage(folder))) return undefined
  return existsSync(join(led.a.carpeta, 'scripts/sitio.ts')) ? led.a : undefined
}

/** What a version is made of. */
const MADE_OF = [
  ...['app', 'server', 'scripts', 'public', 'content', 'db', 'package.json', 'package-lock.json'],
  ...['vite.config.ts', 'react-router.config.ts'],
]

/** @returns twelve digits of the sum of all its sources, which dates and places do not change */
export async function idDe(folder: string): Promise<string> {
  const hash = createHash('sha256')
  for (const path of MADE_OF)
    for (const file of await filesUnder(join(folder, path))) {
      const bytes = await readFile(file)
      hash.update(`${relative(folder, file)}\0${bytes.byteLength}\0`).update(bytes)
    }
  return hash.digest('hex').slice(0, 12)
}

/** The version that lies in a folder. */
export async function readVersion(folder: string): Promise<Version> {
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }
  return { id: await idDe(folder), carpeta: folder, version }
}

/** How a person tells one version from another. */
export const nameOf = ({ version, id }: Version) => `${version} (${id})`

/** Written last into a folder of a version set aside: without it, the folder was left half made. */
export const READY_MARKER = 'construccion-lista'

/** Removes versions set aside, but for those that are named. */
export async function forget(dataDir: string, kept: (Version | undefined)[]): Promise<void> {
  const baseFolder = versionsFolderOf(dataDir)
  const stay = new Set(
    kept.flatMap((one) => (one && dirname(one.carpeta) === baseFolder ? [basename(one.carpeta)] : [])),
  )
  for (const entry of await readdir(baseFolder, { withFileTypes: true }).catch(() => []))
    if (entry.isDirectory() && !stay.has(entry.name))
      await rm(join(baseFolder, entry.name), { recursive: true, force: true })
}
