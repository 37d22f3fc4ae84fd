import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeContentFault, readEdition, withoutPendingCandidates } from '#app/cms/schema/read-content.server.ts'
import { copyTexts } from '#tests/support/site/content-copy.ts'
import { createContentFolder } from './new-content-folder.server.ts'

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'edicion-'))
  await copyTexts(root)
})
afterEach(() => rm(root, { recursive: true, force: true }))

const read = (path: string) => readFile(join(root, 'content', path), 'utf8')

it('copies the edition, advances year and counts, and marks the fields that must change', async () => {
  const result = await createContentFolder(2027, root)
  expect(result).toMatchObject({ ok: true, folder: 'content/2027' })
  const { documents, faults, pendingFields } = await readEdition(root, 2027)
  expect(faults).toEqual([])
  expect(documents['edicion.yaml']).toMatchObject({ anio: 2027, numero: 103, feria: { aniversario: 102, desde: 1925 } })
  expect(result.ok && result.pendingCount).toBe(pendingFields.length)
  const fields = pendingFields.map(({ archivo, campo }) => `${archivo} ${campo}`)
  expect(fields).toEqual(
    expect.arrayContaining([
      'content/2027/edicion.yaml fechas.registro.trajes.abre',
      'content/2027/edicion.yaml fechas.cierreVotacion',
      'content/2027/edicion.yaml descripcion',
      'content/2027/candidatas.yaml candidatas[5].nombre',
      'content/2027/candidatas.yaml candidatas[1].galeria[3].foto',
      'content/2027/historia.yaml reina.bio[1]',
      'content/2027/convocatorias.yaml oficial.boletin.documento',
    ]),
  )
  expect(pendingFields.map(describeContentFault)[0]).toBe(
    '  content/2027/edicion.yaml › feria.inicia: dice lo de otra edición: corrígelo, y borra la marca # CAMBIAR',
  )
})

it('keeps the current edition on show, and leaves no winner to the new one', async () => {
  const before = await read('2025/popularidad.yaml')
  await createContentFolder(2026, root)
  expect(await read('2025/popularidad.yaml')).toBe(before)
  expect((await readEdition(root)).name).toBe(2025)
  expect(await readdir(join(root, 'content/2025'))).toContain('acta.json')
  expect(await readdir(join(root, 'content/2026'))).not.toContain('acta.json')
  const { documents } = await readEdition(root, 2026)
  expect(documents['popularidad.yaml']?.ganadora).toBeUndefined()
  expect(documents['popularidad.yaml']?.patrocinadores).toHaveLength(4)
  expect(await read('2026/popularidad.yaml')).toContain('#   candidata: ximena-agave-montano')
})

it('gives every candidate a new id, and marks former names for removal', async () => {
  const path = join(root, 'content/2025/candidatas.yaml')
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace(/nombre: Renata.*/, '$&\n    antes:\n      - Renata Cempazúchil Nava'))
  await createContentFolder(2026, root)
  const { documents, pendingFields } = await readEdition(root, 2026)
  expect(documents['candidatas.yaml']?.candidatas.map(({ id }) => id)).toEqual(
    [1, 2, 3, 4, 5].map((place) => `candidata-${place}`),
  )
  expect(pendingFields.map(({ campo }) => campo)).toContain('candidatas[2].antes[1]')
})

it('a field whose mark was removed is no longer pending', async () => {
  await createContentFolder(2026, root)
  const before = (await readEdition(root, 2026)).pendingFields.length
  const path = join(root, 'content/2026/candidatas.yaml')
  await writeFile(
    path,
    (await readFile(path, 'utf8')).replace(/Valeria Bugambilia Olmos # CAMBIAR/, 'Inés Biznaga Ruiz'),
  )
  const { documents, pendingFields } = await readEdition(root, 2026)
  expect(pendingFields).toHaveLength(before - 1)
  expect(documents['candidatas.yaml']?.candidatas[0]?.nombre).toBe('Inés Biznaga Ruiz')
})

it('shows no candidates of the year before: there are none until every mark in their document is removed', async () => {
  await createContentFolder(2026, root)
  const names = async () =>
    withoutPendingCandidates(await readEdition(root, 2026)).documents['candidatas.yaml']?.candidatas.map(
      ({ nombre }) => nombre,
    )
  expect(await names()).toEqual([])
  const path = join(root, 'content/2026/candidatas.yaml')
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll(' # CAMBIAR', ''))
  expect(await names()).toHaveLength(5)
})

it('changes nothing for a past year, an existing folder or an edition with faults', async () => {
  const folders = await readdir(join(root, 'content'))
  expect(await createContentFolder(2025, root)).toEqual({ ok: false, reason: 'debe ser un año posterior a 2025' })
  await createContentFolder(2026, root)
  expect(await createContentFolder(2026, root)).toEqual({ ok: false, reason: 'ya existe la carpeta content/2026' })
  await writeFile(join(root, 'content/2025/maestros.yaml'), 'maestros: [')
  expect(await createContentFolder(2028, root)).toMatchObject({
    ok: false,
    reason: expect.stringContaining('tiene fallas'),
  })
  expect(await readdir(join(root, 'content'))).toEqual([...folders, '2026'].sort())
})
