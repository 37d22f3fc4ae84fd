import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nextVersionFromPackage } from './next-version.ts'
import { unpackPackage } from './package-archive.ts'

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
const sumOf = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex')

/** Unpacks an archive below `parent`. @returns its folder, or the refusal */
async function unpack(file: string, parent = folder): Promise<string> {
  const draft = await mkdtemp(join(parent, 'nueva-'))
  return unpackPackage(file, await sumOf(file), draft).catch((error: Error) => error.message)
}

test('an archive of tar is unpacked: folders, files, long names, and links that stay inside the archive', async () => {
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
    expect(await readFile(join(await unpack(file), 'carpeta/enlace'), 'utf8')).toBe('uno')
  }
})

test('an archive is refused, and writes nothing outside, when a name or a link leads there, or an entry is no file, folder or link', async () => {
  const parent = join(folder, 'jaula')
  await mkdir(join(parent, 'ajena'), { recursive: true })
  await writeFile(join(parent, 'ajena/secreto'), 'secreto')
  const secret = join(parent, 'ajena/secreto')
  const top = block('p/', '5')
  const bad: [RegExp, Buffer[]][] = [
    [/«tmp» saldría/, [top, block(join(parent, 'x'))]],
    [/Member name contains '\.\.'/, [block('../x')]],
    [/Member name contains '\.\.'/, [top, block('p/../../x')]],
    [/«q» saldría/, [top, block('q/x')]],
    [/«p» saldría/, [block('p', '2', '/etc')]],
    [/no se pudo abrir/, [block('p', '2', '..'), block('p/x')]],
    [/«p\/enlace» saldría/, [top, block('p/enlace', '2', '/etc')]],
    [/«p\/enlace» saldría/, [top, block('p/enlace', '2', '../../etc')]],
    [/«p\/enlace» saldría/, [top, block('p/enlace', '2', '../../../ajena')]],
    [/no se pudo abrir/, [top, block('p/a', '2', '../../../ajena'), block('p/a/x')]],
    [/no se pudo abrir/, [top, block('p/a', '2', join(parent, 'ajena')), block('p/a/x')]],
    [/no se pudo abrir/, [top, block('p/a', '2', 'b'), block('p/a/x')]],
    [/«p\/a» saldría/, [top, block('p/a', '2', '../../../ajena/secreto'), block('p/a')]],
    [/no se pudo abrir/, [top, block('p/duro', '1', '/etc/shadow')]],
    [/no se pudo abrir/, [top, block('p/duro', '1', secret)]],
    [/no se pudo abrir/, [top, block('p/duro', '1', 'p/../../x')]],
    [/no se pudo abrir/, [top, block('p/duro', '1', 'p/../../../ajena/secreto')]],
    [/no se pudo abrir/, [top, block('p/a', '2', '../../../ajena'), block('p/duro', '1', 'p/a/secreto')]],
    [/«p\/disco» saldría|no se pudo abrir/, [top, block('p/disco', '4')]],
    [/«p\/tubo» saldría/, [top, block('p/tubo', '6')]],
    [/Member name contains '\.\.'/, [pax('path=../x'), block('p/x')]],
    [/«p\/enlace» saldría/, [top, pax('linkpath=/etc'), block('p/enlace', '2', 'x')]],
    [/Member name contains '\.\.'/, [block('././@LongLink', 'L', '', '../largo\0'), block('p/x')]],
    [/«» saldría/, []],
    [/no se pudo abrir/, [pax('size=9999'), block('p/x')]],
    // An inner folder under a link's way changes where the way leads.
    [
      /«p\/e» saldría/,
      [top, block('p/s/', '5'), block('p/s/t/', '5'), block('p/s/t/u', '2', '../..'), block('p/e', '2', 's/t/u/..')],
    ],
  ]
  for (const [refusal, blocks] of bad) expect.soft(await unpack(await archived(...blocks), parent)).toMatch(refusal)
  const cut = await archived(block('p/x', '0', '', 'x'.repeat(4_000)).subarray(0, 512))
  expect(await unpack(cut, parent)).toMatch(/no se pudo abrir/)
  await writeFile(join(folder, 'no.tar.gz'), 'no')
  expect(await unpack(join(folder, 'no.tar.gz'), parent)).toMatch(/no se pudo abrir/)
  // A file under a link's name replaces the link.
  const over = await unpack(
    await archived(top, block('p/b'), block('p/a', '2', 'b'), block('p/a', '0', '', 'x')),
    parent,
  )
  expect([await readFile(join(over, 'a'), 'utf8'), await readFile(join(over, 'b'), 'utf8')]).toEqual(['x', ''])

  expect((await readdir(parent)).filter((name) => !name.startsWith('nueva-'))).toEqual(['ajena'])
  expect([await readdir(join(parent, 'ajena')), await readFile(secret, 'utf8')]).toEqual([['secreto'], 'secreto'])
})

test('a package is unpacked, and a folder removed, only after the checksum of the package has matched', async () => {
  const where = { dataDir: join(folder, 'datos'), preferredFolder: join(folder, 'versiones') }
  await mkdir(where.preferredFolder)
  const take = (file: string, sum?: string) =>
    nextVersionFromPackage(file, { ...where, checksum: sum }, () => {}).then(
      () => 'taken',
      (error: Error) => error.message,
    )
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
  expect(await readdir(where.preferredFolder)).toEqual([])
  await mkdir(join(folder, 'ajena'))
  const climbing = await named('../ajena')
  expect(await take(climbing, await sumOf(climbing))).toMatch(/no dice qué versión trae/)
  expect(existsSync(join(folder, 'ajena'))).toBe(true)
  expect(await readdir(where.preferredFolder)).toEqual([])
  expect(await take(good, (await sumOf(good)).toUpperCase())).toBe('taken')
  expect(await readdir(where.preferredFolder)).toEqual([expect.stringMatching(/^1\.0\.0-/)])
})
