import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readEntry } from '#app/entries/data.server.ts'
import { deleteEntry } from '#app/entries/retention/deletion.server.ts'
import { databaseBefore } from '#tests/support/persistence/database.ts'
import { documents, openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { recoverSubmissions } from './journal.server.ts'

/** Data of the previous version, whose columns had other names. */

let site: TestSite
let upgrade: () => Promise<void>
beforeAll(async () => {
  const before = await databaseBefore('20260120')
  upgrade = before.upgrade
  site = await openTestSite(undefined, before)
})
afterAll(() => site.close())

const SUM = (body: Buffer) => createHash('sha256').update(body).digest('hex')
const TYPES = { pdf: 'application/pdf', jpg: 'image/jpeg', png: 'image/png', HEIC: 'image/heic' }
const DATA = { nombre: 'Ana Colorín', edad: 21, estatura: 1.66, gradoEstudio: 'Egresada', celular: '33 0000 0000' }

/** The documents of an entry as the previous version planned to store them, their objects stored already. */
async function storedBefore(folder: string) {
  const planned = documents().map(({ clase, lado, name, body }) => ({
    ...{ subida: randomUUID(), clase, lado: lado ?? null, filename: name, body, size: body.length, sha256: SUM(body) },
    path: `${folder}/${lado ? `${clase}_${lado}` : clase}/1754071200000_${name}`,
    contentType: TYPES[name.split('.').at(-1) as keyof typeof TYPES],
  }))
  for (const { path, contentType, body } of planned)
    await site.services.storage.putBytes('registro', path, body, { contentType, cacheControlSeconds: 3600 })
  return planned.map(({ body: _, ...one }) => one)
}

test('an entry keeps its values, an interrupted submission is finished, and both are deleted whole', async () => {
  const { pool } = site.database
  const stored = await storedBefore('7_Ana_Colorin')
  const { rows } = await pool.query(
    `with entrada as (
       insert into inscripciones (tipo, edicion, folio, titular, edad, celular, created_at)
       values ('candidata', 2025, '7K3M-Q9XT-04WB', 'Ana Colorín', 21, '33 0000 0000', now()) returning id
     ), fila as (
       insert into registros (inscripcion_id, nombre, edad, estatura, grado_estudio, celular, carpeta, metadata_path, created_at)
       select id, 'Ana Colorín', 21, 1.66, 'Egresada', '33 0000 0000', '7_Ana_Colorin', '7_Ana_Colorin/metadata_1.json', now()
       from entrada
     ), papeles as (
       insert into documentos (inscripcion_id, clase, lado, path, nombre_archivo, content_type, size_bytes, sha256)
       select id, d->>'clase', d->>'lado', d->>'path', d->>'filename', d->>'contentType', (d->>'size')::int, d->>'sha256'
       from entrada, jsonb_array_elements($1::jsonb) d
     ), hecha as (
       insert into entregas (clave, estado, huella, tipo, inscripcion_id) select repeat('a', 64), 'guardada', 'x', 'candidata', id
       from entrada
     ) select id from entrada`,
    [JSON.stringify(stored)],
  )
  const plan = {
    ...{ que: 'alta', tipo: 'candidata', id: 8, edicion: 2025, datos: DATA, folio: '8K3M-Q9XT-04WB' },
    ...{ folder: '8_Ana_Colorin', timestamp: 1_754_071_200_000, metadata: '{}' },
    documentos: await storedBefore('8_Ana_Colorin'),
  }
  await pool.query(
    `insert into entregas (clave, estado, huella, plan, tipo) values (repeat('b', 64), 'guardando', 'y', $1, 'candidata')`,
    [JSON.stringify(plan)],
  )

  await upgrade()

  const { db } = site.services
  const shown = async (id: number) => (await readEntry(db, id))?.fields.map(({ text }) => text)
  const values = ['Ana Colorín', '21 años', '33 0000 0000', '1.66 m', 'Egresada', 'No', 'No']
  expect(await shown(rows[0].id)).toEqual(values)
  expect((await recoverSubmissions(site.desk)).size).toBe(0)
  const finished = await db.selectFrom('inscripciones').select('id').where('folio', '=', plan.folio).execute()
  expect(finished).toHaveLength(1)
  expect(await shown(finished[0]!.id)).toEqual(values)

  for (const id of [rows[0].id, finished[0]!.id])
    expect(await deleteEntry(site.services, id, 'solicitud', { quien: null, desde: 'prueba' })).toMatchObject({
      ok: true,
      isPending: false,
    })
  expect(await db.selectFrom('entregas').selectAll().execute()).toEqual([])
})
