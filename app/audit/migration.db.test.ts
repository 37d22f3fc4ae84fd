import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseBefore } from '#tests/support/persistence/database.ts'
import { listAuditLog, listFinishedDeletions } from './data.server.ts'
import { subjectInWords } from './schema.ts'

let database: Awaited<ReturnType<typeof databaseBefore>>
beforeAll(async () => {
  database = await databaseBefore('20260119000000')
})
afterAll(() => database.drop())

const PERIOD = '{"abre":"2025-06-01T00:00:00-06:00","cierra":"2025-07-01T00:00:00-06:00"}'
const TRUNCATED = `{"candidata":"Ana","mensaje":"${'m'.repeat(100)}`

/** Lines as the version before wrote them, each with the text that the screen showed. */
const LINES: [que: string, sobre: string | null, palabras: string | undefined][] = [
  ['acceso', null, undefined],
  ['acceso.fallido', 'cuenta-eva', 'eva@comite.example'],
  ['acceso.fallido', 'cuenta-vota', 'Votante'],
  ['acceso.fallido', 'kJ8s0-rastro-de-nadie', 'cuenta kJ8s0-'],
  ['acceso.fallido', 'google', 'google'],
  ['acreditacion', 'cuenta-ana', 'ana@medio.example'],
  ['cuenta.creada.admin', 'cuenta-eva', 'eva@comite.example'],
  ['cuenta.baja', 'cuenta-que-ya-no-esta', 'cuenta-que-ya-no-esta'],
  ['documento.visto', 'documento 3, inscripcion 7', 'documento 3, inscripción 7'],
  ['documento.visto', 'documento 3, inscripcion 7: danado', 'documento 3, inscripción 7: danado'],
  ['documento.original', 'metadatos, inscripcion 8', 'metadatos, inscripción 8'],
  ['documento.visto', 'registro/1_ana/acta.pdf', 'registro/1_ana/acta.pdf'],
  ['inscripcion.aceptada', 'inscripcion 7', 'inscripción 7'],
  ['exporte.csv', 'edición 2025', 'edición 2025'],
  ['exporte.csv', 'edición 2025, 1 elegidas: 9', 'edición 2025, 1 elegida: 9'],
  ['exporte.zip', 'edición 2025, 41 elegidas: 7 9 …, traje', 'edición 2025, 41 elegidas: 7 9 …, traje'],
  [
    'exporte.impresion',
    'edición 2025, candidata, falta-documento, fuera de edad, con búsqueda',
    'edición 2025, candidata, falta-documento, fuera de edad, con búsqueda',
  ],
  ['ajuste.registro.trajes', PERIOD, 'de 2025-06-01 00:00 a 2025-07-01 00:00'],
  ['ajuste.prensa.publica', 'true', 'cualquiera, sin cuenta'],
  ['ajuste.privacidad.dias', '45', '45 días'],
  ['ajuste.privacidad.dias', 'lo que dice el contenido', 'lo que dice el contenido'],
  ['ajuste.votacion.ganadora', 'Ana, entre empatadas: Ana, Eva', 'Ana, entre empatadas: Ana, Eva'],
  ['ajuste.votacion.ganadora', TRUNCATED, TRUNCATED],
  ['borrado.solicitud', 'acuse B-AAAAA-22222, inscripcion 9', 'acuse B-AAAAA-22222, inscripción 9'],
  ['borrado.plazo', 'acuse B-BBBBB-33333, inscripcion 10', 'acuse B-BBBBB-33333, inscripción 10'],
  ['voto.acta-de-cero', '2025', '2025'],
  ['voto.anulados', '12', '12'],
  ['voto.exportado', 'horas.csv', 'horas.csv'],
  ['de-otra.version', 'algo 5', 'algo 5'],
]

test('migrated lines keep their text, which now comes from columns, and the log stays append-only', async () => {
  const { pool, db } = database
  await pool.query(`insert into profiles (id, name, email, role) values
    ('cuenta-eva', '', 'eva@comite.example', 'admin'), ('cuenta-ana', '', 'ana@medio.example', 'prensa'),
    ('cuenta-vota', '', 'vota@correo.example', null)`)
  for (const [eventName, about] of LINES)
    await pool.query(`insert into bitacora (que, quien, sobre, desde) values ($1, 'cuenta-eva', $2, 'prueba')`, [
      eventName,
      about,
    ])
  const kept = 'select id, at, que, quien, desde from bitacora order by id'
  const before = (await pool.query(kept)).rows

  await database.upgrade()

  expect((await pool.query(kept)).rows).toEqual(before)
  const { lines } = await listAuditLog(db, {})
  expect(lines.reverse().map((line) => [line.que, subjectInWords(line)])).toEqual(
    LINES.map(([eventName, , words]) => [eventName, words]),
  )
  expect(lines.map(({ inscripcion }) => inscripcion).filter(Boolean)).toEqual([7, 7, 8, 7, 9, 10])
  expect(lines.flatMap(({ datos }) => datos?.ids ?? [])).toEqual([9, 7, 9])
  expect(
    (await listFinishedDeletions(db, 5)).map(({ acknowledgementCode, reason }) => [acknowledgementCode, reason]),
  ).toEqual([
    ['B-BBBBB-33333', 'plazo'],
    ['B-AAAAA-22222', 'solicitud'],
  ])
  expect((await listAuditLog(db, { que: 'documento' })).lines).toHaveLength(4)
  // The filter by an account includes lines about it that another account wrote.
  expect(
    (await listAuditLog(db, { account: 'ana@medio.example' })).lines.map(({ que: eventName }) => eventName),
  ).toEqual(['acreditacion'])
  for (const change of ['update bitacora set que = que', 'delete from bitacora', 'truncate bitacora'])
    await expect(pool.query(change)).rejects.toThrow('only grows')
})
