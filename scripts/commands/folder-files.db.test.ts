import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { saveEditionFile } from '#app/cms/media/file-store.server.ts'
import { describeContentFault, listNamedFiles, readEditionFolder } from '#app/cms/schema/read-content.server.ts'
import { copyWithSmallPhotos } from '#tests/support/site/content-copy.ts'
import { openTestSite } from '#tests/support/site/test-site.ts'
import { openFiles } from './folder-files.ts'

const site = await openTestSite()
let base: string
let folder: string
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'importar-'))
  folder = join(base, 'edicion')
  await copyWithSmallPhotos('content/2025', folder)
  return () => rm(base, { recursive: true })
})
afterAll(() => site.close())

const put = (path: string, bytes: Uint8Array | string) => writeFile(join(folder, path), bytes)
/** Opens the files of one document as an import does. @returns the faults as text, and the opened files */
async function brought(document: 'inicio.yaml' | 'convocatorias.yaml' | 'maestros.yaml' | 'patrocinadores.yaml') {
  const { documents, faults } = await readEditionFolder(folder, 'edicion')
  const tempFolder = await mkdtemp(join(base, 'taller-'))
  const opened = await openFiles(site.services.db, {
    folder,
    documents: { [document]: documents[document] },
    tempFolder,
  })
  const bytesOf = async (path: string) => {
    const file = opened.files.get(path)
    return file && ('file' in file ? readFile(file.file) : Buffer.from(file.bytes))
  }
  return {
    said: [...faults, ...opened.faults].map(describeContentFault).join('\n'),
    bytesOf,
    files: opened.files,
    renamed: opened.renamedPaths,
  }
}

test('every photograph is re-encoded, unless the site stores it already', async () => {
  const place = { IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '20/1 40/1 25/1' } }
  const taken = await sharp('content/2025/inicio/ga1.jpg').withExif(place).jpeg().toBuffer()
  await put('inicio/ga1.jpg', taken)
  const dimensions = { ancho: 1600, alto: 1067, vista: 'data:image/webp;base64,UklGRg==' }
  const known = await readFile(join(folder, 'inicio/ga2.jpg'))
  await saveEditionFile(site.services, { tipo: 'image/jpeg', bytes: known, dimensions })
  const { said, bytesOf, files } = await brought('inicio.yaml')
  expect(said).toBe('')
  expect((await sharp(await bytesOf('inicio/ga1.jpg')).metadata()).exif).toBeUndefined()
  expect(files.get('inicio/ga1.jpg')?.dimensions).toMatchObject({
    ancho: expect.any(Number),
    vista: expect.any(String),
  })
  expect(known.equals((await bytesOf('inicio/ga2.jpg'))!)).toBe(true)
  expect(files.get('inicio/ga2.jpg')?.dimensions).toEqual(dimensions)
})

test('a symlink in the place of a file, a folder or a document is refused, and its target is not read', async () => {
  await writeFile(join(base, 'secreto'), 'el secreto')
  await rm(join(folder, 'inicio/ga1.jpg'))
  await symlink(join(base, 'secreto'), join(folder, 'inicio/ga1.jpg'))
  await rm(join(folder, 'convocatoria'), { recursive: true })
  await symlink(join(process.cwd(), 'content/2025/convocatoria'), join(folder, 'convocatoria'))
  await rm(join(folder, 'prensa.yaml'))
  await symlink(join(base, 'secreto'), join(folder, 'prensa.yaml'))
  const { said, files } = await brought('inicio.yaml')
  expect(said).toContain('edicion/inicio.yaml › galeria[1].foto: edicion/inicio/ga1.jpg es un enlace')
  expect(said).toMatch(
    /convocatorias\.yaml › oficial\.boletin\.documento: edicion\/convocatoria\/boletin\.docx es un enlace/,
  )
  expect(said).toMatch(/prensa\.yaml: es un enlace/)
  expect(files.has('inicio/ga1.jpg')).toBe(false)
})

test('a path that leads out of the folder names no file', async () => {
  for (const path of ['inicio/../../secreto.jpg', '/etc/secreto.jpg', '../secreto.pdf', 'a/../b.svg'])
    expect([path, listNamedFiles({ foto: path })]).toEqual([path, []])
})

test('a file whose content does not match its extension is refused by name', async () => {
  const html = '<!doctype html><script>alert(1)</script>'
  await put('inicio/ga1.jpg', html)
  await put('inicio/fondo.webm', await readFile('content/2025/inicio/fondo.mp4'))
  await put('inicio/fondo.mp4', html)
  const { said } = await brought('inicio.yaml')
  expect(said).toMatch(/inicio\/ga1\.jpg: «ga1\.jpg» no es una fotografía/)
  expect(said).toMatch(/inicio\/fondo\.webm: no es por dentro lo que dice su nombre/)
  expect(said).toMatch(/inicio\/fondo\.mp4: «fondo\.mp4» no es un video/)
})

test('an SVG logo becomes a picture under another path', async () => {
  const { documents } = await readEditionFolder(folder, 'edicion')
  const mark = listNamedFiles(documents['patrocinadores.yaml']).find(({ path }) => path.endsWith('.svg'))!.path
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script><path d="M0 0h9v9z"/></svg>'
  await put(mark, svg)
  const marks = await brought('patrocinadores.yaml')
  expect(marks.said).toBe('')
  expect(marks.renamed.get(mark)).toBe(`${mark}.png`)
  expect(marks.files.has(mark)).toBe(false)
  expect(await sharp(await marks.bytesOf(`${mark}.png`)).metadata()).toMatchObject({ format: 'png', height: 480 })
})

test('a document whose YAML aliases expand without end is refused', async () => {
  const laughs = Array.from({ length: 9 }, (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at},`.repeat(9)}]`)
  await put('prensa.yaml', ['l0: &l0 ja', ...laughs].join('\n'))
  expect((await readEditionFolder(folder, 'edicion')).faults.map(describeContentFault).join()).toMatch(
    /prensa\.yaml: se repite/,
  )
})
