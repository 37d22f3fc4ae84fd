// Longer than 350 lines: every kind of document and fault is shown and downloaded once, on one site.
import { randomBytes } from 'node:crypto'
import { readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { PDFDocument } from '@cantoo/pdf-lib'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DocumentMediaType } from '#app/entries/definitions/document-kinds.ts'
import { exportCsv, exportXlsx, exportZip, readEntryBatches } from '#app/entries/exports.server.ts'
import { candidateFiles, type SeededFile, seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { renderInSandbox } from './render-sandbox.server.ts'
import {
  type DocumentFile,
  findOpeningRefusal,
  findViewingRefusal,
  listDocumentFiles,
  prepareDownload,
  prepareView,
} from './viewing.server.ts'

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

const picture = (background: string, size = 600) =>
  sharp({ create: { width: size, height: size, channels: 3, background } })
    .jpeg()
    .toBuffer()

/** Seeds an entry, after its documents were changed. */
async function sown(change: (files: SeededFile[]) => void | Promise<void>, edition = 2025, titular = 'Ana') {
  const files = candidateFiles()
  for (const one of files) one.body = await picture('#888')
  await change(files)
  const id = await seedEntry(site.services, { files, edicion: edition, titular })
  return { id, files: await listDocumentFiles(site.services.db, [id]) }
}
const of = (files: DocumentFile[], kind: string) => files.find((one) => one.clase === kind)!
const put = (files: SeededFile[], kind: string, type: string, body: Buffer) =>
  Object.assign(files.find((one) => one.clase === kind)!, { tipo: type, body })

/** Number of pixels that differ from the plain grey of the seeded pictures. */
async function marked(body: Buffer): Promise<number> {
  const { data } = await sharp(body).greyscale().raw().toBuffer({ resolveWithObject: true })
  return data.filter((value) => Math.abs(value - 0x88) > 20).length
}

test('identity documents bear the mark, shown or downloaded; other documents are downloaded as they came', async () => {
  const { files: storedFiles } = await sown(() => {})
  for (const look of [prepareView, prepareDownload]) {
    const record = await look(site.services, of(storedFiles, 'actaNacimiento'))
    expect(record.ok && (await marked(record.body))).toBeGreaterThan(2_000)
  }
  const face = of(storedFiles, 'fotoRostro')
  const [shown, taken] = [await prepareView(site.services, face), await prepareDownload(site.services, face)]
  expect(shown.ok && (await marked(shown.body))).toBe(0)
  expect(taken.ok && taken.body).toEqual(await buffer((await site.services.storage.get(face.bucket, face.path))!))
})

test('pictures for the jury’s cards are as small as they are printed, JPEG and HEIC alike', async () => {
  const large = await picture('#888', 2_000)
  const heic = await readFile('tests/samples/foto.heic')
  const { files: storedFiles } = await sown((all) => {
    put(all, 'fotoCuerpo', 'image/jpeg', large)
    put(all, 'fotoRostro', 'image/heic', heic)
  })
  const widths = []
  for (const kind of ['fotoCuerpo', 'fotoRostro']) {
    const shown = await prepareView(site.services, of(storedFiles, kind), 'ficha')
    widths.push(shown.ok && (await sharp(shown.body).metadata()).width)
  }
  expect(widths).toEqual([900, 320])
})

test('a photograph of an iPhone is shown and marked like any other', async () => {
  const heic = await readFile('tests/samples/foto.heic')
  const { files: storedFiles } = await sown((all) => {
    put(all, 'actaNacimiento', 'image/heic', heic)
    put(all, 'fotoRostro', 'image/heic', heic)
  })
  const [face, record] = [of(storedFiles, 'fotoRostro'), of(storedFiles, 'actaNacimiento')]
  expect(await findViewingRefusal(site.services, face)).toBeUndefined()
  const plain = await prepareView(site.services, face)
  if (!plain.ok) throw new Error(plain.reason)
  // The sample is green, with a red disc on the left.
  const pixel = async (body: Buffer, left: number) => [
    ...(await sharp(body).extract({ left, top: 120, width: 1, height: 1 }).raw().toBuffer()),
  ]
  expect((await sharp(plain.body).metadata()).width).toBe(320)
  const [disc, ground] = [await pixel(plain.body, 80), await pixel(plain.body, 250)]
  expect(disc[0]! - disc[1]!).toBeGreaterThan(120)
  expect(ground[1]! - ground[0]!).toBeGreaterThan(60)
  const taken = await prepareDownload(site.services, record)
  expect(taken.ok && taken.extension).toBe('jpg')
  expect(taken.ok && taken.body.equals(plain.body)).toBe(false)
})

test('a document that is lost, damaged, too large or unreadable says so', async () => {
  // The header claims 30,000 × 30,000 pixels; the bytes after it are never read.
  const huge = await sharp({ create: { width: 1, height: 1, channels: 3, background: '#fff' } })
    .png()
    .toBuffer()
  huge.writeUInt32BE(30_000, 16)
  huge.writeUInt32BE(30_000, 20)
  huge.writeUInt32BE(crc32(huge.subarray(12, 29)), 29)
  const { files: storedFiles } = await sown((all) => {
    put(all, 'actaNacimiento', 'image/png', huge)
    put(all, 'constanciaEstudios', 'application/pdf', Buffer.from('%PDF-1.7\nroto'))
    put(all, 'fotoRostro', 'image/heic', Buffer.from('\0\0\0\x18ftypheic'))
    put(all, 'fotoCuerpo', 'image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]))
  })
  const [front, back] = storedFiles.filter(({ clase }) => clase === 'credencialElector')
  await site.services.storage.remove(front!.bucket, front!.path)
  await writeFile(join(site.dataDir, 'objects', back!.bucket, back!.path), 'otra cosa')
  const before = process.memoryUsage.rss()
  const reasons = []
  for (const file of storedFiles) {
    const shown = await prepareView(site.services, file)
    reasons.push([file.clase, shown.ok ? '' : shown.reason])
    expect(await findViewingRefusal(site.services, file)).toBe(shown.ok ? undefined : shown.reason)
  }
  const taken = (file: DocumentFile) => prepareDownload(site.services, file, true)
  expect(await taken(front!)).toEqual({ ok: false, reason: 'perdido' })
  expect(await taken(back!)).toEqual({ ok: false, reason: 'danado' })
  expect(process.memoryUsage.rss() - before).toBeLessThan(300 * 2 ** 20)
  expect(reasons).toEqual([
    ['actaNacimiento', 'grande'],
    ['credencialElector', 'perdido'],
    ['credencialElector', 'danado'],
    ['constanciaEstudios', ''],
    ['fotoRostro', 'ilegible'],
    ['fotoCuerpo', 'ilegible'],
  ])
})

/** The reason why a received file is refused, or undefined. */
async function sent(type: DocumentMediaType, body: Buffer) {
  const file = join(site.dataDir, 'enviado')
  await writeFile(file, body)
  return findOpeningRefusal(file, type, 'una red')
}
/** A picture of random pixels, without plain areas. */
const noise = (width: number, height: number) =>
  sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })

