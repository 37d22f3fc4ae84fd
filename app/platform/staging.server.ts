import { createHash, randomUUID } from 'node:crypto'
import { open, readdir, readFile, rm, rmdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { errorCode, hashFile, makeFile, makeFolder, writeWhole } from './durable-files.server.ts'
import { createPresupuesto, type Limites, PIECE_BYTES, type Presupuesto } from './presupuesto.server.ts'
import { asRechazo, Rechazo } from './rechazo.server.ts'
import type { Services } from './services.server.ts'
import { MENSAJES_DE_SUBIDA as MENSAJES } from './subida.ts'
import { createUnoALaVez } from './turnos.server.ts'
import { isUuid } from './uuid.ts'

/** After this long since an upload began, by the machine's clock or the site's, it goes, finished or not. */
export const STAGED_LIFE_MS = 24 * 3_600_000
/** After this long an upload of which not one byte came goes. */
const EMPTY_LIFE_MS = 15 * 60_000
/** A body that brings nothing for this long is cut; the upload goes on with a later request. */
const IDLE_MS = 60_000
/** What a file's card on the disk says of any file on its way in. */
interface Ficha<Tipo extends string> {
  id: string
  /** As the person's device called it, without control characters. */
  filename: string
  /** Bytes announced; null while a form without JavaScript is still sending it. */
  size: number | null
  /** Milliseconds since 1970, by the machine's clock. */
  createdAt: number
  /** The same by the site's clock, which may be set ahead of the machine's or behind it. */
  siteCreatedAt: number
  /** Set once the file is whole and its content accepted; from then on nobody writes to it. */
  sealed: { sha256: string; contentType: Tipo } | null
}

/** A file on its way in, as its card on the disk says. @typeParam Datos what its noun says of it besides; Tipo: what it may be */
export type SubidaDe<Datos extends object, Tipo extends string> = Ficha<Tipo> & Datos

export type SubidaRecibidaDe<Datos extends object, Tipo extends string> = SubidaDe<Datos, Tipo> & {
  /** Bytes on the disk. */
  offset: number
}

export type SubidaNuevaDe<Datos extends object> = Datos & {
  filename: string
  /** Bytes; null when the sender does not say (a form without JavaScript). */
  size: number | null
}

/** Key of a submission on the disk and in the database: its UUID opens its uploads, so only this is written down. */
export const keyOf = (entrega: string): string => createHash('sha256').update(entrega).digest('hex')

/**
 * Files received and not yet taken, under `<dataDir>/<folder>/<key>/`: `<id>.bin` and its card `<id>.json`.
 * A submission's uploads are found through its key only, so an id without the key opens nothing.
 */
export interface StagingDe<Datos extends object, Tipo extends string> {
  /** Tells this area from those of other processes, for as long as its folder is there. */
  area: string
  presupuesto: Presupuesto
  /** @throws Rechazo for a name, size or number of files that is refused */
  create(key: string, nueva: SubidaNuevaDe<Datos>, client: string, id?: string): Promise<SubidaDe<Datos, Tipo>>
  find(key: string, id: string): Promise<SubidaRecibidaDe<Datos, Tipo> | undefined>
  /** Every upload of a submission, oldest first. */
  list(key: string): Promise<SubidaRecibidaDe<Datos, Tipo>[]>
  /**
   * Writes a body at `offset`, which is the file's length. What arrived before a broken connection stays, durable.
   * @returns the new length
   * @throws Rechazo sinEspacio, or subidaDesfasada when the body stalls
   */
  append(key: string, id: string, body: Readable, offset: number): Promise<number>
  /** A file of unknown size has ended. */
  close(key: string, id: string): Promise<void>
  /**
   * Checks a whole file by its content, which takes a picture to be decoded, and closes it to writing; a refused one is
   * removed.
   * @throws Rechazo archivoTipo, archivoVacio or archivoIlegible; documentoInvalido while bytes are missing; saturado
   */
  seal(key: string, id: string): Promise<SubidaDe<Datos, Tipo>>
  fileOf(key: string, id: string): string
  remove(key: string, id: string): Promise<void>
  removeAll(key: string): Promise<void>
  /**
   * Removes what began more than STAGED_LIFE_MS ago, except for the submissions in `keep` and those of which bytes are
   * arriving just now.
   * @param ahead milliseconds: as if so much more time had gone by
   * @returns uploads removed
   */
  sweep(keep: ReadonlySet<string>, ahead?: number): Promise<number>
  /** Runs one piece of work at a time for a submission. */
  exclusively<T>(key: string, work: () => Promise<T>): Promise<T>
}

/** What a noun asks of the files that it takes. */
export interface ReglasDeStaging<Datos extends object, Tipo extends string> {
  /** Below the data folder. */
  folder: string
  limites: Limites
  /** Bytes of the largest file of all. */
  maxBytes: number
  /** Files of one submission, those that were chosen again included. */
  maxUploads: number
  idleMs?: number | undefined
  /** @returns the name to keep; @throws Rechazo for a name or a size that is refused */
  checkedFileName(nueva: SubidaNuevaDe<Datos>): string
  /** The type of a whole file by its content, or a Rechazo for what is refused for good. @throws Saturado */
  checkedContent(file: string, subida: SubidaDe<Datos, Tipo> & { size: number }): Promise<Tipo | Rechazo>
}

/** Opens a staging area, as the process before left it: once in a process. */
export async function openStagingArea<Datos extends object, Tipo extends string>(
  { settings, clock }: Pick<Services, 'settings' | 'clock'>,
  reglas: ReglasDeStaging<Datos, Tipo>,
): Promise<StagingDe<Datos, Tipo>> {
  const root = join(settings.dataDir, reglas.folder)
  const idleMs = reglas.idleMs ?? IDLE_MS
  await makeFolder(root)
  const area = await keptName(`${root}.id`)
  const presupuesto = createPresupuesto(root, settings.piso, reglas.limites)

  const folderOf = (key: string) => {
    if (!/^[0-9a-f]{64}$/.test(key)) throw new Error('Not a submission key')
    return join(root, key)
  }
  const fileOf = (key: string, id: string) => {
    if (!isUuid(id)) throw new Error('Not an upload id')
    return join(folderOf(key), `${id}.bin`)
  }
  const cardOf = (key: string, id: string) => fileOf(key, id).replace(/\.bin$/, '.json')
  const uploadKeyOf = (key: string, id: string) => `${key}/${id}`

  async function readCard(key: string, id: string): Promise<SubidaDe<Datos, Tipo> | undefined> {
    try {
      return JSON.parse(await readFile(cardOf(key, id), 'utf8')) as SubidaDe<Datos, Tipo>
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined
      throw error
    }
  }

  async function find(key: string, id: string): Promise<SubidaRecibidaDe<Datos, Tipo> | undefined> {
    const card = await readCard(key, id)
    if (card === undefined) return undefined
    const file = await stat(fileOf(key, id)).catch((error) => {
      if (errorCode(error) === 'ENOENT') return undefined
      throw error
    })
    return file && { ...card, offset: file.size }
  }

  async function idsOf(key: string): Promise<string[]> {
    const names = await readdir(folderOf(key)).catch((error) => {
      if (errorCode(error) === 'ENOENT') return []
      throw error
    })
    return names.filter((name) => name.endsWith('.bin')).map((name) => name.slice(0, -'.bin'.length))
  }

  async function list(key: string): Promise<SubidaRecibidaDe<Datos, Tipo>[]> {
    const found = await Promise.all((await idsOf(key)).map((id) => find(key, id)))
    return found.filter((upload) => upload !== undefined).sort((a, b) => a.createdAt - b.createdAt)
  }

  async function remove(key: string, id: string): Promise<void> {
    // The card first: without it the file is nobody's, and the sweep takes it.
    await rm(cardOf(key, id), { force: true })
    await rm(fileOf(key, id), { force: true })
    presupuesto.release(uploadKeyOf(key, id))
    await rmdir(folderOf(key)).catch(() => {})
  }

  const keys = async () => (await readdir(root)).filter((name) => /^[0-9a-f]{64}$/.test(name))

  async function sweepOne(key: string, ahead: number): Promise<number> {
    if (arriving.has(key)) return 0
    const over = ahead - STAGED_LIFE_MS
    let removed = 0
    for (const name of await readdir(folderOf(key)).catch(() => [])) {
      const id = name.replace(/\.(bin|json)$/, '')
      const card = isUuid(id) ? await readCard(key, id).catch(() => undefined) : undefined
      // Whatever has no readable card (a draft, half a removal) is dated by the disk.
      const born = card?.createdAt ?? (await stat(join(folderOf(key), name)).catch(() => undefined))?.mtimeMs
      if (born === undefined) continue
      // An announcement of which nothing came: whoever sends after all begins anew.
      const isEmpty = card && born <= Date.now() + ahead - EMPTY_LIFE_MS && (await find(key, id))?.offset === 0
      const isOver =
        isEmpty || born <= Date.now() + over || (card && card.siteCreatedAt <= clock.now().getTime() + over)
      if (!isOver) continue
      if (card) {
        await remove(key, id)
        removed++
      } else await unlink(join(folderOf(key), name)).catch(() => {})
    }
    await rmdir(folderOf(key)).catch(() => {})
    return removed
  }

  async function sealOne(key: string, id: string): Promise<SubidaDe<Datos, Tipo>> {
    const upload = await find(key, id)
    if (upload === undefined) throw new Rechazo('subidaAjena', MENSAJES.archivoPerdido)
    const { offset } = upload
    const card = cardIn(upload)
    if (card.sealed !== null) return card
    if (card.size === null || offset < card.size)
      throw new Rechazo('documentoInvalido', MENSAJES.archivoIncompleto(card.filename))
    const file = fileOf(key, id)
    const contentType = await reglas.checkedContent(file, { ...card, size: offset })
    if (contentType instanceof Rechazo) {
      await remove(key, id)
      throw contentType
    }
    const sealed = { ...card, sealed: { sha256: await hashFile(file), contentType } }
    await writeWhole(cardOf(key, id), JSON.stringify(sealed))
    return sealed
  }
  const sealing = createUnoALaVez()

  let latest = 0
  /** How many bodies are being written, by submission. */
  const arriving = new Map<string, number>()

  const staging: StagingDe<Datos, Tipo> = {
    area,
    presupuesto,
    find,
    list,
    fileOf,
    remove,

    async create(key, nueva, client, id = randomUUID()) {
      // No two alike, and in the order of asking: it says which side of the credential came first.
      latest = Math.max(Date.now(), latest + 1)
      const createdAt = latest
      const filename = reglas.checkedFileName(nueva)
      await presupuesto.countCreation(client)
      if ((await idsOf(key)).length >= reglas.maxUploads)
        throw new Rechazo('subidasDemasiadas', MENSAJES.subidasDemasiadas)
      const { size } = nueva
      const siteCreatedAt = clock.now().getTime()
      const subida = { ...nueva, id, filename, size, createdAt, siteCreatedAt, sealed: null }
      await presupuesto.reserve(uploadKeyOf(key, id), client, size ?? reglas.maxBytes)
      try {
        await makeFile(fileOf(key, id))
        await writeWhole(cardOf(key, id), JSON.stringify(subida))
      } catch (error) {
        await remove(key, id).catch(() => {})
        throw asRechazo(error) ?? error
      }
      return subida
    },

    async append(key, id, body, offset) {
      const handle = await open(fileOf(key, id), 'r+')
      const idle = setTimeout(() => {
        body.destroy(new Rechazo('subidaDesfasada', MENSAJES.subidaDesfasada))
      }, idleMs)
      let at = offset
      arriving.set(key, (arriving.get(key) ?? 0) + 1)
      let admitted = at
      try {
        for await (const chunk of body as AsyncIterable<Uint8Array>) {
          idle.refresh()
          if (at + chunk.byteLength > admitted) {
            await presupuesto.hold(uploadKeyOf(key, id))
            admitted = at + PIECE_BYTES
          }
          for (let written = 0; written < chunk.byteLength; ) {
            const { bytesWritten } = await handle.write(chunk, written, chunk.byteLength - written, at)
            written += bytesWritten
            at += bytesWritten
            presupuesto.received(uploadKeyOf(key, id), bytesWritten)
          }
        }
        await handle.datasync()
        return at
      } catch (error) {
        await handle.datasync().catch(() => {})
        throw asRechazo(error) ?? error
      } finally {
        clearTimeout(idle)
        const others = arriving.get(key)! - 1
        if (others > 0) arriving.set(key, others)
        else arriving.delete(key)
        await handle.close()
      }
    },

    async close(key, id) {
      const upload = await find(key, id)
      if (upload === undefined) return
      const { offset } = upload
      await writeWhole(cardOf(key, id), JSON.stringify({ ...cardIn(upload), size: offset }))
      presupuesto.settle(uploadKeyOf(key, id), offset)
    },

    // One at a time: nobody looks at a file that another is just refusing.
    seal: (key, id) => sealing(uploadKeyOf(key, id), () => sealOne(key, id)),

    async removeAll(key) {
      for (const id of await idsOf(key)) await remove(key, id)
      await rm(folderOf(key), { recursive: true, force: true })
    },

    async sweep(keep, ahead = 0) {
      let removed = 0
      for (const key of await keys()) {
        if (keep.has(key)) continue
        // Not under the hands of a registration that is just being stored.
        removed += await staging.exclusively(key, () => sweepOne(key, ahead))
      }
      return removed
    },

    exclusively: createUnoALaVez(),
  }

  for (const key of await keys())
    for (const { id, size, offset } of await list(key))
      presupuesto.restore(uploadKeyOf(key, id), size ?? reglas.maxBytes, offset)

  return staging
}

/** What stands on the disk of an upload; how far it is, its file says. */
function cardIn<Datos extends object, Tipo extends string>(
  upload: SubidaRecibidaDe<Datos, Tipo>,
): SubidaDe<Datos, Tipo> {
  const { offset: _, ...card } = upload
  // TypeScript takes no key out of a type that it does not know whole.
  return card as unknown as SubidaDe<Datos, Tipo>
}

/** The UUID that a file holds, made with the file. */
async function keptName(file: string): Promise<string> {
  const kept = await readFile(file, 'utf8').catch((error) => {
    if (errorCode(error) === 'ENOENT') return ''
    throw error
  })
  if (isUuid(kept)) return kept
  const name = randomUUID()
  await writeWhole(file, name)
  return name
}
