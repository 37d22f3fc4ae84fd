import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { filesUnder } from './construido.ts'
import { isPaquete } from './paquete.ts'

/** One version of the site, built, in a folder. */
export interface Construccion {
  /** Of all that it is made of: the same sources have the same one, wherever they lie. */
  id: string
  carpeta: string
  /** What package.json calls it. */
  version: string
}

/** What the keeper writes down of the versions over a data folder. */
export interface Libro {
  sirve?: Construccion
  /** The one before, which `actualizar -- --volver` goes back to. */
  antes?: Construccion
  /** Instead of which versions another one is started, by their id. */
  desvios: Record<string, { a: Construccion; rechazada: boolean }>
}

/** Versions set aside, one folder each, and what is written down of them. */
export const casaDe = (dataDir: string) => join(dataDir, 'construcciones')
const fichaDe = (dataDir: string) => join(casaDe(dataDir), 'libro.json')

export async function readLibro(dataDir: string): Promise<Libro> {
  const text = await readFile(fichaDe(dataDir), 'utf8').catch(() => '{}')
  const said = JSON.parse(text) as Partial<Libro>
  return { ...said, desvios: said.desvios ?? {} }
}

/** Only the keeper writes, or a command while there is none. */
export async function writeLibro(dataDir: string, libro: Libro): Promise<void> {
  await mkdir(casaDe(dataDir), { recursive: true, mode: 0o700 })
  const draft = `${fichaDe(dataDir)}.${randomUUID()}`
  await writeFile(draft, `${JSON.stringify(libro, null, 2)}\n`)
  await rename(draft, fichaDe(dataDir))
}

/** What is written down once `nueva` has taken the place of what served. @param rechazada whether that is not to come back by itself */
export function trasCambio({ sirve, desvios }: Libro, nueva: Construccion, rechazada: boolean): Libro {
  const kept = Object.entries(desvios).filter(([id]) => id !== nueva.id)
  const led = kept.map(([id, one]) => [id, one.a.id === sirve?.id ? { ...one, a: nueva } : one])
  const left = sirve && sirve.id !== nueva.id ? { [sirve.id]: { a: nueva, rechazada } } : {}
  return {
    sirve: nueva,
    ...(sirve && { antes: sirve }),
    desvios: { ...Object.fromEntries(led), ...left },
  }
}

/** The version that is started where that of a folder is asked for. @returns undefined: that one */
export async function desvioDe(carpeta: string, dataDir: string): Promise<Construccion | undefined> {
  const { desvios } = await readLibro(dataDir)
  if (Object.keys(desvios).length === 0) return undefined
  const led = desvios[await idDe(carpeta)]
  // A checkout says by its sources what it wants to be, unless just these were found wanting.
  if (!led || !(led.rechazada || isPaquete(carpeta))) return undefined
  return existsSync(join(led.a.carpeta, 'scripts/sitio.ts')) ? led.a : undefined
}

/** What a version is made of. */
const MADE_OF = [
  ...['app', 'server', 'scripts', 'public', 'content', 'db', 'package.json', 'package-lock.json'],
  ...['vite.config.ts', 'react-router.config.ts'],
]

/** @returns twelve digits of the sum of all its sources, which dates and places do not change */
export async function idDe(carpeta: string): Promise<string> {
  const hash = createHash('sha256')
  for (const path of MADE_OF)
    for (const file of await filesUnder(join(carpeta, path))) {
      const bytes = await readFile(file)
      hash.update(`${relative(carpeta, file)}\0${bytes.byteLength}\0`).update(bytes)
    }
  return hash.digest('hex').slice(0, 12)
}

/** The version that lies in a folder. */
export async function construccionDe(carpeta: string): Promise<Construccion> {
  const { version } = JSON.parse(await readFile(join(carpeta, 'package.json'), 'utf8')) as { version: string }
  return { id: await idDe(carpeta), carpeta, version }
}

/** How a person tells one version from another. */
export const nombreDe = ({ version, id }: Construccion) => `${version} (${id})`

/** Written last into a folder of a version set aside: without it, the folder was left half made. */
export const LISTA = 'construccion-lista'

/** Removes versions set aside, but for those that are named. */
export async function forget(dataDir: string, kept: (Construccion | undefined)[]): Promise<void> {
  const casa = casaDe(dataDir)
  const stay = new Set(kept.flatMap((one) => (one && dirname(one.carpeta) === casa ? [basename(one.carpeta)] : [])))
  for (const entry of await readdir(casa, { withFileTypes: true }).catch(() => []))
    if (entry.isDirectory() && !stay.has(entry.name)) await rm(join(casa, entry.name), { recursive: true, force: true })
}
