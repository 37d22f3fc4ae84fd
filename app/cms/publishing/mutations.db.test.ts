import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { writeDocumento } from '#app/cms/drafts/draft-store.server.ts'
import { readEdicion, type Valores } from '#app/cms/schema/read-content.server.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { freshDatabase, type TestDatabase } from '../../../tests/database.ts'
import { publica, refusalInForce, regresa } from './mutations.server.ts'
import { insertPublicacion, ponVigente } from './publications.server.ts'

const EDICION = 2025
const clock = createClock('2025-09-20T12:00-06:00')
let database: TestDatabase
let shown: Valores
let archivos: Record<string, string>
/** Number of the publication in force, which says what `shown` says. */
let vigente: number

beforeAll(async () => {
  database = await freshDatabase()
  shown = (await readEdicion()).valores
  archivos = Object.fromEntries(filePaths(shown).map((path) => [path, 'a'.repeat(64)]))
})
afterAll(() => database.drop())

beforeEach(async () => {
  const { db } = database
  await db.deleteFrom('borradores').execute()
  await db.updateTable('publicaciones').set({ estado: 'fallida' }).where('estado', '=', 'preparando').execute()
  vigente = await publish(shown)
})

/** Every path of a file that an edition's documents name. */
function filePaths(value: unknown): string[] {
  if (typeof value === 'string') return /^[\w-]+\/[\w./-]+\.\w+$/.test(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(filePaths) : []
}

async function publish(valores: Valores): Promise<number> {
  const row = { edicion: EDICION, valores, archivos, origen: 'panel' as const }
  const id = await insertPublicacion(database.db, row, 'publicada', clock.now())
  await ponVigente(database.db, { id, edicion: EDICION }, clock.now())
  return id
}

/** The edition with a document changed. */
function withChange(documento: string, change: (document: never) => unknown): Valores {
  return { ...shown, [documento]: change(structuredClone(shown[documento]) as never) }
}

type Candidates = { candidatas: { id: string; nombre: string }[]; retiradas?: unknown[] }
type Edition = { fechas: { cierreVotacion: string; registro: object }; prensa: { publica: boolean } }

const RESERVED: Record<string, Valores> = {}
let swapped: Valores
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

/** Writes a draft that says this, and asks for its publication. */
async function publishDraft(
  valores: Valores,
  { mayReserved = false, hasBegun = false, confirm = async () => {} } = {},
) {
  const { db } = database
  let version = 0
  for (const documento of Object.keys(valores)) {
    const valor = valores[documento]
    if (valor === shown[documento]) continue
    const now = clock.now()
    version = Number(
      await db
        .transaction()
        .execute((tx) => writeDocumento(tx, { edicion: EDICION, documento, valor, quien: null, now })),
    )
  }
  return publica(
    { db, clock },
    {
      ...{ anio: EDICION, version, nota: '', permission: { mayReserved, confirm } },
      empezada: async () => hasBegun,
      comprueba: async () => undefined,
      mueve: async () => ({ ok: true }),
    },
    TERMINAL,
  )
}

const inForce = (
  valores: Valores,
  { mayReserved = false, hasBegun = false, quien = 'una cuenta' as string | null } = {},
) =>
  refusalInForce(
    database.db,
    { edicion: EDICION, valores, quien },
    { mayReserved: async () => mayReserved, empezada: async () => hasBegun },
  )

describe('what is reserved', () => {
  test('is published by no account that may not, in no document, nor brought back, nor put in force', async () => {
    for (const [what, valores] of Object.entries(RESERVED)) {
      expect(await publishDraft(valores), what).toMatchObject({ ok: false, reason: 'reservado' })
      await database.db.deleteFrom('borradores').execute()
      expect(await inForce(valores), what).toBeDefined()
    }
    for (const [what, valores] of Object.entries(RESERVED)) {
      const older = await publish(valores)
      await publish(shown)
      const pedido = {
        ...{ publicacion: older, nota: '', permission: { mayReserved: false, confirm: async () => {} } },
        ...{ empezada: async () => false, comprueba: async () => undefined },
      }
      expect(await regresa({ db: database.db, clock }, pedido, TERMINAL), what).toMatchObject({ reason: 'reservado' })
    }
  })

  test('asks whoever may for the password, and changes nothing without it', async () => {
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

  test('a withdrawal is published by no draft, whoever publishes it', async () => {
    const withdrawn = RESERVED['who has been withdrawn']!
    expect(await publishDraft(withdrawn, { mayReserved: true })).toMatchObject({ reason: 'fallas' })
    expect(await inForce(withdrawn, { mayReserved: true })).toContain('Retirar a una candidata')
  })

  test('a word is published by any account that writes the site', async () => {
    const words = withChange('prensa.yaml', (one: object) => ({ ...one, gracias: 'Otra.' }))
    expect(await publishDraft(words)).toMatchObject({ ok: true })
    expect(await inForce(words)).toBeUndefined()
  })
})

describe('places of the vote’s order', () => {
  test('move freely until the vote has begun, and then by no way', async () => {
    expect(await inForce(swapped)).toBeUndefined()
    const said = 'al lugar 1'
    expect(await publishDraft(swapped, { hasBegun: true })).toMatchObject({
      reason: 'fallas',
      fallas: [{ archivo: 'candidatas.yaml', remedio: expect.stringContaining(said) }],
    })
    // The terminal's import has no account.
    for (const quien of ['una cuenta', null]) expect(await inForce(swapped, { hasBegun: true, quien })).toContain(said)
    const older = await publish(swapped)
    await publish(shown)
    const pedido = {
      ...{ publicacion: older, nota: '', permission: { mayReserved: true, confirm: async () => {} } },
      ...{ empezada: async () => true, comprueba: async () => undefined },
    }
    expect(await regresa({ db: database.db, clock }, pedido, TERMINAL)).toMatchObject({ reason: 'fallas' })
    expect(vigente).toBeLessThan(older)
  })
})
