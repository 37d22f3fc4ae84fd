import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { messageForFile } from './file-rules.ts'
import { openSent } from './receive-file.server.ts'

test('a logo that takes minutes to draw is refused in seconds, and the next logo in the queue is drawn', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recibir-'))
  const mark = async (name: string, inside: string) => {
    const file = join(folder, name)
    await writeFile(file, `<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="2000">${inside}</svg>`)
    return openSent('logo', file, `${file}.limpio`)
  }
  const noise = '<feTurbulence numOctaves="9" baseFrequency="0.9"/><feGaussianBlur stdDeviation="90"/>'.repeat(20)
  const slow = `<filter id="f" x="0" y="0" width="1" height="1">${noise}</filter>${'<rect width="2000" height="2000" filter="url(#f)"/>'.repeat(500)}`
  try {
    const [first, second, third] = await Promise.all([
      mark('1', slow),
      mark('2', slow),
      mark('3', '<path d="M0 0h2000v2000z"/>'),
    ])
    expect([first, second]).toEqual(Array(2).fill({ ok: false, motivo: 'slow' }))
    expect(third).toMatchObject({ ok: true, tipo: 'image/svg+xml' })
    expect(messageForFile('logo', 'slow', 'marca.svg')).toMatch(/tarda demasiado en abrirse\. Expórtalo más sencillo/)
  } finally {
    await rm(folder, { recursive: true })
  }
})
