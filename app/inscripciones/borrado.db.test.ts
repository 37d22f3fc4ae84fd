import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { avisarDelPaso } from '#app/mensajes/mutations.server.ts'
import { createClock } from '#app/platform/clock.server.ts'
import { outboxOf } from '#app/platform/mail-folder.server.ts'
import type { ObjectStorage } from '#app/platform/storage.server.ts'
import { sembrarInscripcion } from '../../tests/inscripciones.ts'
import { openTestSite, type TestSite } from '../../tests/registro.ts'
import { countVencidas, deleteInscripcion, deleteVencidas, listPlazos, recoverBorrados } from './borrado.server.ts'
import { countInscripciones, findFolio, listBorrados, listInscripciones, readInscripcion } from './data.server.ts'
import { findByFolio } from './folio.server.ts'
import { askDocumento, changeEstado } from './mutations.server.ts'

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

const autor = { quien: null, desde: 'prueba' }
const objects = async () => {
  const paths: string[] = []
  for (const bucket of ['registro', 'registrotrajes'])
    for await (const path of site.services.storage.list(bucket, '')) paths.push(path)
  return paths
}
/** Every word of every table that has to do with entries. */
async function everything(): Promise<string> {
  const tables = ['inscripciones', 'registros', 'trajes_tipicos', 'documentos', 'cambios', 'solicitudes', 'entregas']
  const texts = await Promise.all(
    [...tables, 'correos', 'borrados', 'bitacora'].map((table) =>
      sql<{ text: string }>`select coalesce(string_agg(t::text, ' '), '') as text from ${sql.table(table)} t`.execute(
        site.services.db,
      ),
    ),
  )
  return texts.map(({ rows }) => rows[0]!.text).join(' ')
}

test('an entry goes with its objects, rows, history and mail; a line of the log without a name stays', async () => {
  const { db } = site.services
  const id = await sembrarInscripcion(site.services, { titular: 'Rosalía Nopal', tipo: 'traje' })
  const other = await sembrarInscripcion(site.services, { titular: 'Otra Biznaga' })
  const { folio } = await db.selectFrom('inscripciones').select('folio').where('id', '=', id).executeTakeFirstOrThrow()
  await changeEstado(db, { id, version: 1 }, { a: 'aceptada', nota: 'Rosalía Nopal trajo todo' }, autor)
  await sql`insert into correos (idempotency_key, kind, priority, recipient, subject, body_text, body_html, expires_at, inscripcion_id)
    values (${`inscripcion:${folio}`}, 'inscripcion', 1, 'disenos@correo.example', 'Rosalía Nopal', 'x', 'x', now(), ${id})`.execute(
    db,
  )
  const { documentos } = (await readInscripcion(db, id))!
  const avisar = (tx: typeof db) => avisarDelPaso(tx, site.services, id, autor)
  const asked = { documento: documentos[0]!.id, nota: 'Está borroso', avisar }
  expect(await askDocumento(db, { id, version: 2 }, asked, autor)).toEqual({ ok: true })
  expect(await everything()).toContain('disenos@correo.example')
  const mailed = await db.selectFrom('correos').select(['message_id', 'idempotency_key']).execute()
  const outbox = outboxOf(site.services.settings.dataDir)
  await mkdir(outbox, { recursive: true })
  for (const { message_id } of mailed) await writeFile(join(outbox, `20250801T000000.000Z-x-${message_id}.eml`), 'x')
  await writeFile(join(outbox, '20250801T000000.000Z-x-de-otra.eml'), 'x')
  // Lost from the disk already; what is known of it is not.
  const { path } = await db
    .selectFrom('documentos')
    .select('path')
    .where('id', '=', documentos[0]!.id)
    .executeTakeFirstOrThrow()
  await rm(join(site.services.settings.dataDir, 'objects/registrotrajes', path))
  expect(await findFolio(db, ` ${folio.toLowerCase().replaceAll('-', ' ')} `)).toBe(id)
  const done = await deleteInscripcion(site.services, id, 'solicitud', autor)
  expect(done).toMatchObject({ ok: true, documentos: 3, pendiente: false })
  expect(await everything()).not.toMatch(/Rosalía|disenos@|Rosalia/)
  expect(await objects()).toHaveLength(7)
  expect(await readdir(outbox)).toEqual(['20250801T000000.000Z-x-de-otra.eml'])
  const cards = await readdir(join(site.services.settings.dataDir, 'objects/.meta'), { recursive: true })
  expect(cards.filter((name) => name.endsWith('.json'))).toHaveLength(7)
  expect(await findFolio(db, folio)).toBeUndefined()
  const { pendientes, hechos } = await listBorrados(db)
  expect(pendientes).toEqual([])
  expect(hechos).toMatchObject([{ acuse: done.ok && done.acuse, motivo: 'solicitud' }])
  expect(await deleteInscripcion(site.services, id, 'solicitud', autor)).toEqual({ ok: false, reason: 'desconocida' })
  expect((await deleteInscripcion(site.services, other, 'solicitud', autor)).ok).toBe(true)
  expect(await objects()).toEqual([])
})

