import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { type Cifra, openCifra } from '#app/platform/cifra.server.ts'
import { hashFile } from '#app/platform/durable-files.server.ts'
import { folderOf, isS3, openPlace } from '#app/platform/open-storage.server.ts'
import { StartError } from '#app/platform/start-error.server.ts'
import { ObjectExistsError, type ObjectStorage } from '#app/platform/storage.server.ts'
import { withTemporal } from '#app/platform/temporales.server.ts'

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
  /** What was stored, as it came in. @throws StartError when it is not there */
  abre(bucket: string, path: string, options?: Empaque): Promise<Readable>
}

interface Empaque {
  /** Whether it is compressed. */
  comprime?: boolean
  /** The sum that it must have, in hex. */
  sha256?: string
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
 */
export async function openAlmacen(destino: string, clave: string | undefined): Promise<Almacen> {
  if (isS3(destino) && !URL.parse(destino)?.hostname)
    throw new StartError('El destino debe nombrar la cubeta, como s3://cubeta?endpoint=https://servidor.')
  const storage = await openPlace(destino)
  const cifra = clave === undefined ? undefined : await openCifra(storage, clave)
  if (!isS3(destino)) return almacenOf(folderOf(destino), storage, cifra, folderOf(destino))
  const { hostname, pathname } = new URL(destino)
  return almacenOf(`s3://${hostname}${pathname}`, storage, cifra, tmpdir())
}

function almacenOf(nombre: string, storage: ObjectStorage, cifra: Cifra | undefined, borradores: string): Almacen {
  const almacen: Almacen = {
    ...{ nombre, storage, cifra, borradores },
    async guarda(bucket, path, plain, options = {}) {
      return withTemporal(borradores, async (folder) => {
        const file = join(folder, randomUUID())
        const came = createHash('sha256')
        const packed = pipeThrough(plain, hashing(came), ...(options.comprime ? [createGzip({ level: 4 })] : []))
        await pipeline(cifra ? await cifra.encrypt(packed) : packed, createWriteStream(file, { mode: 0o600 }))
        const [sellado, { size: bytes }, sha256] = [await hashFile(file), await stat(file), came.digest('hex')]
        if (options.sha256 !== undefined && sha256 !== options.sha256) throw new SumaAjena(`${bucket}/${path}`)
        await storage.putFile(bucket, path, file, { ...METADATA, sha256: sellado }).catch((error: unknown) => {
          if (!(error instanceof ObjectExistsError)) throw error
        })
        await rm(file, { force: true })
        const again = createHash('sha256')
        for await (const chunk of await almacen.abre(bucket, path, options)) again.update(chunk)
        if (again.digest('hex') !== sha256)
          throw new StartError(`Lo guardado en ${nombre} no es lo que se escribió: no se puede confiar en ese lugar.`)
        return { bytes, sellado, sha256 }
      })
    },
    async abre(bucket, path, options = {}) {
      const stored = await storage.get(bucket, path)
      if (!stored) throw new StartError(`Al respaldo le falta un archivo (${bucket}/${path}).`)
      const opened = cifra ? await cifra.decrypt(stored) : stored
      return options.comprime ? pipeThrough(opened, createGunzip()) : opened
    },
  }
  return almacen
}

/** The same place, read without its key: for copies that were made without one. */
export const sinCifra = ({ nombre, storage, borradores }: Almacen): Almacen =>
  almacenOf(nombre, storage, undefined, borradores)

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
