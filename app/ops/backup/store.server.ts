import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { hashFile } from '#app/core/process/durable-files.server.ts'
import { type Cifra, openCifra } from '#app/core/storage/age-encryption.server.ts'
import { ObjectExistsError, type ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { assertDestino, folderOf, isS3, openPlace, openPlaceToRead } from '#app/core/storage/open-store.server.ts'
import { withTemporal } from '#app/core/storage/temp-folders.server.ts'
import { FallaDeCopia } from './fault.server.ts'
import { nombreDeDestino } from './identity.server.ts'

/** A place where backups are kept: a folder, or a bucket. */
export interface Almacen {
  /** As people call it; it holds no secret. */
  nombre: string
  storage: ObjectStorage
  cifra: Cifra | undefined
  /** Where what is being written waits, on the same disk where there is one. */
  borradores: string
  /**
   * Stores bytes and reads them back. The same path twice is the same bytes: what is there stays.
   * @returns what was stored, and the sum of what came in, in hex
   * @throws when what is read back is something else
   */
  guarda(bucket: string, path: string, plain: Readable, options?: Empaque): Promise<Guardado>
  /**
   * What was stored, as it came in. Where it is not what it must be, the stream ends with a fault.
   * @throws FallaDeCopia when it is not there
   */
  abre(bucket: string, path: string, options?: Lectura): Promise<Readable>
  /** Bytes that so many bytes have once they are stored. */
  bytesDe(bytes: number): number
}

interface Empaque {
  /** Whether it is compressed. */
  comprime?: boolean
  /** The sum that it must have, in hex. */
  sha256?: string
  /** Whether what is there goes first, once what comes is known to be good. */
  sustituye?: boolean
}

interface Lectura {
  comprime?: boolean
  /** The sum of the stored bytes, in hex. */
  sellado?: string
  /** More bytes than these are not taken out of it. */
  tope?: number
}

/** Thrown by `guarda` where what came in has another sum than it must have: nothing was stored. */
export class SumaAjena extends Error {
  override name = 'SumaAjena'
}

interface Guardado {
  /** Stored bytes, and their sum. */
  bytes: number
  sellado: string
  /** Sum of what came in. */
  sha256: string
}

const METADATA = { contentType: 'application/octet-stream', cacheControlSeconds: 0 }

/**
 * @param destino a folder, or `s3://bucket[/prefix]?endpoint=…`
 * @param clave the passphrase; undefined: what is written is not encrypted
 * @param espera where what goes to a bucket waits: the data folder, whose disk has the room that memory has not
 * @param soloLeer nothing is made or written there
 * @throws StartError when it is no such place
 */
export async function openAlmacen(
  destino: string,
  clave: string | undefined,
  { espera = tmpdir(), soloLeer = false }: { espera?: string; soloLeer?: boolean } = {},
): Promise<Almacen> {
  assertDestino(destino)
  const storage = await (soloLeer ? openPlaceToRead(destino) : openPlace(destino))
  const cifra = clave === undefined ? undefined : await openCifra(storage, clave, { crea: !soloLeer })
  const borradores = isS3(destino) ? espera : folderOf(destino)
  const almacen: Almacen = {
    ...{ nombre: nombreDeDestino(destino), storage, cifra, borradores },
    bytesDe: (bytes) => cifra?.sizeOf(bytes) ?? bytes,
    async guarda(bucket, path, plain, options = {}) {
      return withTemporal(borradores, async (folder) => {
        const file = join(folder, randomUUID())
        const came = createHash('sha256')
        const packed = pipeThrough(plain, hashing(came), ...(options.comprime ? [createGzip({ level: 4 })] : []))
        await pipeline(cifra ? await cifra.encrypt(packed) : packed, createWriteStream(file, { mode: 0o600 }))
        const [sellado, { size: bytes }, sha256] = [await hashFile(file), await stat(file), came.digest('hex')]
        if (options.sha256 !== undefined && sha256 !== options.sha256) throw new SumaAjena(`${bucket}/${path}`)
        if (options.sustituye) await storage.remove(bucket, path)
        await storage.putFile(bucket, path, file, { ...METADATA, sha256: sellado }).catch((error: unknown) => {
          if (!(error instanceof ObjectExistsError)) throw error
        })
        await rm(file, { force: true })
        const again = createHash('sha256')
        const { comprime = false } = options
        for await (const chunk of await almacen.abre(bucket, path, { comprime })) again.update(chunk)
        if (again.digest('hex') !== sha256)
          throw new FallaDeCopia(
            `Lo guardado en ${almacen.nombre} no es lo que se escribió: no se puede confiar en ese lugar.`,
            'Lo que se lee de donde se guarda no es lo que se escribió.',
          )
        return { bytes, sellado, sha256 }
      })
    },
    async abre(bucket, path, options = {}) {
      const stored = await storage.get(bucket, path)
      if (!stored)
        throw new FallaDeCopia(
          `Al respaldo le falta un archivo (${bucket}/${path}).`,
          'Al respaldo le falta un archivo.',
        )
      const sealed = options.sellado === undefined ? stored : pipeThrough(stored, being(options.sellado))
      const opened = cifra ? await cifra.decrypt(sealed) : sealed
      const plain = options.comprime ? pipeThrough(opened, createGunzip()) : opened
      return options.tope === undefined ? plain : pipeThrough(plain, upTo(options.tope))
    },
  }
  return almacen
}

/** Passes bytes on, and ends with a fault where they have another sum. */
function being(sha256: string): Transform {
  const hash = createHash('sha256')
  return new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
    flush(done) {
      done(hash.digest('hex') === sha256 ? null : new Error('another sum'))
    },
  })
}

/** Passes so many bytes on, and ends with a fault where there are more. */
function upTo(maxBytes: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk, _encoding, done) {
      bytes += chunk.length
      done(bytes > maxBytes ? new Error('too many bytes') : null, chunk)
    },
  })
}

function hashing(hash: ReturnType<typeof createHash>): Transform {
  return new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
}

/** A stream behind others; what goes wrong in any of them ends the last one. */
export function pipeThrough(first: Readable, ...rest: Transform[]): Readable {
  return rest.reduce<Readable>((from, to) => {
    pipeline(from, to).catch(() => {})
    return to
  }, first)
}

/** Bytes in memory, as a stream. */
export const streamOf = (body: string | Uint8Array): Readable => Readable.from([Buffer.from(body)])
