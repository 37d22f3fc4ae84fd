import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from './start-error.server.ts'

/**
 * What signs the site's cookies where no setting says it: made once, kept in the data folder (mode 0600).
 * @throws StartError when the file is there and says nothing of use
 */
export async function keptSecret(dataDir: string): Promise<string> {
  const file = join(dataDir, 'session-secret')
  const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
  if (kept !== undefined) {
    if (kept.trim().length >= 32) return kept.trim()
    throw new StartError(
      `El archivo ${file} está dañado. Bórralo: se hará otro, y quien tenga sesión volverá a entrar.`,
    )
  }
  // Whole or not at all, and one for two processes that come at once.
  const part = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(part, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })
  try {
    await link(part, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(part, { force: true })
  }
  return (await readFile(file, 'utf8')).trim()
}

/** A key for each purpose, so that nothing that one signs is of use to another; each is derived once. */
export function keysOf(secret: string): (purpose: string) => KeyObject {
  const keys = new Map<string, KeyObject>()
  return (purpose) => {
    const key =
      keys.get(purpose) ?? createSecretKey(createHmac('sha256', secret).update(`certamen:${purpose}`).digest())
    keys.set(purpose, key)
    return key
  }
}
