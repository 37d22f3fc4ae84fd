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

const MAX_ATTEMPTS = 3
/** Pause before the second attempt; the pause before the third is twice as long. */
const RETRY_PAUSE_MS = 200

const DEFAULT_TIMEOUTS = {
  connectMs: 5_000,
  /** A connection may be without traffic in both directions for this long. A transfer as a whole has no limit. */
  silenceMs: 15_000,
  /** A check of the storage may take this long. */
  checkMs: 10_000,
}
/** Maximum number of connections for reading. It is high, since slow readers keep connections for long. */
const MAX_READ_CONNECTIONS = 500

/**
 * Opens a storage in one bucket of an S3 server. The bucket must exist. A key of the server begins with the bucket of
 * `ObjectStorage`: the path `7_Ana/x.jpg` in the bucket `registro` has the key `registro/7_Ana/x.jpg`. The server must honour
 * `If-None-Match: *` on PUT, by which it refuses to overwrite an object.
 * @param url `s3://<bucket>[/<prefix>]?endpoint=https://…&region=…`; all keys begin with the prefix; without an endpoint,
 * Amazon's own server is used; credentials are in the URL (`s3://<key>:<secret>@<bucket>`), or come from the usual sources of AWS
 * tools (AWS_ACCESS_KEY_ID, …, a role)
 */
export function openS3Storage(url: string, timeouts: Partial<typeof DEFAULT_TIMEOUTS> = {}): ObjectStorage {
  const { connectMs, silenceMs, checkMs } = { ...DEFAULT_TIMEOUTS, ...timeouts }
  const { hostname: Bucket, pathname, searchParams, username, password } = new URL(url)
  const prefix = pathname.replace(/^\/+|\/+$/g, '')
  const endpoint = searchParams.get('endpoint')
  const config: S3ClientConfig = {
    region: searchParams.get('region') ?? 'us-east-1',
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    ...(username && {
      credentials: { accessKeyId: decodeURIComponent(username), secretAccessKey: decodeURIComponent(password) },
    }),
    // Some other servers refuse checksums in trailers, or store them with the object.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: MAX_ATTEMPTS,
    // The default logger would print errors, which are also thrown.
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  }
  const s3 = new S3Client({ ...config, requestHandler: { connectionTimeout: connectMs, socketTimeout: silenceMs } })
  // A connection may be silent because a visitor reads slowly, so instead of a socket timeout `destroyOnSilence` watches the
  // stream.
  const readClient = new S3Client({
    ...config,
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: silenceMs,
      throwOnRequestTimeout: true,
      socketTimeout: 0,
      httpAgent: { maxSockets: MAX_READ_CONNECTIONS },
      httpsAgent: { maxSockets: MAX_READ_CONNECTIONS },
    },
  })

  const folderOf = (bucket: string) => (prefix === '' ? `${bucket}/` : `${prefix}/${bucket}/`)
  const keyOf = (bucket: string, path: string) => {
    assertObjectName(bucket, path)
    return folderOf(bucket) + path
  }

  /**
   * Stores a body, in several attempts if need be. The client's own retries cannot resend a stream, so each attempt opens the
   * body anew.
   */
  async function put(
    bucket: string,
    path: string,
    openBody: () => Readable | Uint8Array,
    size: number,
    { contentType, cacheControlSeconds, sha256 }: ObjectMetadata & { sha256: string },
  ): Promise<void> {
    const Key = keyOf(bucket, path)
    for (let attempt = 1; ; attempt++) {
      const Body = openBody()
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
        if (attempt >= MAX_ATTEMPTS || !isRetryable(error)) throw error
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
        const object = await s3.send(new HeadObjectCommand({ Bucket, Key: keyOf(bucket, path) }))
        return {
          contentType: object.ContentType ?? 'application/octet-stream',
          cacheControlSeconds: Number(/max-age=(\d+)/.exec(object.CacheControl ?? '')?.[1] ?? 0),
          size: object.ContentLength ?? 0,
          sha256: object.Metadata?.sha256 ?? '',
        }
      } catch (error) {
        if (statusOf(error) === 404) return undefined
        throw error
      }
    },

    async get(bucket, path, range) {
      try {
        const Range = range && `bytes=${range.start}-${range.end}`
        const { Body } = await readClient.send(new GetObjectCommand({ Bucket, Key: keyOf(bucket, path), Range }))
        if (!(Body instanceof Readable)) throw new Error(`No body for ${bucket}/${path}`)
        return destroyOnSilence(Body, silenceMs)
      } catch (error) {
        if (statusOf(error) === 404) return undefined
        throw error
      }
    },

    async *list(bucket, pathPrefix) {
      assertObjectName(bucket, 'x')
      const folder = folderOf(bucket)
      for await (const page of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: folder + pathPrefix }))
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

/** Destroys a stream if its server is silent for too long while a reader waits. */
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
 * Returns whether a retry may help: without an answer, after a fault of the server or too many requests (429), and after a
 * conflict of two writers (409), which is decided by the time of the retry.
 */
function isRetryable(error: unknown): boolean {
  const status = statusOf(error)
  return status === undefined || status === 409 || status === 429 || status >= 500
}
