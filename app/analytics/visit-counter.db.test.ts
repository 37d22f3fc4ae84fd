import { generateKeySync } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { readVisits } from './data.server.ts'
import { readSponsorReport, reportPath } from './sponsor-report.server.ts'
import { createVisitCounter } from './visit-counter.server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

let now = new Date('2025-09-12T18:00:00-06:00')
const create = () =>
  createVisitCounter({
    db: database.db,
    clock: { now: () => now },
    log: { warn: () => {} },
    settings: { publicUrl: 'https://certamen.example' },
  } as unknown as Parameters<typeof createVisitCounter>[0])

test('screens are counted by day and source, robots, prefetches and HEAD are not', async () => {
  const [first, second] = [create(), create()]
  first.countScreen({ method: 'GET', url: '/candidatas?fbclid=x', headers: { 'user-agent': 'Mozilla/5.0' } })
  first.countScreen({ method: 'GET', url: '/candidatas', headers: { referer: 'https://l.facebook.com/' } })
  first.countScreen({
    method: 'GET',
    url: '/candidatas',
    headers: { referer: 'https://certamen.example/', 'sec-fetch-dest': 'document' },
  })
  first.countScreen({ method: 'GET', url: '/candidatas', headers: { 'user-agent': 'Googlebot/2.1' } })
  first.countScreen({ method: 'GET', url: '/candidatas', headers: { 'sec-purpose': 'prefetch' } })
  first.countScreen({ method: 'GET', url: '/candidatas', headers: { 'sec-fetch-dest': 'empty' } })
  first.countScreen({ method: 'HEAD', url: '/candidatas', headers: {} })
  first.countScreen({ method: 'GET', url: '/sitemap.xml', headers: {} })
  second.countScreen({ method: 'GET', url: '/', headers: {} })
  // Two processes add to the same sums.
  second.countScreen({ method: 'GET', url: '/candidatas', headers: { referer: 'https://m.facebook.com/' } })
  await Promise.all([first.flush(), second.flush()])
  now = new Date('2025-09-13T00:10:00-06:00')
  first.countScreen({ method: 'GET', url: '/', headers: {} })
  await first.flush()
  await first.flush()
  expect(await readVisits(database.db, '2025-09-11', '2025-09-13')).toEqual({
    visits: 5,
    views: 6,
    byDay: [
      { day: '2025-09-11', visits: 0, views: 0 },
      { day: '2025-09-12', visits: 4, views: 5 },
      { day: '2025-09-13', visits: 1, views: 1 },
    ],
    byScreen: [
      { path: '/candidatas', views: 4 },
      { path: '/', views: 2 },
    ],
    bySource: [
      { source: 'facebook', visits: 3 },
      { source: 'directo', visits: 2 },
    ],
    sponsors: [],
    shares: [],
  })
  const { rows } = await database.pool.query('select * from visitas')
  expect(Object.keys(rows[0])).toEqual(['dia', 'que', 'cual', 'fuente', 'cuenta'])
})

test('one network adds at most 60 to one sum within an hour, and another network counts apart', async () => {
  now = new Date('2025-10-01T12:00:00-06:00')
  const visits = create()
  for (let tap = 0; tap < 500; tap++) visits.countEvent('patrocinador', 'Cremería', '203.0.113.7')
  visits.countEvent('patrocinador', 'Cremería', '203.0.113.8')
  now = new Date('2025-10-01T13:00:00-06:00')
  visits.countEvent('patrocinador', 'Cremería', '203.0.113.7')
  await visits.flush()
  const { sponsors } = await readVisits(database.db, '2025-10-01', '2025-10-01')
  expect(sponsors).toEqual([{ name: 'Cremería', taps: 62 }])
})

test('counts that cannot be written wait', async () => {
  now = new Date('2025-11-01T12:00:00-06:00')
  const visits = create()
  visits.countScreen({ method: 'GET', url: '/programa', headers: {} })
  await database.pool.query('alter table visitas rename to fuera')
  await visits.flush()
  await database.pool.query('alter table fuera rename to visitas')
  await visits.flush()
  expect((await readVisits(database.db, '2025-11-01', '2025-11-01')).views).toBe(1)
})

test('the address of a sponsor’s report cannot be forged, and expires', () => {
  const key = generateKeySync('hmac', { length: 256 })
  const services = { keyed: () => key }
  const report = { p: 'Cremería «La Ñ»', desde: '2025-09-01', hasta: '2025-09-30', vence: '2026-01-01' }
  const reportKey = reportPath(services, report).split('/').at(-1)!
  expect(readSponsorReport(services, reportKey, '2026-01-01')).toEqual(report)
  expect(readSponsorReport(services, reportKey, '2026-01-02')).toBeUndefined()
  const [, seal] = reportKey.split('.')
  const other = Buffer.from(JSON.stringify({ ...report, vence: '2099-01-01' })).toString('base64url')
  expect(readSponsorReport(services, `${other}.${seal}`, '2025-10-01')).toBeUndefined()
  for (const bad of ['', '.', 'x', `x.${'ñ'.repeat(32)}`, `${reportKey}x`, reportKey.slice(1)])
    expect(readSponsorReport(services, bad, '2025-10-01'), bad).toBeUndefined()
})
