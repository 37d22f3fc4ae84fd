import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteInscripcion } from '#app/inscripciones/borrado.server.ts'
import { openPlace } from '#app/platform/open-storage.server.ts'
import type { Services } from '#app/platform/services.server.ts'
import { readSupresiones, readSupresionesOf } from '#app/platform/supresiones.server.ts'
import { sembrarInscripcion } from '../../tests/inscripciones.ts'
import { openTestSite, type TestSite } from '../../tests/registro.ts'
import { copiasEnPalabras, readEstadoDeCopias } from './data.server.ts'
import { hacerTurno, tocaCopia } from './turno.server.ts'

let site: TestSite
let lugar: string
let services: Services

beforeAll(async () => {
  site = await openTestSite()
  lugar = await mkdtemp(join(tmpdir(), 'certamen-noche-'))
  const settings = { ...site.services.settings, backupUrl: lugar, backupKey: 'una frase larga que nadie adivina' }
  services = { ...site.services, settings }
})
afterAll(async () => {
  await site.close()
  await rm(lugar, { recursive: true })
})

const turno = (now?: Date) => {
  const { host, port, user, database } = site.database.pool.options
  const connection = { host: host!, port: port!, user: user!, database: database! }
  return hacerTurno({ services, connection, secreto: 's'.repeat(40), root: '.' }, now)
}
const copies = async () => (await readdir(join(lugar, 'objects/copias')).catch(() => [])).length

test('each night one copy is made, once, and rehearsed once a week; the desk says so', async () => {
  expect(copiasEnPalabras(await readEstadoDeCopias(site.database.db), new Date())).toContain('Todavía no hay ninguno')
  expect(await tocaCopia(site.database.db, new Date())).toBe(true)
  await turno()
  await turno()
  expect(await copies()).toBe(1)
  const { ultima, falla, ensayo } = await readEstadoDeCopias(site.database.db)
  expect([ultima?.destino, falla, ensayo?.falla]).toEqual([lugar, undefined, null])
  expect(copiasEnPalabras(await readEstadoDeCopias(site.database.db), new Date())).toMatch(
    /^El último, el .*Ensayado el/,
  )
  await turno(new Date(Date.now() + 86_400_000))
  // Both are of this very day, of which one is kept.
  expect(await copies()).toBe(1)
  const { rows } = await site.database.pool.query(
    'select count(hecha_at)::int as made, count(ensayada_at)::int as rehearsed from copias',
  )
  expect(rows).toEqual([{ made: 2, rehearsed: 1 }])
})

test('a deletion that was asked for is beside the backups at once, and is not at its end before', async () => {
  const id = await sembrarInscripcion(services, { titular: 'Se va hoy' })
  const autor = { quien: null, desde: 'prueba' }
  const broken = join(lugar, 'roto')
  await writeFile(broken, '')
  const away = { ...services, settings: { ...services.settings, backupUrl: broken } }
  expect(await deleteInscripcion(away, id, 'solicitud', autor)).toMatchObject({ ok: true, pendiente: true })
  const left = async () => (await site.database.pool.query('select count(*)::int as n from borrados')).rows[0].n
  expect([await left(), (await readSupresiones(site.dataDir)).length]).toEqual([1, 1])
  const { recoverBorrados } = await import('#app/inscripciones/borrado.server.ts')
  await recoverBorrados(services)
  expect(await left()).toBe(0)
  expect(await readSupresionesOf(await openPlace(lugar))).toEqual(await readSupresiones(site.dataDir))
})
