import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nextVersionFromPackage } from './next-version.ts'
import { findUnsafeEntry } from './package-archive.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paquete-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** One entry of a tar archive, written by hand: a header of 512 bytes, and the padded body. */
function block(name: string, kind = '0', target = '', body = ''): Buffer {
  const head = Buffer.alloc(512)
  head.write(name, 0)
  head.write('0000644\0', 100)
  head.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124)
  head.write('        ', 148)
  head.write(kind, 156)
  head.write(target, 157)
  head.write('ustar\x0000', 257)
  head.write(
    `${head
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  )
  return Buffer.concat([head, Buffer.from(body), Buffer.alloc((512 - (body.length % 512)) % 512)])
}
let archives = 0
async function archived(...blocks: Buffer[]): Promise<string> {
  const file = join(folder, `${++archives}.tar.gz`)
  await writeFile(file, gzipSync(Buffer.concat([...blocks, Buffer.alloc(1_024)])))
  return file
}
const pax = (...pairs: string[]) => {
  const body = pairs.map((pair) => `${pair.length + 4} ${pair}\n`).join('')
  return block('PaxHeaders/x', 'x', '', body)
}

test('an archive of tar is accepted: folders, files, long names, and links that stay inside the archive', async () => {
  const home = join(folder, 'certamen-1')
  await mkdir(join(home, 'a/b'), { recursive: true })
  await writeFile(join(home, `a/b/${'largo'.repeat(40)}`), 'x'.repeat(100_000))
  await writeFile(join(home, 'a/uno'), 'uno')
  await symlink('../uno', join(home, 'a/b/enlace'))
  await symlink('a/b', join(home, 'carpeta'))
  await link(join(home, 'a/uno'), join(home, 'a/dos'))
  for (const format of ['gnu', 'pax', 'ustar']) {
    const file = join(folder, `${format}.tar.gz`)
    if (format === 'ustar') await rm(join(home, `a/b/${'largo'.repeat(40)}`))
    execFileSync('tar', [`--format=${format}`, '-czf', file, '-C', folder, 'certamen-1'])
    expect([format, await findUnsafeEntry(file)]).toEqual([format, undefined])
  }
})

test('an archive is refused when a name or a link leads outside, or an entry is no file, folder or link', async () => {
  const top = block('p/', '5')
  const bad: [string, Buffer[]][] = [
    ['/etc/cron.d/x', [block('/etc/cron.d/x')]],
    ['../x', [block('../x')]],
    ['p/../../x', [top, block('p/../../x')]],
    ['q/x', [top, block('q/x')]],
    ['p/enlace', [top, block('p/enlace', '2', '/etc')]],
    ['p/enlace', [top, block('p/enlace', '2', '../../etc')]],
    ['p/a/x', [top, block('p/a', '2', 'b'), block('p/a/x')]],
    ['p/a', [top, block('p/a', '2', 'b'), block('p/a')]],
    ['p/duro', [top, block('p/duro', '1', '/etc/shadow')]],
    ['p/duro', [top, block('p/duro', '1', 'p/../../x')]],
    ['p/disco', [top, block('p/disco', '4')]],
    ['p/tubo', [top, block('p/tubo', '6')]],
    ['../x', [pax('path=../x'), block('p/x')]],
    ['p/enlace', [top, pax('linkpath=/etc'), block('p/enlace', '2', 'x')]],
    ['../largo', [block('././@LongLink', 'L', '', '../largo\0'), block('p/x')]],
    ['', []],
  ]
  for (const [name, blocks] of bad)
    expect([name, await findUnsafeEntry(await archived(...blocks))]).toEqual([name, name])
  for (const odd of [[pax('size=9999'), block('p/x')], [block('p/x', '0', '', 'x'.repeat(4_000)).subarray(0, 512)]])
    await expect(findUnsafeEntry(await archived(...odd))).rejects.toThrow()
  await writeFile(join(folder, 'no.tar.gz'), 'no')
  await expect(findUnsafeEntry(join(folder, 'no.tar.gz'))).rejects.toThrow()
})

test('a package is unpacked, and a folder removed, only after the checksum of the package has matched', async () => {
  const where = { dataDir: join(folder, 'datos'), beside: join(folder, 'versiones') }
  await mkdir(where.beside)
  const take = (file: string, sum?: string) =>
    nextVersionFromPackage(file, { ...where, sum }, () => {}).then(
      () => 'taken',
      (error: Error) => error.message,
    )
  const sumOf = async (file: string) =>
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex')
  const named = (version: string) =>
    archived(
      block('p/', '5'),
      block('p/paquete.json', '0', '', '{}'),
      block('p/package.json', '0', '', `{"version":"${version}"}`),
    )
  const good = await named('1.0.0')
  expect(await take(good)).toMatch(/^Falta la suma del paquete/)
  expect(await take(good, '0'.repeat(64))).toMatch(/no es el paquete de esa suma, y no se abrió/)
  const leading = await archived(block('p/', '5'), block('p/paquete.json', '0', '', '{}'), block('p/x', '2', '/etc'))
  expect(await take(leading, await sumOf(leading))).toMatch(/«p\/x» saldría de su carpeta/)
  expect(await readdir(where.beside)).toEqual([])
  await mkdir(join(folder, 'ajena'))
  const climbing = await named('../ajena')
  expect(await take(climbing, await sumOf(climbing))).toMatch(/no dice qué versión trae/)
  expect(existsSync(join(folder, 'ajena'))).toBe(true)
  expect(await readdir(where.beside)).toEqual([])
  expect(await take(good, (await sumOf(good)).toUpperCase())).toBe('taken')
  expect(await readdir(where.beside)).toEqual([expect.stringMatching(/^1\.0\.0-/)])
})
