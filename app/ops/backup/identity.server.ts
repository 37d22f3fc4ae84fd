import { erasureFingerprint } from '#app/core/db/erasure-log.server.ts'
import { folderOf, isS3 } from '#app/core/storage/open-store.server.ts'

/**
 * Returns a keyed hash that distinguishes a site from others with the same destination. It covers the URL, since a site that was
 * restored beside the original has the same key.
 */
export const siteIdentity = (erasureKey: Uint8Array, publicUrl: string): string =>
  erasureFingerprint(erasureKey, 'sitio', publicUrl).slice(0, 32)

/** Returns the keyed hash of a destination. It is stored instead of the destination, which may contain secrets. */
export const destinationFingerprint = (erasureKey: Uint8Array, destination: string): string =>
  erasureFingerprint(erasureKey, 'destino', normalizedDestination(destination))

/** Returns a text of a destination that is the same with and without final slashes and credentials. */
export function normalizedDestination(destination: string): string {
  if (!isS3(destination)) return folderOf(destination).replace(/(?<=.)[/\\]+$/, '')
  const { hostname, pathname, searchParams } = new URL(destination)
  return `s3://${hostname}${pathname.replace(/\/+$/, '')} ${searchParams.get('endpoint')?.replace(/\/+$/, '') ?? ''}`
}

/** Returns a readable name of a destination, without secrets. */
export function destinationName(destination: string): string {
  if (!isS3(destination)) return folderOf(destination)
  const { hostname, pathname } = new URL(destination)
  return `s3://${hostname}${pathname}`
}