test('a deletion that fails halfway is finished later, once, under the same receipt', async () => {
  const id = await sembrarInscripcion(site.services, { titular: 'Lidia Pitaya' })
  let left = 2
  const failing: ObjectStorage = Object.assign(Object.create(site.services.storage), {
    async remove(bucket: string, path: string) {
      if (left-- <= 0) throw new Error('the disk does not answer')
      await site.services.storage.remove(bucket, path)
    },
  })
  const half = await deleteInscripcion({ ...site.services, storage: failing }, id, 'solicitud', autor)
  expect(half).toMatchObject({ ok: true, pendiente: true })
  expect(await objects()).toHaveLength(5)
  expect((await listBorrados(site.services.db)).pendientes).toMatchObject([{ acuse: half.ok && half.acuse }])
  // Meanwhile it is shown nowhere, neither to the organisers nor to the person.
  expect(await readInscripcion(site.services.db, id)).toBeUndefined()
  expect((await listInscripciones(site.services.db, { edicion: 2025 })).renglones.map((one) => one.id)).not.toContain(
    id,
  )
  const { folio } = await site.services.db
    .selectFrom('inscripciones')
    .select('folio')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect((await countInscripciones(site.services.db, 2025)).candidata.recibida).toBe(0)
  expect(await findFolio(site.services.db, folio)).toBeUndefined()
  expect(await findByFolio(site.services.db, folio)).toBeUndefined()
  await recoverBorrados({ ...site.services, storage: failing })
  expect(await objects()).toHaveLength(5)
  // Two processes come to it at once.
  await Promise.all([recoverBorrados(site.services), recoverBorrados(site.services)])
  expect(await objects()).toEqual([])
  expect(await everything()).not.toContain('Lidia')
  const { pendientes, hechos } = await listBorrados(site.services.db)
  expect(pendientes).toEqual([])
  expect(hechos.filter(({ acuse }) => acuse === (half.ok && half.acuse))).toHaveLength(1)
})

test('how many entries a number of days would delete within a day is known beforehand', async () => {
  const early = await sembrarInscripcion(site.services, { createdAt: new Date('2025-08-01') })
  const late = await sembrarInscripcion(site.services, { createdAt: new Date('2025-10-10') })
  const other = await sembrarInscripcion(site.services, { edicion: 1999, createdAt: new Date('1999-06-01') })
  const on = (moment: string, dias: number, machine = '2026-06-01') =>
    countVencidas({ ...site.services, clock: createClock(moment) }, dias, new Date(machine))
  // The final is on 27 September at 20:00.
  expect(await on('2025-09-20', 1)).toBe(0)
  expect(await on('2025-10-15', 90)).toBe(0)
  expect(await on('2025-10-15', 9)).toBe(1)
  // The second one's time comes some hours later, after five days.
  expect(await on('2025-10-14T12:00:00Z', 5)).toBe(2)
  expect(await on('2025-10-13T12:00:00Z', 5)).toBe(1)
  expect(await on('2026-06-01', 9, '2025-09-20')).toBe(0)
  await deleteInscripcion(site.services, early, 'solicitud', autor)
  expect(await on('2025-10-15', 9)).toBe(0)
  for (const id of [late, other]) await deleteInscripcion(site.services, id, 'solicitud', autor)
})

test('when its time has come an entry goes by itself; not before, nor by a clock that was moved ahead', async () => {
  const { db } = site.services
  const old = await sembrarInscripcion(site.services, { createdAt: new Date('2025-08-01') })
  const late = await sembrarInscripcion(site.services, { createdAt: new Date('2025-12-20') })
  const at = (moment: string) => ({ ...site.services, clock: createClock(moment) })
  const ids = async () =>
    (await db.selectFrom('inscripciones').select('id').orderBy('id').execute()).map(({ id }) => id)
  // The final is on 27 September at 20:00; ninety days later it is 26 December.
  expect(await listPlazos(db)).toMatchObject([{ cuantas: 2, dias: 90, desde: new Date('2025-12-27T02:00:00Z') }])
  expect(await deleteVencidas(at('2025-12-27T01:59:00Z'), new Date('2026-06-01'))).toBe(0)
  expect(await deleteVencidas(at('2026-06-01'), new Date('2025-12-01'))).toBe(0)
  expect(await ids()).toEqual([old, late])
  expect(await deleteVencidas(at('2025-12-27T02:01:00Z'), new Date('2026-06-01'))).toBe(1)
  expect(await ids()).toEqual([late])
  // What the organisers set holds from the next sweep on.
  await db.insertInto('ajustes').values({ edicion: 2025, nombre: 'privacidad.dias', valor: '10' }).execute()
  expect(await deleteVencidas(at('2025-12-31'), new Date('2026-06-01'))).toBe(1)
  // Of an edition whose content is gone, the year is enough.
  await sembrarInscripcion(site.services, { edicion: 1999, createdAt: new Date('1999-06-01') })
  expect(await deleteVencidas(at('2025-08-01'), new Date('2026-06-01'))).toBe(1)
  expect(await objects()).toEqual([])
})