test('files of cheap phones and scanners are accepted, also without their last bytes', async () => {
  const jpeg = await noise(600, 400).jpeg().toBuffer()
  const png = await noise(600, 400).png().toBuffer()
  const webp = await noise(600, 400).webp().toBuffer()
  const turned = await noise(600, 400).withMetadata({ orientation: 6 }).jpeg().toBuffer()
  const taken: [string, DocumentMediaType, Buffer][] = [
    ['a progressive JPEG', 'image/jpeg', await noise(600, 400).jpeg({ progressive: true }).toBuffer()],
    ['one for printers (CMYK)', 'image/jpeg', await noise(600, 400).toColourspace('cmyk').jpeg().toBuffer()],
    ['one that is turned', 'image/jpeg', turned],
    ['a grey one', 'image/jpeg', await noise(600, 400).greyscale().jpeg().toBuffer()],
    ['one with something hung on', 'image/jpeg', Buffer.concat([jpeg, randomBytes(5_000)])],
    ['JPEG without its last two bytes', 'image/jpeg', jpeg.subarray(0, -2)],
    ['JPEG of which a third is missing', 'image/jpeg', jpeg.subarray(0, (jpeg.length * 2) / 3)],
    ['PNG without its last two bytes', 'image/png', png.subarray(0, -2)],
    [
      'PNG of 16 bits, interlaced',
      'image/png',
      await noise(600, 400).toColourspace('rgb16').png({ progressive: true }).toBuffer(),
    ],
    ['WebP without its last two bytes', 'image/webp', webp.subarray(0, -2)],
    [
      'a single white pixel',
      'image/png',
      await sharp({ create: { width: 1, height: 1, channels: 3, background: '#fff' } })
        .png()
        .toBuffer(),
    ],
    ['a plain grey sheet', 'image/jpeg', await picture('#808080')],
    ['HEIC', 'image/heic', await readFile('tests/samples/foto.heic')],
    ['a PDF with a strange lock', 'application/pdf', Buffer.from('%PDF-1.7\n1 0 obj\n<</Encrypt 2 0 R>>\nendobj\n')],
    ['one locked by an owner’s password', 'application/pdf', await readFile('tests/samples/pdf/owner-aes-256.pdf')],
    ['a damaged PDF', 'application/pdf', Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(3_000)])],
  ]
  for (const [what, type, body] of taken) expect([what, await sent(type, body)]).toEqual([what, undefined])
})

