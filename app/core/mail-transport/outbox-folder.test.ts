import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openOutbox } from './outbox-folder.server.ts'

const HOUR_S = 60 * 60

test('messages in the folder are deleted: codes after an hour, all others after thirty days', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-salida-'))
  const put = async (name: string, ageS: number) => {
    await writeFile(join(folder, name), 'x')
    const at = Date.now() / 1_000 - ageS
    await utimes(join(folder, name), at, at)
  }
  try {
    await put('20250101T120000.000Z-codigo-a1b2.eml', 2 * HOUR_S)
    await put('20250101T120000.000Z-codigo-c3d4.eml', HOUR_S / 2)
    await put('20250101T120000.000Z-recibo-e5f6.eml', 2 * HOUR_S)
    await put('20250101T120000.000Z-recibo-a7b8.eml', 31 * 24 * HOUR_S)
    const mailer = openOutbox(folder, { name: 'Certamen', address: 'avisos@certamen.local' })
    const left = ['20250101T120000.000Z-codigo-c3d4.eml', '20250101T120000.000Z-recibo-e5f6.eml']
    await expect.poll(async () => (await readdir(folder)).sort()).toEqual(left)
    mailer.close()
  } finally {
    await rm(folder, { recursive: true })
  }
})
