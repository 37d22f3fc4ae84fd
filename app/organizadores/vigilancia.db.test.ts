import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestSite, type TestSite } from '../../tests/registro.ts'
import { vigilarEspacio } from './vigilancia.server.ts'

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

test('every organiser is told by mail that the disk is nearly full, once a day', async () => {
  const { pool } = site.database
  await pool.query(`insert into profiles (id, name, email, role, baja_at) values
    ('a', 'Ana', 'ana@feria.example', 'admin', null), ('b', 'Eva', 'eva@feria.example', 'admin', null),
    ('c', 'Ida', 'ida@feria.example', 'admin', now()), ('d', 'Uma', 'uma@diario.example', 'prensa', null),
    ('e', 'Zoe', 'zoe@correo.mx', null, null)`)
  const full = { ...site.services, settings: { ...site.services.settings, piso: { bytes: Number.MAX_SAFE_INTEGER } } }
  const day = new Date('2025-09-20T12:00:00-06:00')
  expect(await vigilarEspacio({ ...site.services, settings: { ...full.settings, piso: { bytes: 0 } } }, day)).toBe(0)
  expect(await vigilarEspacio(full, day)).toBe(2)
  expect(await vigilarEspacio(full, new Date('2025-09-20T23:00:00-06:00'))).toBe(0)
  expect(await vigilarEspacio(full, new Date('2025-09-21T00:30:00-06:00'))).toBe(2)
  const { rows } = await pool.query(`select distinct recipient from correos where kind = 'espacio' order by 1`)
  expect(rows.map(({ recipient }) => recipient)).toEqual(['ana@feria.example', 'eva@feria.example'])
})