test('files without a visible picture are refused: headers alone, and pictures mostly missing', async () => {
  const jpeg = await noise(600, 400).jpeg().toBuffer()
  const png = await noise(600, 400).png().toBuffer()
  const webp = await noise(600, 400).webp().toBuffer()
  const refused: [string, DocumentMediaType, Buffer][] = [
    ['the head of a JPEG', 'image/jpeg', jpeg.subarray(0, 640)],
    ['a quarter of one', 'image/jpeg', jpeg.subarray(0, jpeg.length / 4)],
    ['a quarter of a PNG', 'image/png', png.subarray(0, png.length / 4)],
    ['half a WebP', 'image/webp', webp.subarray(0, webp.length / 2)],
    ['a head and noughts', 'image/jpeg', Buffer.concat([jpeg.subarray(0, 640), Buffer.alloc(5_000)])],
    ['half a HEIC', 'image/heic', (await readFile('tests/samples/foto.heic')).subarray(0, 600)],
    ['nothing behind a PDF’s head', 'application/pdf', Buffer.from('%PDF-1.4\n%%EOF')],
  ]
  for (const [what, type, body] of refused) expect([what, await sent(type, body)]).toEqual([what, 'ilegible'])
  expect(await sent('application/pdf', await readFile('tests/samples/pdf/user-aes-256.pdf'))).toBe('protegido')
  // The panel reports the fault in words instead of showing a broken picture.
  const { files: storedFiles } = await sown((all) => {
    put(all, 'fotoRostro', 'image/jpeg', jpeg.subarray(0, 640))
  })
  expect(await findViewingRefusal(site.services, of(storedFiles, 'fotoRostro'))).toBe('ilegible')
})

test('a picture that decodes to a gigabyte is refused by its header; a large photograph is not', async () => {
  const plain = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 4, background: '#888' }, limitInputPixels: false })
  // 950 MB of pixels in a file of less than 2 MB.
  const bomb = await plain(10_900, 10_900)
    .toColourspace('rgb16')
    .png({ progressive: true, compressionLevel: 9 })
    .toBuffer()
  expect(bomb.length).toBeLessThan(2_000_000)
  expect(await sent('image/png', bomb)).toBe('grande')
  const { files: storedFiles } = await sown((all) => {
    put(all, 'fotoRostro', 'image/png', bomb)
  })
  const face = of(storedFiles, 'fotoRostro')
  expect(await prepareView(site.services, face)).toEqual({ ok: false, reason: 'grande' })
  expect(await findViewingRefusal(site.services, face)).toBe('grande')
  // 64 million pixels, the most that a telephone writes.
  expect(await sent('image/jpeg', await plain(9_248, 6_936).jpeg({ progressive: true }).toBuffer())).toBeUndefined()
}, 60_000)

