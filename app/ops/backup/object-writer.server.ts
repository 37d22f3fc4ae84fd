import { createHash } from 'node:crypto'
import type { ObjetoPorCopiar } from '#app/core/storage/backed-up-object.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { OBJETOS } from './prune.server.ts'
import { type Almacen, SumaAjena } from './store.server.ts'

/** In so many nights every object that is there is read whole once. */
const NOCHES_DE_REPASO = 28
const DAY_MS = 86_400_000

/** Two objects of the same bytes are kept once; those of an encrypted copy have a name that tells nothing. */
export const nameOf = ({ cifra }: Almacen, sha256: string) => {
  const name = cifra ? `${cifra.nameOf(sha256)}.age` : sha256
  return `${name.slice(0, 2)}/${name}`
}

/** Puts objects where they are kept, each once, and sees to it that those that were there are good. */
export async function openGuarda(origen: ObjectStorage, almacen: Almacen, repasar: boolean) {
  const there = new Set<string>()
  for await (const path of almacen.storage.list(OBJETOS, '')) there.add(path)
  const cuentas = { nuevos: 0, repuestos: 0, escritos: 0 }
  const sure = new Map<string, number>()
  const busy = new Map<string, Promise<unknown>>()
  const night = Math.floor(Date.now() / DAY_MS)
  const isTurn = (nombre: string) =>
    repasar || Number.parseInt(nombre.slice(3, 9), 16) % NOCHES_DE_REPASO === night % NOCHES_DE_REPASO

  /** @returns stored bytes; 0: what the site has is not what was received */
  async function keep(nombre: string, { bucket, path }: ObjetoPorCopiar, { size, sha256 }: Recibido): Promise<number> {
    const known = sure.get(nombre)
    if (known !== undefined) return known
    if (there.has(nombre)) {
      const stored = (await almacen.storage.head(OBJETOS, nombre))?.size
      const isSize = stored === almacen.bytesDe(size)
      if (isSize && !isTurn(nombre)) return stored
      const isGood = (await sumOf(almacen, nombre)) === sha256
      if (isGood && isSize) sure.set(nombre, stored)
      if (isGood) return isSize ? stored : 0
    }
    const body = await origen.get(bucket, path)
    const sustituye = there.has(nombre)
    const kept = body && (await almacen.guarda(OBJETOS, nombre, body, { sha256, sustituye }).catch(unlessForeign))
    if (!kept) return 0
    sure.set(nombre, kept.bytes)
    cuentas[sustituye ? 'repuestos' : 'nuevos']++
    cuentas.escritos += kept.bytes
    return kept.bytes
  }

  return {
    cuentas,
    /** One after the other for the same bytes. */
    async take(nombre: string, objeto: ObjetoPorCopiar, recibido: Recibido): Promise<number> {
      const turn = Promise.resolve(busy.get(nombre)).then(() => keep(nombre, objeto, recibido))
      busy.set(
        nombre,
        turn.catch(() => {}),
      )
      return turn
    },
  }
}

/** What an object was when it was received, bytes and sum. */
interface Recibido {
  size: number
  sha256: string
}

function unlessForeign(error: unknown): undefined {
  if (!(error instanceof SumaAjena)) throw error
}

async function sumOf(almacen: Almacen, nombre: string): Promise<string | undefined> {
  try {
    const hash = createHash('sha256')
    for await (const chunk of await almacen.abre(OBJETOS, nombre)) hash.update(chunk)
    return hash.digest('hex')
  } catch {
    // What cannot be read is not good either: sending it again says whether the place is there at all.
    return undefined
  }
}
