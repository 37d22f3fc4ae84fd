import { randomUUID } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { EDITION_BUCKET, fileObjectPath } from '#app/cms/media/file-store.server.ts'
import {
  type AssetFile,
  assetsByUrl,
  contentTypeOf,
  type DescribedFile,
  IMAGES_FOLDER,
  type ImageManifest,
  type ServedAsset,
} from '#app/cms/media/image-manifest.server.ts'
import type { readFileRows } from '#app/cms/publishing/publications.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'

/** Returns the path of a generated picture in the storage. */
export const variantObjectPath = (file: string) => `tamanos/${basename(file)}`

/** Time after which a generated picture that could not be downloaded is requested again. */
const MISSING_RETRY_MS = 5_000

/**
 * Describes the files of an edition from their database rows.
 * @param hashByPath path in the edition → sha256
 * @param contentManifest manifest of content/, whose files are already on disk
 */
export function describeFiles(
  hashByPath: Record<string, string>,
  rows: Awaited<ReturnType<typeof readFileRows>>,
  contentManifest: ImageManifest | undefined,
): Map<string, DescribedFile> {
  const contentSources = new Map(
    [...Object.values(contentManifest?.photos ?? {}), ...Object.values(contentManifest?.files ?? {})].map(
      ({ sha256, source }) => [sha256, source] as const,
    ),
  )
  return new Map(
    Object.entries(hashByPath).map(([path, sha256]) => {
      const row = rows.get(sha256)
      const photo =
        row?.ancho && row.alto && row.vista !== null && /^image\/(jpeg|png)$/.test(row.tipo)
          ? { width: row.ancho, height: row.alto, preview: row.vista }
          : undefined
      return [
        path,
        {
          sha256,
          source: contentSources.get(sha256) ?? downloadedFilePath(sha256, path),
          photo,
          bytes: row?.bytes || undefined,
        },
      ]
    }),
  )
}

const downloadedFilePath = (sha256: string, path: string) => join(IMAGES_FOLDER, `archivo-${sha256}${extname(path)}`)

/** Downloads an object into a local file, whole or not at all. @returns false for a missing object or storage */
export async function downloadObject(storage: ObjectStorage | undefined, path: string, file: string): Promise<boolean> {
  const stream = await storage?.get(EDITION_BUCKET, path)
  if (!stream) return false
  await mkdir(dirname(file), { recursive: true })
  const partialFile = `${file}.${randomUUID()}.parte`
  try {
    await pipeline(stream, createWriteStream(partialFile))
    await rename(partialFile, file)
  } catch (error) {
    await rm(partialFile, { force: true })
    throw error
  }
  return true
}

/**
 * Returns the local path of an edition's file, after downloading it if it is not on disk.
 * @throws Error if the storage does not have the file
 */
export async function ensureLocalFile(
  storage: ObjectStorage | undefined,
  { source, sha256 }: { source: string; sha256: string },
  root = '.',
): Promise<string> {
  if (
    !existsSync(resolve(root, source)) &&
    !(await downloadObject(storage, fileObjectPath(sha256), resolve(root, source)))
  )
    throw new Error(`The storage has no file ${sha256}`)
  return source
}

/** Serves pictures and files of the displayed publication, of some before it, and of past editions; each process has one. */
export interface MediaCache {
  /** Replaces the served editions. If two have the same URL, the first edition wins. */
  serve(...manifests: ImageManifest[]): void
  /**
   * Finds the file to send for a path under /img or /media; undefined for an unknown path.
   * @param draft manifest of an edition that is not displayed yet, whose paths are looked up last
   * @throws Error if neither a size nor the original can be had
   */
  findFile(url: string, draft?: ImageManifest): Promise<AssetFile | undefined>
  /** Returns the local path of an edition's original file, after downloading it if needed. */
  fetchOriginal(entry: { source: string; sha256: string }): Promise<string>
}