test('the operating system limits the memory of the process that reads a document', async () => {
  const body = new PassThrough()
  const read = renderInSandbox(body, ['image/jpeg', 'enviado'])
  const limitsOf = async () => {
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const [stat, line] = await Promise.all(
        ['stat', 'cmdline'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
      )
      const parent = Number(stat!.slice(stat!.lastIndexOf(')') + 2).split(' ')[1])
      if (
        parent === process.pid &&
        /render\.process\.ts\0image\/jpeg\0enviado/.test(line!) &&
        !line!.startsWith('/bin/sh')
      )
        return /Max data size +(\d+)/.exec(await readFile(`/proc/${pid}/limits`, 'utf8'))?.[1]
    }
    return undefined
  }
  await expect.poll(limitsOf, { timeout: 10_000 }).toBeDefined()
  expect(Number(await limitsOf())).toBeLessThan(1.2 * 1024 ** 3)
  body.end()
  expect(await read).toMatchObject({ outcome: 'refused', errorText: 'ilegible' })
})

const BROKEN_PDF = Buffer.from('%PDF-1.7\nroto')

test('a PDF that cannot be disarmed is shown and downloaded as it came', async () => {
  const { files: storedFiles } = await sown((all) => {
    put(all, 'fotoRostro', 'application/pdf', BROKEN_PDF)
  })
  const face = of(storedFiles, 'fotoRostro')
  expect(await prepareView(site.services, face)).toMatchObject({ ok: true, body: BROKEN_PDF, lacksMark: false })
  expect(await findViewingRefusal(site.services, face)).toBeUndefined()
  expect(await prepareDownload(site.services, face)).toMatchObject({ ok: true, body: BROKEN_PDF })
})

test('an identity PDF bears the mark though an owner’s password locks it; an unreadable one says that it lacks the mark, and is downloaded in a marked cover', async () => {
  const locked = await readFile('tests/samples/pdf/owner-aes-256.pdf')
  const { id, files: storedFiles } = await sown((all) => {
    put(all, 'actaNacimiento', 'application/pdf', locked)
    put(all, 'constanciaEstudios', 'application/pdf', BROKEN_PDF)
  })
  const [record, studyCertificate] = [of(storedFiles, 'actaNacimiento'), of(storedFiles, 'constanciaEstudios')]
  for (const look of [prepareView, prepareDownload]) {
    const marked = await look(site.services, record)
    expect(marked).toMatchObject({ ok: true, contentType: 'application/pdf' })
    expect(marked.ok && !marked.lacksMark && !marked.body.includes('/Encrypt')).toBe(true)
  }
  expect(await prepareView(site.services, studyCertificate)).toMatchObject({
    ok: true,
    body: BROKEN_PDF,
    lacksMark: true,
  })
  const taken = await prepareDownload(site.services, studyCertificate)
  if (!taken.ok) throw new Error(taken.reason)
  expect(taken.lacksMark).toBeUndefined()
  const cover = await PDFDocument.load(taken.body)
  expect(cover.getPageCount()).toBe(1)
  expect(cover.getAttachments().map(({ data }) => Buffer.from(data))).toEqual([BROKEN_PDF])
  expect(await prepareDownload(site.services, studyCertificate, true)).toMatchObject({ ok: true, body: BROKEN_PDF })
  const zip = (await buffer(exportZip(site.services, { edition: 2025, ids: [id] }))).toString()
  expect(zip).toMatch(/Constancia de estudios.*Sí, con la marca/)
  expect(zip).not.toContain(BROKEN_PDF.toString())
})

