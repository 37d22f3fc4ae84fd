import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { writeFileAtomically } from '#app/core/process/durable-files.server.ts'
import { isPackage } from '#app/core/process/own-commands.server.ts'
import { listFilesUnder } from '../build-steps/build-stamp.ts'

/** A version of the site in a folder. */
export interface Version {
  /** Hash of the version's sources; the same sources have the same id in any folder. */
  id: string
  carpeta: string
  version: string
}

/** The supervisor's record of the versions that ran on a data folder. */
export interface VersionLedger {
  sirve?: Version
  /** The version before, which `actualizar -- --volver` returns to. */
  antes?: Version
  /** Overrides by version id. Version `a` is started instead; for a checkout only if the version was rejected (`rechazada`). */
  desvios: Record<string, { a: Version; rechazada: boolean }>
}

/** Returns the folder of the snapshots and of the ledger. */
export const versionsFolderOf = (dataDir: string) => join(dataDir, 'construcciones')
const ledgerPathOf = (dataDir: string) => join(versionsFolderOf(dataDir), 'libro.json')

function parseLedger(text: string): Partial<VersionLedger> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads the ledger. A damaged one, such as an empty file after a power cut, does not keep the site from starting. */
export async function readLedger(dataDir: string): Promise<VersionLedger> {
  const text = await readFile(ledgerPathOf(dataDir), 'utf8').catch(() => '{}')
  const ledger = parseLedger(text)
  if (!ledger)
    console.warn(
      `${ledgerPathOf(dataDir)} está dañado y no se usa: hasta la próxima actualización no hay versión anterior.`,
    )
  return { ...ledger, desvios: ledger?.desvios ?? {} }
}

/** Replaces the ledger atomically. Only the supervisor may call this function, or a command while no supervisor runs. */
export async function writeLedger(dataDir: string, ledger: VersionLedger): Promise<void> {
  await mkdir(versionsFolderOf(dataDir), { recursive: true, mode: 0o700 })
  await writeFileAtomically(ledgerPathOf(dataDir), `${JSON.stringify(ledger, null, 2)}\n`)
}

/**
 * Returns the ledger for the time after `newVersion` has replaced the serving version.
 * @param isRejected whether the replaced version is rejected, so that even a checkout of it starts `newVersion`
 */
export function ledgerAfterChange(
  { sirve, desvios }: VersionLedger,
  newVersion: Version,
  isRejected: boolean,
): VersionLedger {
  const keptOverrides = Object.entries(desvios)
    .filter(([id]) => id !== newVersion.id)
    .map(([id, override]) => [id, override.a.id === sirve?.id ? { ...override, a: newVersion } : override])
  const replacedOverride =
    sirve && sirve.id !== newVersion.id ? { [sirve.id]: { a: newVersion, rechazada: isRejected } } : {}
  return {
    sirve: newVersion,
    ...(sirve && { antes: sirve }),
    desvios: { ...Object.fromEntries(keptOverrides), ...replacedOverride },
  }
}

/** Returns the ledger after `newVersion` was rejected: a start of it starts the serving version instead, if that is another. */
export const ledgerAfterRejection = (ledger: VersionLedger, newVersion: Version): VersionLedger =>
  ledger.sirve && ledger.sirve.id !== newVersion.id
    ? { ...ledger, desvios: { ...ledger.desvios, [newVersion.id]: { a: ledger.sirve, rechazada: true } } }
    : ledger

/** Finds the version that is started instead of a folder's own; undefined if there is none, or its folder is gone. */
export async function findVersionOverride(folder: string, dataDir: string): Promise<Version | undefined> {
  const { desvios } = await readLedger(dataDir)
  if (Object.keys(desvios).length === 0) return undefined
  const override = desvios[await versionIdOf(folder)]
  // A checkout starts with its present sources, unless exactly these sources were rejected.
  if (!override || !(override.rechazada || isPackage(folder))) return undefined
  return existsSync(join(override.a.carpeta, 'scripts/sitio.ts')) ? override.a : undefined
}

/** Files and folders whose content makes up a version's id. */
const VERSION_INPUTS = [
  ...['app', 'server', 'scripts', 'public', 'content', 'db', 'package.json', 'package-lock.json'],
  ...['vite.config.ts', 'react-router.config.ts'],
]

/** Returns the first twelve hex digits of the sources' hash, which does not depend on dates and folders. */
export async function versionIdOf(folder: string): Promise<string> {
  const hash = createHash('sha256')
  for (const path of VERSION_INPUTS)
    for (const file of await listFilesUnder(join(folder, path))) {
      const bytes = await readFile(file)
      hash.update(`${relative(folder, file)}\0${bytes.byteLength}\0`).update(bytes)
    }
  return hash.digest('hex').slice(0, 12)
}

export async function readVersion(folder: string): Promise<Version> {
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }
  return { id: await versionIdOf(folder), carpeta: folder, version }
}

export const versionNameOf = ({ version, id }: Version) => `${version} (${id})`

/** A marker file that is written last into a snapshot; a folder without it is incomplete. */
export const READY_MARKER = 'construccion-lista'

/** Removes all snapshots except the given versions' snapshots. */
export async function removeOtherSnapshots(dataDir: string, versionsToKeep: (Version | undefined)[]): Promise<void> {
  const baseFolder = versionsFolderOf(dataDir)
  const keptNames = new Set(
    versionsToKeep.flatMap((version) =>
      version && dirname(version.carpeta) === baseFolder ? [basename(version.carpeta)] : [],
    ),
  )
  for (const entry of await readdir(baseFolder, { withFileTypes: true }).catch(() => []))
    if (entry.isDirectory() && !keptNames.has(entry.name))
      await rm(join(baseFolder, entry.name), { recursive: true, force: true })
}
