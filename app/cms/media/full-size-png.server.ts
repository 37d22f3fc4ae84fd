import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'

const runningByFile = new Map<string, Promise<void>>()

/**
 * Makes the PNG of a photograph unless it exists, whole or not at all. Concurrent calls for one file share one run.
 * @param source path of the photograph from the project's root; `file` is the path of its PNG
 */
export async function makePng(source: string, file: string): Promise<void> {
  if (existsSync(file)) return
  const making = runningByFile.get(file) ?? encode(source, file).finally(() => runningByFile.delete(file))
  runningByFile.set(file, making)
  await making
}

async function encode(source: string, file: string) {
  // sharp is imported on demand: it is needed only until every PNG exists.
  const { default: sharp } = await import('sharp')
  const part = `${file}.${randomUUID()}.parte`
  await sharp(source).autoOrient().png({ compressionLevel: 7 }).toFile(part)
  await rename(part, file)
}