test('a ZIP holds every available document, and a sheet that says which are missing', async () => {
  const { id, files: storedFiles } = await sown(() => {}, 2025, '../=cmd()"Íñigo')
  const body = of(storedFiles, 'fotoCuerpo')
  await site.services.storage.remove(body.bucket, body.path)
  const face = of(storedFiles, 'fotoRostro')
  await writeFile(join(site.dataDir, 'objects', face.bucket, face.path), 'otra cosa')
  // The reserved photograph is not looked for unless the export asks for it.
  const without = (await buffer(exportZip(site.services, { edition: 2025, ids: [id] }))).toString()
  expect(without).toMatch(/Foto de cuerpo.*No: se exporta sólo con la casilla/)
  const zip = (await buffer(exportZip(site.services, { edition: 2025, ids: [id] }, true))).toString('latin1')
  // Names as the central directory at the end of the ZIP has them.
  const names = zip
    .split('PK\u0001\u0002')
    .slice(1)
    .map((entry) => entry.slice(42, 42 + entry.charCodeAt(24)))
  expect(names).toHaveLength(6)
  expect(names[0]).toMatch(/^\w{4}-\w{4}-\w{4} cmdInigo\/1 Acta de nacimiento\.jpg$/)
  expect(names.join()).not.toMatch(/\.\.|cuerpo/)
  const sheet = Buffer.from(zip, 'latin1').toString()
  expect(sheet).toMatch(/Foto de cuerpo.*No: Este archivo ya no está/)
  expect(sheet).toMatch(/Foto de rostro.*Dañado/)
})

test('an aborted export leaves no file open', async () => {
  const { id, files: storedFiles } = await sown((all) => {
    put(all, 'fotoRostro', 'image/jpeg', randomBytes(2_000_000))
  })
  const { bucket, path } = of(storedFiles, 'fotoRostro')
  const isOpen = async () => {
    const names = await readdir('/proc/self/fd')
    const files = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
    return files.includes(join(site.dataDir, 'objects', bucket, path))
  }
  const reader = exportZip(site.services, { edition: 2025, ids: [id] }).getReader()
  while (!(await isOpen())) expect((await reader.read()).done).toBe(false)
  await reader.cancel('gone').catch(() => {})
  await expect.poll(isOpen, { timeout: 10_000 }).toBe(false)
})

test('CSV and XLSX hold every entry, and nothing that a spreadsheet would run', async () => {
  const evil = ['=cmd()', '+1+1', '-2', '@SUM(1)', '\t=1', ' =1', '<script>alert(1)</script>', 'a"b;c\u0001']
  for (const titular of evil) await seedEntry(site.services, { edicion: 2022, titular })
  const filter = { edition: 2022 }
  const csv = (await buffer(exportCsv(site.services, filter))).toString()
  expect(csv.charCodeAt(0)).toBe(0xfeff)
  expect(csv.trim().split('\r\n')).toHaveLength(evil.length + 1)
  expect(csv).not.toMatch(/(^|,|\n)"?[\s]*[=+@-]/m)
  const xlsx = (await buffer(exportXlsx(site.services, filter))).toString('latin1')
  expect(xlsx).toContain('&lt;script&gt;')
  expect(xlsx).not.toContain('<f>')
  expect(xlsx).not.toContain('\u0001<')
})

test('an export under way takes the entries of its start, each once, though others arrive and go meanwhile', async () => {
  const sow = (titular: string) => seedEntry(site.services, { edicion: 2021, titular })
  const before: number[] = []
  for (let at = 0; at < 5; at++) before.push(await sow(`Una ${at}`))
  const seen: number[] = []
  for await (const rows of readEntryBatches(site.services.db, { edition: 2021 }, 2)) {
    seen.push(...rows.map(({ id }) => id))
    await sow('Recién llegada')
    // Deletes the entry after which the next batch begins.
    await site.services.db.deleteFrom('inscripciones').where('id', '=', seen.at(-1)!).execute()
  }
  expect(seen).toEqual(before.toReversed())
})
