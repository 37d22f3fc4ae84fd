import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bloque, leerManual } from './markdown.ts'

const TEXTO = 'docs/manual-del-comite.md'
const IMAGENES = 'docs/manual'
const NOMBRE = /^[a-z0-9-]+\.jpg$/

/** The handbook, as it is on the disk. @throws where it is not */
export const readManual = async (): Promise<Bloque[]> => leerManual(await readFile(TEXTO, 'utf8'))

/** A picture of the handbook; undefined: there is none of that name. */
export const readImagen = async (nombre: string): Promise<Uint8Array<ArrayBuffer> | undefined> =>
  NOMBRE.test(nombre) ? readFile(join(IMAGENES, nombre)).catch(() => undefined) : undefined
