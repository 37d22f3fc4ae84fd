import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type HandbookBlock, parseHandbook } from './parse-handbook.ts'

const HANDBOOK_PATH = 'docs/manual-del-comite.md'
const IMAGES_FOLDER = 'docs/manual'
/** Matches a name without a folder, so that no request reads a file outside IMAGES_FOLDER. */
const IMAGE_NAME = /^[a-z0-9-]+\.jpg$/

/** Reads the handbook from the disk. @throws Error if the file is missing */
export const readHandbook = async (): Promise<HandbookBlock[]> => parseHandbook(await readFile(HANDBOOK_PATH, 'utf8'))

/** Reads a picture of the handbook; undefined if it cannot be read. */
export const readHandbookImage = async (name: string): Promise<Uint8Array<ArrayBuffer> | undefined> =>
  IMAGE_NAME.test(name) ? readFile(join(IMAGES_FOLDER, name)).catch(() => undefined) : undefined
