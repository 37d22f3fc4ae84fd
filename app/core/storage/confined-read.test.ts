import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfined } from './confined-read.server.ts'

let base: string
let folder: string
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'dentro-')))
  folder = join(base, 'carpeta')
  await mkdir(join(folder, 'fotos'), { recursive: true })
  await mkdir(join(base, 'carpeta-vecina'))
  for (const file of ['secreto', 'carpeta-vecina/secreto', 'carpeta/fotos/a.jpg'])
    await writeFile(join(base, file), file)
})
afterAll(() => rm(base, { recursive: true }))

const read = async (path: string, from = folder) => {
  const found = await readConfined(from, path, 100)
  return typeof found === 'string' ? found : found.toString()
}

test('a file of the folder is read, also where the folder itself is reached by a link', async () => {
  expect(await read('fotos/a.jpg')).toBe('carpeta/fotos/a.jpg')
  await symlink(folder, join(base, 'por-enlace'))
  expect(await read('fotos/a.jpg', join(base, 'por-enlace'))).toBe('carpeta/fotos/a.jpg')
})

test('nothing outside the folder is read: by links of files and folders, by «..», by a whole path, by a neighbour of its name', async () => {
  await symlink(join(base, 'secreto'), join(folder, 'fotos/enlace.jpg'))
  await symlink('../../secreto', join(folder, 'fotos/relativo.jpg'))
  await symlink(base, join(folder, 'afuera'))
  await symlink('a.jpg', join(folder, 'fotos/adentro.jpg'))
  for (const path of [
    'fotos/enlace.jpg',
    'fotos/relativo.jpg',
    'fotos/adentro.jpg',
    'afuera/secreto',
    'afuera/carpeta/fotos/a.jpg',
    '../secreto',
    'fotos/../../secreto',
    '../carpeta-vecina/secreto',
    join(base, 'secreto'),
  ])
    expect([path, await read(path)]).toEqual([path, 'outside'])
})

test('a pipe, a device or a folder is not opened, and a file that is too large not read', async () => {
  execFileSync('mkfifo', [join(folder, 'tubo.jpg')])
  expect(await read('tubo.jpg')).toBe('notAFile')
  expect(await read('fotos')).toBe('notAFile')
  expect(await read('zero', '/dev')).toBe('notAFile')
  await writeFile(join(folder, 'grande.jpg'), Buffer.alloc(101))
  expect(await read('grande.jpg')).toBe('large')
  expect(await read('nada.jpg')).toBe('missing')
})

test('a folder that becomes a link between looking and opening leads nowhere else', async () => {
  const swapped = join(folder, 'cambia')
  await mkdir(swapped)
  await writeFile(join(swapped, 'secreto'), 'de adentro')
  let isOver = false
  const swapping = (async () => {
    while (!isOver) {
      await rename(swapped, `${swapped}.aparte`)
      await symlink(base, swapped)
      await rm(swapped)
      await rename(`${swapped}.aparte`, swapped)
    }
  })()
  const seen = new Set<string>()
  for (let at = 0; at < 2_000; at++) seen.add(await read('cambia/secreto'))
  isOver = true
  await swapping
  expect(seen).not.toContain('secreto')
  expect(await read('cambia/secreto')).toBe('de adentro')
})
