import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { assertObjectName, ObjectExistsError, type ObjectMetadata, type ObjectStorage } from './object-store.server.ts'

const ATTEMPTS = 3
const RETRY_PAUSE_MS = 200

/** The server is waited for this long, in milliseconds. */
const TIMES = {
  connectMs: 5_000,
  /** This limit is for a connection without traffic either way; a large file takes as long as it takes. */
  silenceMs: 15_000,
  /** This limit is for a whole check of the storage. */
  checkMs: 10_000,
}
/** Reading may use this many connections, since a slow reader holds one for long, and must not block other readers. */
const MAX_READERS = 500

/**
 * Opens objects in one bucket of an S3 server, which has to exist: the organisers own one bucket, and the port's buckets are the
 * first part of the keys in it, so `registro` + `7_Ana/x.jpg` is the key `registro/7_Ana/x.jpg`. The server must honour
 * `If-None-Match: *` on PUT, which refuses an overwrite.
 * @param url `s3://<bucket>[/<prefix>]?endpoint=https://…&region=…`; the prefix goes before every key. Without an endpoint,
 * Amazon's own server is used. Credentials stand in it (`s3://<key>:<secret>@<bucket>`), or come from the usual sources of AWS
 * tools (AWS_ACCESS_KEY_ID, …, a role).
 */
export function openS3Storage(url: string, change: Partial<typeof TIMES> = {}): ObjectStorage {
  const { connectMs, silenceMs, checkMs } = { ...TIMES, ...change }
  const { hostname: Bucket, pathname, searchParams, username, password } = new URL(url)
  const prefix = pathname.replace(/^\/+|\/+$/g, '')
  const endpoint = searchParams.get('endpoint')
  const config: S3ClientConfig = {
    region: searchParams.get('region') ?? 'us-east-1',
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    ...(username && {
      credentials: { accessKeyId: decodeURIComponent(username), secretAccessKey: decodeURIComponent(password) },
    }),
    // Only Amazon understands checksums in trailers; other servers refuse or store them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: ATTEMPTS,
    // Errors reach the caller; the client would print them a second time on the console.
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  }
  const s3 = new S3Client({ ...config, requestHandler: { connectionTimeout: connectMs, socketTimeout: silenceMs } })
  // A connection may be silent because its visitor reads slowly: the watch on the stream tells that from a silent server.
  const reading = new S3Client({
    ...config,
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: silenceMs,
      throwOnRequestTimeout: true,
      socketTimeout: 0,
      httpAgent: { maxSockets: MAX_READERS },
      httpsAgent: { maxSockets: MAX_READERS },
    },
  })

  const folderOf = (bucket: string) => (prefix === '' ? `${bucket}/` : `${prefix}/${bucket}/`)
  const keyOf = (bucket: string, path: string) => {
    assertObjectName(bucket, path)
    return folderOf(bucket) + path
  }

  /**
   * Stores a body, with several attempts. The client cannot resend a body that it read from a stream, so the attempts are counted
   * here.
   */
  async function put(
    bucket: string,
    path: string,
    body: () => Readable | Uint8Array,
    size: number,
    { contentType, cacheControlSeconds, sha256 }: ObjectMetadata & { sha256: string },
  ): Promise<void> {
    const Key = keyOf(bucket, path)
    for (let attempt = 1; ; attempt++) {
      const Body = body()
      try {
        await s3.send(
          new PutObjectCommand({
            Bucket,
            Key,
            Body,
            ContentLength: size,
            ContentType: contentType,
            CacheControl: `max-age=${cacheControlSeconds}`,
            Metadata: { sha256 },
            IfNoneMatch: '*',
          }),
        )
        return
      } catch (error) {
        if (statusOf(error) === 412) throw new ObjectExistsError(`${bucket}/${path}`)
        if (attempt >= ATTEMPTS || !isRetryable(error)) throw error
        await sleep(RETRY_PAUSE_MS * attempt)
      } finally {
        if (Body instanceof Readable) Body.destroy()
      }
    }
  }

  return {
    async putFile(bucket, path, file, metadata) {
      const { size } = await stat(file)
      await put(bucket, path, () => createReadStream(file), size, metadata)
    },

    async putBytes(bucket, path, body, metadata) {
      const sha256 = createHash('sha256').update(body).digest('hex')
      await put(bucket, path, () => body, body.byteLength, { ...metadata, sha256 })
    },

    async head(bucket, path) {
      try {
        const found = await s3.send(new HeadObjectCommand({ Bucket, Key: keyOf(bucket, path) }))
        return {
          contentType: found.ContentType ?? 'application/octet-stream',
          cacheControlSeconds: Number(/max-age=(\d+)/.exec(found.CacheControl ?? '')?.[1] ?? 0),
          size: found.ContentLength ?? 0,
          sha256: found.Metadata?.sha256 ?? '',
        }
      } catch (error) {
        if (statusOf(error) === 404) return undefined
        throw error
      }
    },

    async get(bucket, path, range) {
      try {
        const Range = range && `bytes=${range.start}-${range.end}`
        const found = await reading.send(new GetObjectCommand({ Bucket, Key: keyOf(bucket, path), Range }))
        if (!(found.Body instanceof Readable)) throw new Error(`No body for ${bucket}/${path}`)
        return destroyOnSilence(found.Body, silenceMs)
      } catch (error) {
        if (statusOf(error) === 404) return undefined
        throw error
      }
    },

    async *list(bucket, wanted) {
      assertObjectName(bucket, 'x')
      const folder = folderOf(bucket)
      for await (const page of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: folder + wanted }))
        for (const { Key } of page.Contents ?? []) if (Key !== undefined) yield Key.slice(folder.length)
    },

    async remove(bucket, path) {
      await s3.send(new DeleteObjectCommand({ Bucket, Key: keyOf(bucket, path) }))
    },

    async modifiedAt(bucket, path) {
      try {
        return (await s3.send(new HeadObjectCommand({ Bucket, Key: keyOf(bucket, path) }))).LastModified
      } catch (error) {
        if (statusOf(error) === 404) return undefined
        throw error
      }
    },

    async check() {
      await s3.send(new HeadBucketCommand({ Bucket }), { abortSignal: AbortSignal.timeout(checkMs) })
    },
  }
}

/** Ends a stream whose server has been silent for too long while a reader waited. */
function destroyOnSilence(body: Readable, silenceMs: number): Readable {
  let lastActivityMs = performance.now()
  // The stream's own `push` sees incoming bytes before any reader does.
  const push = body.push.bind(body)
  body.push = (chunk, encoding) => {
    lastActivityMs = performance.now()
    return push(chunk, encoding)
  }
  const timer = setInterval(() => {
    if (body.readableLength > 0) lastActivityMs = performance.now()
    else if (performance.now() - lastActivityMs > silenceMs)
      body.destroy(new Error(`The storage was silent for ${silenceMs} ms`))
  }, silenceMs / 4).unref()
  return body.once('close', () => clearInterval(timer))
}

const statusOf = (error: unknown) => (error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined)

/**
 * Returns whether a retry may help: a broken connection, a server in trouble, or two writers at once (409), one of which has won
 * by then.
 */
function isRetryable(error: unknown): boolean {
  const status = statusOf(error)
  return status === undefined || status === 409 || status === 429 || status >= 500
}
