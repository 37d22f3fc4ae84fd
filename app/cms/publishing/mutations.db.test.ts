import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { writeDocument } from '#app/cms/drafts/draft-store.server.ts'
import { type EditionValues, readEdition } from '#app/cms/schema/read-content.server.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { recheckPublication, requestPublication, rollBack } from './mutations.server.ts'
import { insertPublication, setCurrentPublication } from './publications.server.ts'

const EDITION = 2025
const clock = createClock('2025-09-20T12:00-06:00')
let database: TestDatabase
let shown: EditionValues
let files: Record<string, string>
/** Number of the publication in force, whose content is `shown`. */
let current: number

beforeAll(async () => {
  database = await freshDatabase()
  shown = (await readEdition()).values
  files = Object.fromEntries(filePaths(shown).map((path) => [path, 'a'.repeat(64)]))
})
afterAll(() => database.drop())

beforeEach(async () => {
  const { db } = database
  await db.deleteFrom('borradores').execute()
  await db.updateTable('publicaciones').set({ estado: 'fallida' }).where('estado', '=', 'preparando').execute()
  current = await publish(shown)
})

/** Every path of a file that an edition's documents name. */
function filePaths(value: unknown): string[] {
  if (typeof value === 'string') return /^[\w-]+\/[\w./-]+\.\w+$/.test(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(filePaths) : []
}

async function publish(values: EditionValues): Promise<number> {
  const row = { edicion: EDITION, valores: values, archivos: files, origen: 'panel' as const }
  const id = await insertPublication(database.db, row, 'publicada', clock.now())
  await setCurrentPublication(database.db, { id, edicion: EDITION }, clock.now())
  return id
}

/** The edition with a document changed. */
function withChange(document: string, change: (document: never) => unknown): EditionValues {
  return { ...shown, [document]: change(structuredClone(shown[document]) as never) }
}

type Candidates = { candidatas: { id: string; nombre: string }[]; retiradas?: unknown[] }
type Edition = { fechas: { cierreVotacion: string; registro: object }; prensa: { publica: boolean } }

const RESERVED: Record<string, EditionValues> = {}
let swapped: EditionValues
beforeAll(() => {
  const edition = (change: (document: Edition) => Edition) => withChange('edicion.yaml', change)
  RESERVED['the vote’s closing'] = edition((one) => ({
    ...one,
    fechas: { ...one.fechas, cierreVotacion: '2025-09-26T23:00:00-06:00' },
  }))
  RESERVED['the press room'] = edition((one) => ({ ...one, prensa: { ...one.prensa, publica: !one.prensa.publica } }))
  RESERVED['the winner'] = withChange('popularidad.yaml', (one: { ganadora?: { candidata: string } }) => {
    const other = (shown['candidatas.yaml'] as Candidates).candidatas.find(({ id }) => id !== one.ganadora?.candidata)!
    return { ...one, ganadora: { ...one.ganadora, candidata: other.id } }
  })
  RESERVED['the vote’s rules'] = withChange('votacion.yaml', (one: { proveedores: string[] }) => ({
    ...one,
    proveedores: [...one.proveedores, 'ejemplo.mx'],
  }))
  RESERVED['who has been withdrawn'] = withChange('candidatas.yaml', (one: Candidates) => {
    const [first, ...rest] = one.candidatas
    return { ...one, candidatas: rest, retiradas: [{ id: first!.id, lugar: 0, desde: '2025-09-01T00:00:00Z' }] }
  })
  swapped = withChange('candidatas.yaml', ({ candidatas: [first, second, ...rest], ...one }: Candidates) => ({
    ...one,
    candidatas: [second, first, ...rest],
  }))
})

/** Saves these documents as a draft, and requests its publication. */
async function publishDraft(
  values: EditionValues,
  { mayReserved = false, hasVoteBegun = false, isToBeOpened = false, confirm = async () => {} } = {},
) {
  const { db } = database
  let version = 0
  for (const document of Object.keys(values)) {
    const value = values[document]
    if (value === shown[document]) continue
    const now = clock.now()
    version = Number(
      await db
        .transaction()
        .execute((tx) => writeDocument(tx, { edition: EDITION, document, value, accountId: null, now })),
    )
  }
  return requestPublication(
    { db, clock },
    {
      year: EDITION,
      version,
      note: '',
      isToBeOpened,
      permission: { mayChangeReserved: mayReserved, confirm },
      hasVoteBegun: async () => hasVoteBegun,
      check: async () => undefined,
      drawUpClosingMove: async () => ({ ok: true }),
    },
    TERMINAL,
  )
}

/** The request to go back to an earlier publication. */
const rollbackTo = (publicationId: number, { mayReserved = false, hasVoteBegun = false } = {}) => ({
  publicationId,
  note: '',
  permission: { mayChangeReserved: mayReserved, confirm: async () => {} },
  hasVoteBegun: async () => hasVoteBegun,
  check: async () => undefined,
})

const inForce = (
  values: EditionValues,
  { mayReserved = false, hasVoteBegun = false, quien = 'una cuenta' as string | null } = {},
) =>
  recheckPublication(
    database.db,
    { edicion: EDITION, valores: values, quien },
    { mayChangeReserved: async () => mayReserved, hasVoteBegun: async () => hasVoteBegun },
  )

describe('reserved parts', () => {
  test('are not published, restored or put in force without the permission', async () => {
    for (const [what, values] of Object.entries(RESERVED)) {
      expect(await publishDraft(values), what).toMatchObject({ ok: false, reason: 'reserved' })
      await database.db.deleteFrom('borradores').execute()
      expect(await inForce(values), what).toBeDefined()
    }
    for (const [what, values] of Object.entries(RESERVED)) {
      const older = await publish(values)
      await publish(shown)
      const requested = rollbackTo(older)
      expect(await rollBack({ db: database.db, clock }, requested, TERMINAL), what).toMatchObject({
        reason: 'reserved',
      })
    }
  })

  test('need the password of an account with the permission, and nothing changes without it', async () => {
    const confirm = () => Promise.reject(new Error('the password'))
    await expect(publishDraft(RESERVED['the press room']!, { mayReserved: true, confirm })).rejects.toThrow('password')
    const { count } = database.db.fn
    const waiting = await database.db
      .selectFrom('publicaciones')
      .select(count('id').as('n'))
      .where('estado', '=', 'preparando')
      .executeTakeFirstOrThrow()
    expect(Number(waiting.n)).toBe(0)
    expect(await publishDraft(RESERVED['the press room']!, { mayReserved: true })).toMatchObject({ ok: true })
    expect(await inForce(RESERVED['the press room']!, { mayReserved: true })).toBeUndefined()
  })

  test('include the withdrawn candidates, which no draft changes, even with the permission', async () => {
    const withdrawn = RESERVED['who has been withdrawn']!
    expect(await publishDraft(withdrawn, { mayReserved: true })).toMatchObject({ reason: 'faults' })
    expect(await inForce(withdrawn, { mayReserved: true })).toContain('Retirar a una candidata')
  })

  test('do not include texts, which every account that edits the site publishes', async () => {
    const words = withChange('prensa.yaml', (one: object) => ({ ...one, gracias: 'Otra.' }))
    expect(await publishDraft(words)).toMatchObject({ ok: true })
    expect(await inForce(words)).toBeUndefined()
  })
})

test('of two organisers who publish or go back at once, one does, and the others are told that the site is busy', async () => {
  const words = withChange('prensa.yaml', (one: object) => ({ ...one, gracias: 'Otra.' }))
  const older = await publish(words)
  await publish(shown)
  const requested = rollbackTo(older)
  const { db } = database
  const answers = await Promise.all([
    publishDraft(withChange('prensa.yaml', (one: object) => ({ ...one, gracias: 'Una más.' }))),
    rollBack({ db, clock }, requested, TERMINAL),
    rollBack({ db, clock }, requested, TERMINAL),
  ])
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
  expect(answers.filter(({ ok }) => !ok)).toEqual(Array(2).fill({ ok: false, reason: 'busy', author: null }))
})

test('a past edition neither goes back to a publication nor opens again, which would make it the displayed edition', async () => {
  const { db } = database
  const older = await publish(withChange('prensa.yaml', (one: object) => ({ ...one, gracias: 'Otra.' })))
  await publish(shown)
  const row = { edicion: EDITION + 1, valores: shown, archivos: files, origen: 'panel' as const }
  const next = await insertPublication(db, row, 'publicada', clock.now())
  await setCurrentPublication(db, { id: next, edicion: EDITION + 1 }, clock.now())
  expect(await rollBack({ db, clock }, rollbackTo(older, { mayReserved: true }), TERMINAL)).toEqual({
    ok: false,
    reason: 'unopened',
  })
  const draft = withChange('prensa.yaml', (one: object) => ({ ...one, gracias: 'Una más.' }))
  for (const isToBeOpened of [false, true])
    expect(await publishDraft(draft, { mayReserved: true, isToBeOpened })).toEqual({ ok: false, reason: 'unopened' })
})

describe('places of the vote’s order', () => {
  test('move freely until the vote has begun, and then by no way', async () => {
    expect(await inForce(swapped)).toBeUndefined()
    const said = 'al lugar 1'
    expect(await publishDraft(swapped, { hasVoteBegun: true })).toMatchObject({
      reason: 'faults',
      faults: [{ documento: 'candidatas.yaml', donde: 'Candidatas', remedio: expect.stringContaining(said) }],
    })
    // The terminal's import has no account.
    for (const who of ['una cuenta', null])
      expect(await inForce(swapped, { hasVoteBegun: true, quien: who })).toContain(said)
    const older = await publish(swapped)
    await publish(shown)
    const requested = rollbackTo(older, { mayReserved: true, hasVoteBegun: true })
    expect(await rollBack({ db: database.db, clock }, requested, TERMINAL)).toMatchObject({ reason: 'faults' })
    expect(current).toBeLessThan(older)
  })
})

test('the opening of the vote moves freely until the vote has begun, and then a draft is refused and a return keeps it', async () => {
  const opening = '2025-09-19T10:00:00-06:00'
  const opened = withChange('edicion.yaml', (one: Edition) => ({
    ...one,
    fechas: { ...one.fechas, aperturaVotacion: opening },
  }))
  expect(await publishDraft(opened, { mayReserved: true, hasVoteBegun: true })).toMatchObject({
    reason: 'closing',
    remedy: expect.stringContaining('regresa «Abre la votación» a como estaba, vacía'),
  })
  await database.db.deleteFrom('borradores').execute()
  expect(await publishDraft(opened, { mayReserved: true })).toMatchObject({ ok: true })
  await database.db.updateTable('publicaciones').set({ estado: 'fallida' }).where('estado', '=', 'preparando').execute()
  const older = await publish({ ...shown, 'prensa.yaml': { ...(shown['prensa.yaml'] as object), gracias: 'Otra.' } })
  await publish(opened)
  const { db } = database
  const returned = await rollBack({ db, clock }, rollbackTo(older, { mayReserved: true, hasVoteBegun: true }), TERMINAL)
  const publicationId = returned.ok ? returned.publicationId : 0
  const { valores } = await db
    .selectFrom('publicaciones')
    .select('valores')
    .where('id', '=', publicationId)
    .executeTakeFirstOrThrow()
  expect(valores).toMatchObject({
    'edicion.yaml': { fechas: { aperturaVotacion: opening } },
    'prensa.yaml': { gracias: 'Otra.' },
  })
  const shownEditions = db.selectFrom('ediciones').where('anio', '=', EDITION)
  expect(await shownEditions.select('abre_votacion').executeTakeFirst()).toEqual({
    abre_votacion: new Date(opening),
  })
})
