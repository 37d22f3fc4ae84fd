import { buffer } from 'node:stream/consumers'
import * as v from 'valibot'
import { StartError } from '#app/core/process/start-error.server.ts'
import { readSmall } from '#app/core/storage/read-small-object.server.ts'
import { FallaDeCopia } from './fault.server.ts'
import { type Caratula, CaratulaSchema, type Manifiesto, ManifiestoSchema } from './schema.ts'
import type { Almacen } from './store.server.ts'

export const COPIAS = 'copias'
export const CARATULA = 'caratula.json'
const MAX_CARATULA_BYTES = 16_384
/** A list is text with many sums, which shrinks to a third; what grows by far more was made to fill a memory. */
const MAX_GROWTH = 40
const MAX_MANIFIESTO_BYTES = 128 * 1_048_576
/** Machines differ by so much without either being wrong. */
const APART_MS = 5 * 60_000

/** What there is in a place of copies. */
export interface CopiasQueHay {
  /** Those that can be restored here, newest first; none of a moment that is still to come. */
  copias: Caratula[]
  /** Of a moment that is still to come: the clock was wrong when they were made. */
  futuras: Caratula[]
  /** Not encrypted, though a key was given: whoever can write there could have made them. */
  sinCifrar: string[]
  /** Encrypted, and no key was given. */
  cifradas: Caratula[]
  /** Paths of front pages that are none. */
  raras: string[]
}

/** Reads the front pages of a place. What is none of ours is named and keeps nothing from going on. */
export async function listCopias(almacen: Almacen, ahora = new Date()): Promise<CopiasQueHay> {
  const hay: CopiasQueHay = { copias: [], futuras: [], sinCifrar: [], cifradas: [], raras: [] }
  for await (const path of almacen.storage.list(COPIAS, '')) {
    if (!path.endsWith(`/${CARATULA}`)) continue
    const caratula = await readCaratula(almacen, path)
    if (!caratula) hay.raras.push(path)
    else if (almacen.cifra && !caratula.cifrada) hay.sinCifrar.push(caratula.id)
    else if (!almacen.cifra && caratula.cifrada) hay.cifradas.push(caratula)
    else if (isFutura(caratula, ahora)) hay.futuras.push(caratula)
    else hay.copias.push(caratula)
  }
  const newestFirst = (a: Caratula, b: Caratula) => Date.parse(b.momento) - Date.parse(a.momento)
  hay.copias.sort(newestFirst)
  hay.cifradas.sort(newestFirst)
  return hay
}

export const isFutura = ({ momento }: Pick<Caratula, 'momento'>, ahora: Date): boolean =>
  Date.parse(momento) > ahora.getTime() + APART_MS

/** @returns undefined where there is no front page, or what is there is none */
export async function readCaratula({ storage }: Pick<Almacen, 'storage'>, path: string): Promise<Caratula | undefined> {
  const page = await readSmall(storage, COPIAS, path, MAX_CARATULA_BYTES)
  if (!page) return undefined
  try {
    const read = v.safeParse(CaratulaSchema, JSON.parse(Buffer.from(page).toString()))
    return read.success && path === `${read.output.id}/${CARATULA}` ? read.output : undefined
  } catch {
    return undefined
  }
}

/** Thrown where a list is whole and belongs to another copy than the front page says: somebody put it there. */
export class CopiaTrocada extends FallaDeCopia {}

/**
 * A copy's list, of which the front page says the sum: both name the same copy and moment. What is encrypted can only have
 * been written by whoever has the key.
 * @throws FallaDeCopia when it is not as it was written; StartError when no key is given, or one is and it is not encrypted
 */
export async function readManifiesto(almacen: Almacen, caratula: Caratula): Promise<Manifiesto> {
  const { id, cifrada, momento } = caratula
  if (cifrada && !almacen.cifra)
    throw new StartError('Este respaldo está cifrado: pon en BACKUP_KEY la clave con que se hizo.')
  // Whoever can write there, but has no key, could put a copy of the own making in front of the real ones.
  if (!cifrada && almacen.cifra)
    throw new StartError(
      `El respaldo ${id} no está cifrado, y se dio BACKUP_KEY: pudo ponerlo ahí otra persona. Elige otro con --copia; si es tuyo, repite la orden sin BACKUP_KEY.`,
    )
  const manifiesto = await readList(almacen, caratula).catch((error: unknown) => {
    if (error instanceof FallaDeCopia) throw error
    throw new FallaDeCopia(
      `El respaldo ${id} está dañado: su lista no se puede leer.`,
      'La lista del respaldo está dañada.',
    )
  })
  if (manifiesto.id !== id || manifiesto.momento !== momento)
    throw new CopiaTrocada(
      `El respaldo ${id} lleva la lista de otro (${manifiesto.id}): alguien lo cambió. Elige otro con --copia.`,
      'La lista es de otro respaldo: alguien lo cambió.',
    )
  return manifiesto
}

async function readList(almacen: Almacen, { id, manifiesto: { sha256 } }: Caratula): Promise<Manifiesto> {
  const path = `${id}/manifiesto`
  const size = (await almacen.storage.head(COPIAS, path))?.size ?? 0
  const tope = Math.min(MAX_MANIFIESTO_BYTES, 1_048_576 + size * MAX_GROWTH)
  const text = await buffer(await almacen.abre(COPIAS, path, { comprime: true, sellado: sha256, tope }))
  return v.parse(ManifiestoSchema, JSON.parse(text.toString()))
}
