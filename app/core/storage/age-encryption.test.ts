import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { openCipher } from './age-encryption.server.ts'
import { openFolderStorage } from './folder-adapter.server.ts'

test('the size of encrypted bytes is known beforehand', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-cifra-'))
  const cipher = await openCipher(await openFolderStorage(folder), 'una frase larga que nadie adivina')
  for (const bytes of [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000]) {
    const sealed = await buffer(await cipher.encrypt(Readable.from([Buffer.alloc(bytes)])))
    expect(cipher.sizeOf(bytes), `${bytes}`).toBe(sealed.byteLength)
  }
  await rm(folder, { recursive: true })
})
