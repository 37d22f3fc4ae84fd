import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'

const underWay = new Map<string, Promise<void>>()

/**
 * Makes the PNG of a photograph, whole or not at all, unless it is there. All who ask at the same time share one
 * making.
 * @param source photograph, and `file` its PNG: paths from the project's root
 */
export async function makePng(source: string, file: string): Promise<void> {
  if (existsSync(file)) return
  const making = underWay.get(file) ?? encode(source, file).finally(() => underWay.delete(file))
  underWay.set(file, making)
  await making
}

async function encode(source: string, file: string) {
  // sharp is loaded here, since it is needed only until the build has made every PNG.
  const { default: sharp } = await import('sharp')
  const part = `${file}.${randomUUID()}.parte`
  await sharp(source).autoOrient().png({ compressionLevel: 7 }).toFile(part)
  await rename(part, file)
}
