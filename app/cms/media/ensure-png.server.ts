import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'

const encodingByFile = new Map<string, Promise<void>>()

/**
 * Makes the full-size PNG of a photograph if it does not exist, completely or not at all. Concurrent calls for one file share one run
 * in each process.
 * @param source path of the photograph from the project's root
 * @param file path of the PNG
 */
export async function ensurePng(source: string, file: string): Promise<void> {
  if (existsSync(file)) return
  const encoding = encodingByFile.get(file) ?? encode(source, file).finally(() => encodingByFile.delete(file))
  encodingByFile.set(file, encoding)
  await encoding
}

async function encode(source: string, file: string) {
  // sharp is imported on demand, since it is needed only until every PNG exists.
  const { default: sharp } = await import('sharp')
  const partialFile = `${file}.${randomUUID()}.parte`
  await sharp(source).autoOrient().png({ compressionLevel: 7 }).toFile(partialFile)
  await rename(partialFile, file)
}
