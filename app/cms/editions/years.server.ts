import { sql } from 'kysely'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import { findFileHashes } from '#app/cms/publishing/mutations.server.ts'
import { insertPublication, readLatestPublication } from '#app/cms/publishing/publications.server.ts'
import { isEqual } from '#app/cms/schema/field-path.ts'
import type { Values } from '#app/cms/schema/read-content.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'

/** The panel lists editions in this form. */
export interface ListedEdition {
  year: number
  /** Marks the edition that the site shows. */
  isCurrent: boolean
  /** The site first showed the edition at `openedAt`; null: never. */
  openedAt: Date | null
}

export async function listEditions(db: Database): Promise<ListedEdition[]> {
  const rows = await db
    .selectFrom('ediciones')
    .select(['anio', 'actual', 'abierta_at'])
    .orderBy('anio', 'desc')
    .execute()
  return rows.map(({ anio, actual, abierta_at }) => ({ year: anio, isCurrent: actual, openedAt: abierta_at }))
}

export type NewYearResult = { ok: true; year: number } | { ok: false; reason: 'exists' | 'unknown' }

/**
 * Prepares the edition of the year after the given one: years, counts and dates advance, and candidates and winner are
 * left out. The displayed edition does not change.
 */
export function prepareYear(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  baseYear: number,
  actor: Actor,
): Promise<NewYearResult> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.recordPublication})`.execute(tx)
    const base = await readLatestPublication(tx, baseYear)
    if (!base) return { ok: false, reason: 'unknown' }
    const year = baseYear + 1
    if (await readLatestPublication(tx, year)) return { ok: false, reason: 'exists' }
    const values = forNextYear(base.valores)
    const { hashByPath } = await findFileHashes(tx, base, values)
    const now = clock.now()
    const newPublication = {
      edicion: year,
      valores: values,
      archivos: hashByPath,
      origen: 'panel' as const,
      quien: actor.quien ?? undefined,
    }
    const publication = await insertPublication(
      tx,
      { ...newPublication, nota: `Preparada a partir de ${baseYear}` },
      'publicada',
      now,
    )
    await tx.insertInto('ediciones').values({ anio: year, publicacion: publication }).execute()
    await writeAuditLog(tx, actor, { que: 'sitio.edicion.preparada', edicion: year })
    return { ok: true, year }
  })
}

const DAY = /^\d{4}-\d\d-\d\d/

/** Moves every date one year ahead; 29 February becomes 28 February. */
function oneYearLater(value: unknown): unknown {
  if (typeof value === 'string' && DAY.test(value))
    return value.replace(
      /^(\d{4})-(\d\d-\d\d)/,
      (_, year, day) => `${Number(year) + 1}-${day === '02-29' ? '02-28' : day}`,
    )
  if (Array.isArray(value)) return value.map(oneYearLater)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, oneYearLater(item)]))
}

interface DatedEdition extends Record<string, unknown> {
  anio: number
  numero: number
  feria: { aniversario: number }
}

/** Returns an edition's documents as the starting point of the next year. */
function forNextYear(values: Values): Values {
  const nextYearValues = oneYearLater(values) as Record<string, Record<string, unknown>>
  const edition = nextYearValues['edicion.yaml'] as DatedEdition
  const { ganadora: _, ...popularity } = nextYearValues['popularidad.yaml'] ?? {}
  return {
    ...nextYearValues,
    'edicion.yaml': {
      ...edition,
      anio: edition.anio + 1,
      numero: edition.numero + 1,
      feria: { ...edition.feria, aniversario: edition.feria.aniversario + 1 },
    },
    'candidatas.yaml': { candidatas: [] },
    'popularidad.yaml': popularity,
  }
}

/** Every new year changes these fields, by document; `*` stands for every item. */
const YEARLY_FIELDS: Record<string, string[]> = {
  'edicion.yaml': ['descripcion'],
  'inicio.yaml': ['introduccion', 'galeria.*', 'noticias.*'],
  'historia.yaml': ['reina.nombre', 'reina.foto', 'reina.bio', 'reina.cita'],
  'convocatorias.yaml': [
    'anuncios.*',
    'oficial.boletin.titulo',
    'oficial.boletin.parrafos',
    'oficial.boletin.documento',
    'oficial.cartel',
  ],
  'programa.yaml': ['dias.*'],
  'privacidad.yaml': ['vigente'],
}

export interface PendingField {
  documento: string
  campo: (string | number)[]
}

/** Returns the fields in which a new edition still repeats the year before. */
export function pendingFieldsOf(values: Values, previousValues: Values): PendingField[] {
  const nextYearValues = forNextYear(previousValues)
  return Object.entries(YEARLY_FIELDS).flatMap(([document, patterns]) =>
    patterns.flatMap((pattern) =>
      placesOf(values[document], pattern.split('.')).flatMap(({ path, value }) =>
        placesOf(nextYearValues[document], pattern.split('.')).some((old) => isEqual(old.value, value))
          ? [{ documento: document, campo: path }]
          : [],
      ),
    ),
  )
}

function placesOf(
  value: unknown,
  [step, ...rest]: string[],
  field: (string | number)[] = [],
): { path: (string | number)[]; value: unknown }[] {
  if (step === undefined) return [{ path: field, value }]
  if (step === '*')
    return Array.isArray(value) ? value.flatMap((item, place) => placesOf(item, rest, [...field, place])) : []
  if (typeof value !== 'object' || value === null || !(step in value)) return []
  return placesOf((value as Record<string, unknown>)[step], rest, [...field, step])
}
