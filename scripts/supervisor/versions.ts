import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { filesUnder } from '../build-steps/build-stamp.ts'
import { isPackage } from '../build-steps/package.ts'

/** A `Version` is one version of the site, built, in a folder. */
export interface Version {
  /** A hash of the version's sources: the same sources have the same id in any folder. */
  id: string
  carpeta: string
  version: string
}

/** The supervisor's ledger names the versions that ran on a data folder. */
export interface VersionLedger {
  sirve?: Version
  /** The version before, which `actualizar -- --volver` returns to. */
  antes?: Version
  /**
   * `desvios` maps a version id to the version `a` to start instead. `rechazada`: also where a checkout, not a package, is
   * started.
   */
  desvios: Record<string, { a: Version; rechazada: boolean }>
}

/** Returns the folder of the snapshots, one subfolder each, and of the ledger. */
export const versionsFolderOf = (dataDir: string) => join(dataDir, 'construcciones')
const ledgerPathOf = (dataDir: string) => join(versionsFolderOf(dataDir), 'libro.json')

export async function readLedger(dataDir: string): Promise<VersionLedger> {
  const text = await readFile(ledgerPathOf(dataDir), 'utf8').catch(() => '{}')
  const said = JSON.parse(text) as Partial<VersionLedger>
  return { ...said, desvios: said.desvios ?? {} }
}

/** Writes the ledger whole. Only the supervisor may call this, or a command while no supervisor runs. */
export async function writeLedger(dataDir: string, ledger: VersionLedger): Promise<void> {
  await mkdir(versionsFolderOf(dataDir), { recursive: true, mode: 0o700 })
  const draft = `${ledgerPathOf(dataDir)}.${randomUUID()}`
  await writeFile(draft, `${JSON.stringify(ledger, null, 2)}\n`)
  await rename(draft, ledgerPathOf(dataDir))
}

/**
 * Returns the ledger once `newOne` has replaced the serving version.
 * @param rejected whether the replaced version counts as rejected
 */
export function ledgerAfterChange(
  { sirve, desvios }: VersionLedger,
  newOne: Version,
  rejected: boolean,
): VersionLedger {
  const kept = Object.entries(desvios).filter(([id]) => id !== newOne.id)
  const override = kept.map(([id, one]) => [id, one.a.id === sirve?.id ? { ...one, a: newOne } : one])
  const left = sirve && sirve.id !== newOne.id ? { [sirve.id]: { a: newOne, rechazada: rejected } } : {}
  return {
    sirve: newOne,
    ...(sirve && { antes: sirve }),
    desvios: { ...Object.fromEntries(override), ...left },
  }
}

/** Returns the ledger in which a start of the rejected version `newOne` starts the serving version instead. */
export const ledgerAfterRejection = (ledger: VersionLedger, newOne: Version): VersionLedger =>
  ledger.sirve && ledger.sirve.id !== newOne.id
    ? { ...ledger, desvios: { ...ledger.desvios, [newOne.id]: { a: ledger.sirve, rechazada: true } } }
    : ledger

/** Finds the version that is started instead of a folder's own. @returns undefined for the folder's own */
export async function findVersionOverride(folder: string, dataDir: string): Promise<Version | undefined> {
  const { desvios } = await readLedger(dataDir)
  if (Object.keys(desvios).length === 0) return undefined
  const override = desvios[await versionIdOf(folder)]
  // A checkout starts as its sources are now, unless exactly these sources were rejected.
  if (!override || !(override.rechazada || isPackage(folder))) return undefined
  return existsSync(join(override.a.carpeta, 'scripts/sitio.ts')) ? override.a : undefined
}

/** The content of these files and folders makes up a version's id. */
const VERSION_INPUTS = [
  ...['app', 'server', 'scripts', 'public', 'content', 'db', 'package.json', 'package-lock.json'],
  ...['vite.config.ts', 'react-router.config.ts'],
]

/** Returns the first twelve hex digits of the sources' hash, which dates and places do not change. */
export async function versionIdOf(folder: string): Promise<string> {
  const hash = createHash('sha256')
  for (const path of VERSION_INPUTS)
    for (const file of await filesUnder(join(folder, path))) {
      const bytes = await readFile(file)
      hash.update(`${relative(folder, file)}\0${bytes.byteLength}\0`).update(bytes)
    }
  return hash.digest('hex').slice(0, 12)
}

export async function readVersion(folder: string): Promise<Version> {
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }
  return { id: await versionIdOf(folder), carpeta: folder, version }
}

export const nameOf = ({ version, id }: Version) => `${version} (${id})`

/** This marker file is written last into a snapshot: without it, the folder is incomplete. */
export const READY_MARKER = 'construccion-lista'

/** Removes the snapshots, except those of `kept`. */
export async function removeSnapshots(dataDir: string, kept: (Version | undefined)[]): Promise<void> {
  const baseFolder = versionsFolderOf(dataDir)
  const keptNames = new Set(
    kept.flatMap((one) => (one && dirname(one.carpeta) === baseFolder ? [basename(one.carpeta)] : [])),
  )
  for (const entry of await readdir(baseFolder, { withFileTypes: true }).catch(() => []))
    if (entry.isDirectory() && !keptNames.has(entry.name))
      await rm(join(baseFolder, entry.name), { recursive: true, force: true })
}
