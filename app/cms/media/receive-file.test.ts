import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { messageForFile } from './file-rules.ts'
import { sanitizeInSandbox } from './receive-file.server.ts'

test('a logo that takes minutes to draw is refused in seconds, and the next logo in the queue is drawn', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recibir-'))
  const mark = async (name: string, inside: string) => {
    const file = join(folder, name)
    await writeFile(file, `<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="2000">${inside}</svg>`)
    return sanitizeInSandbox('logo', file, `${file}.limpio`)
  }
  const noise = '<feTurbulence numOctaves="9" baseFrequency="0.9"/><feGaussianBlur stdDeviation="90"/>'.repeat(20)
  const slow = `<filter id="f" x="0" y="0" width="1" height="1">${noise}</filter>${'<rect width="2000" height="2000" filter="url(#f)"/>'.repeat(500)}`
  try {
    // Each group and each pattern shows ten of the one before it.
    const groups = Array.from(
      { length: 9 },
      (_, at) => `<g id="u${at + 1}">${`<use href="#u${at}"/>`.repeat(10)}</g>`,
    ).join('')
    const uses = `<path id="u0" d="M0 0h40v20z"/>${groups}<use href="#u9"/>`
    const rect = (at: number) => `<rect width="1" height="1" fill="url(#p${at})"/>`
    const patterns = Array.from(
      { length: 9 },
      (_, at) => `<pattern id="p${at + 1}" width="1" height="1">${rect(at).repeat(10)}</pattern>`,
    ).join('')
    const nested = `<pattern id="p0" width="1" height="1"><path d="M0 0h1v1z"/></pattern>${patterns}${rect(9)}`
    const [first, second, third, fourth] = await Promise.all([
      mark('1', slow),
      mark('2', uses),
      mark('3', nested),
      mark('4', '<path d="M0 0h2000v2000z"/>'),
    ])
    expect(first).toEqual({ ok: false, reason: 'slow' })
    // librsvg counts the elements that are drawn, and gives up at its limit or at the time limit, whichever comes first.
    expect([second, ['slow', 'ilegible'].includes(second.ok ? '' : second.reason)]).toEqual([
      expect.objectContaining({ ok: false }),
      true,
    ])
    expect(third).toEqual({ ok: false, reason: 'ilegible' })
    expect(fourth).toMatchObject({ ok: true, tipo: 'image/png' })
    expect(messageForFile('logo', 'slow', 'marca.svg')).toMatch(/tarda demasiado en abrirse\. Expórtalo más sencillo/)
  } finally {
    await rm(folder, { recursive: true })
  }
})
