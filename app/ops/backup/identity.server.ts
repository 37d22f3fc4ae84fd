import { huellaDeSupresion } from '#app/core/db/erasure-log.server.ts'
import { folderOf, isS3 } from '#app/core/storage/open-store.server.ts'

/**
 * Which site a copy is of, for others that keep theirs in the same place: a keyed hash, of use to nobody else. One that was
 * restored beside the first has the same key; its address is another.
 */
export const distintivoDeSitio = (clave: Uint8Array, publicUrl: string): string =>
  huellaDeSupresion(clave, 'sitio', publicUrl).slice(0, 32)

/** What a place of copies is called where it is written down: an address may hold what is nobody's business. */
export const huellaDeDestino = (clave: Uint8Array, destino: string): string =>
  huellaDeSupresion(clave, 'destino', destinoDe(destino))

/** Two ways to write the same place are one. */
export function destinoDe(destino: string): string {
  if (!isS3(destino)) return folderOf(destino).replace(/(?<=.)[/\\]+$/, '')
  const { hostname, pathname, searchParams } = new URL(destino)
  return `s3://${hostname}${pathname.replace(/\/+$/, '')} ${searchParams.get('endpoint')?.replace(/\/+$/, '') ?? ''}`
}

/** As people call it; it holds no secret. */
export function nombreDeDestino(destino: string): string {
  if (!isS3(destino)) return folderOf(destino)
  const { hostname, pathname } = new URL(destino)
  return `s3://${hostname}${pathname}`
}
