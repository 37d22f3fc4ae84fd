import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, syncFolder } from './durable-files.server.ts'
import { StartError } from './start-error.server.ts'

/**
 * Reads the site's secret from the data folder, for a site without SESSION_SECRET. The first call creates the secret.
 * @throws StartError if the file exists but has no usable secret
 */
export async function readOrCreateSecret(dataDir: string): Promise<string> {
  const file = join(dataDir, 'session-secret')
  const storedText = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
  if (storedText !== undefined) {
    if (storedText.trim().length >= 32) return storedText.trim()
    throw new StartError(
      `El archivo ${file} está dañado. Con él se firman los votos y se leen los segundos pasos: ponlo de vuelta desde un respaldo cifrado o desde donde lo guardaste, o pon el mismo secreto en SESSION_SECRET. Sólo si no hay votación en curso y nadie lo tiene, bórralo: se hará otro, y todos entran de nuevo y activan otra vez su segundo paso.`,
    )
  }
  // The link makes the file appear complete. Of two processes that start at once, the second reads the secret of the first.
  const tempFile = `${file}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(tempFile, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true })
    await link(tempFile, file)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  } finally {
    await rm(tempFile, { force: true })
  }
  // Nothing is signed before the secret would survive a power cut.
  await syncFolder(dataDir)
  return (await readFile(file, 'utf8')).trim()
}

/** Returns a function that derives one key per purpose, so that a signature made for one purpose is useless for another. */
export function createKeyDeriver(secret: string): (purpose: string) => KeyObject {
  const keyByPurpose = new Map<string, KeyObject>()
  return (purpose) => {
    const key =
      keyByPurpose.get(purpose) ?? createSecretKey(createHmac('sha256', secret).update(`certamen:${purpose}`).digest())
    keyByPurpose.set(purpose, key)
    return key
  }
}
