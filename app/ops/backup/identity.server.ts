import { erasureFingerprint } from '#app/core/db/erasure-log.server.ts'
import { folderOf, isS3 } from '#app/core/storage/open-store.server.ts'

/**
 * Which site a copy is of, for others that keep theirs in the same place: a keyed hash, of use to nobody else. One that was
 * restored beside the first has the same key; its address is another.
 */
export const siteIdentity = (passphrase: Uint8Array, publicUrl: string): string =>
  erasureFingerprint(passphrase, 'sitio', publicUrl).slice(0, 32)

/** What a place of copies is called where it is written down: an address may hold what is nobody's business. */
export const destinationFingerprint = (passphrase: Uint8Array, destination: string): string =>
  erasureFingerprint(passphrase, 'destino', normalizedDestination(destination))

/** Two ways to write the same place are one. */
export function normalizedDestination(destination: string): string {
  if (!isS3(destination)) return folderOf(destination).replace(/(?<=.)[/\\]+$/, '')
  const { hostname, pathname, searchParams } = new URL(destination)
  return `s3://${hostname}${pathname.replace(/\/+$/, '')} ${searchParams.get('endpoint')?.replace(/\/+$/, '') ?? ''}`
}

/** As people call it; it holds no secret. */
export function destinationName(destination: string): string {
  if (!isS3(destination)) return folderOf(destination)
  const { hostname, pathname } = new URL(destination)
  return `s3://${hostname}${pathname}`
}