/** @param storage if it is undefined, only files on disk are served @param root the project's folder */
export function createMediaCache(storage: ObjectStorage | undefined, root = '.'): MediaCache {
  let servedAssets = new Map<string, ServedAsset>()
  const retryAtByPath = new Map<string, number>()
  const downloads = new Map<string, Promise<unknown>>()
  const isOnDisk = (path: string) => existsSync(resolve(root, path))

  /** Runs `work`; concurrent calls with the same key share one run. */
  const runOnce = <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const sharedRun = (downloads.get(key) as Promise<T> | undefined) ?? work().finally(() => downloads.delete(key))
    downloads.set(key, sharedRun)
    return sharedRun
  }

  async function ensureOnDisk(generatedFile: string, source: string): Promise<boolean> {
    if (isOnDisk(generatedFile)) return true
    // The build makes the sizes of pictures in content/, so they are never downloaded.
    if (!source.startsWith(IMAGES_FOLDER)) return false
    if ((retryAtByPath.get(generatedFile) ?? 0) > performance.now()) return false
    const isDownloaded = await runOnce(generatedFile, () =>
      downloadObject(storage, variantObjectPath(generatedFile), resolve(root, generatedFile)),
    ).catch(() => false)
    if (isDownloaded) retryAtByPath.delete(generatedFile)
    else retryAtByPath.set(generatedFile, performance.now() + MISSING_RETRY_MS)
    return isDownloaded
  }

  /**
   * Finds the most similar size of the same photograph on disk: the same format first, then the nearest width; undefined if no size
   * is on disk.
   */
  async function findNearestVariant(generatedFile: string): Promise<string | undefined> {
    const [, base, width, format] = /^(.*)-(\d+)\.(\w+)$/.exec(basename(generatedFile)) ?? []
    if (base === undefined) return undefined
    const variantPattern = new RegExp(`^${base.replaceAll('.', '\\.')}-(\\d+)\\.(avif|webp|jpg)$`)
    const variants = (await readdir(resolve(root, IMAGES_FOLDER)).catch(() => []))
      .map((name) => ({ name, match: variantPattern.exec(name) }))
      .filter(({ match }) => match !== null)
      .map(({ name, match }) => ({ name, distance: Math.abs(Number(match![1]) - Number(width)), format: match![2] }))
    const [nearestVariant] = variants.sort(
      (a, b) => Number(b.format === format) - Number(a.format === format) || a.distance - b.distance,
    )
    return nearestVariant && join(IMAGES_FOLDER, nearestVariant.name)
  }

  const fetchOriginal = (entry: { source: string; sha256: string }) =>
    runOnce(entry.source, () => ensureLocalFile(storage, entry, root))

  return {
    serve(...manifests) {
      servedAssets = new Map(manifests.toReversed().flatMap((manifest) => [...assetsByUrl(manifest)]))
    },
    fetchOriginal,
    async findFile(url, draft) {
      const asset = servedAssets.get(url) ?? (draft && assetsByUrl(draft).get(url))
      if (!asset) return undefined
      const { generatedFile, source, isPressOnly, isOriginalReserved } = asset
      if (generatedFile === undefined)
        return { path: await fetchOriginal(asset), contentType: contentTypeOf(source), isFinal: true, isPressOnly }
      if (await ensureOnDisk(generatedFile, source))
        return { path: generatedFile, contentType: contentTypeOf(generatedFile), isFinal: true, isPressOnly }
      const nearestFile = source.startsWith(IMAGES_FOLDER) ? await findNearestVariant(generatedFile) : undefined
      if (nearestFile)
        return { path: nearestFile, contentType: contentTypeOf(nearestFile), isFinal: false, isPressOnly }
      return {
        path: await fetchOriginal(asset),
        contentType: contentTypeOf(source),
        isFinal: false,
        isPressOnly: isOriginalReserved,
      }
    },
  }
}
