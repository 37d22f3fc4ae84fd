import { sql } from 'kysely'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import { findFileHashes } from '#app/cms/publishing/mutations.server.ts'
import { insertPublication, readLatestPublication } from '#app/cms/publishing/publications.server.ts'
import { isEqual } from '#app/cms/schema/field-path.ts'
import type { EditionValues } from '#app/cms/schema/read-content.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'

export interface ListedEdition {
  year: number
  /** Whether the site shows the edition. */
  isCurrent: boolean
  /** When the site first showed the edition; null if it never did. */
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

/** `exists`: the following year has an edition already; `unknown`: the base year has none. */
export type PrepareYearResult = { ok: true; year: number } | { ok: false; reason: 'exists' | 'unknown' }

/**
 * Prepares the edition of the following year: the year, the pageant's number and the fair's anniversary advance by one, and all dates
 * by one year; the candidates, their group photographs and the winner are left out. The displayed edition does not change.
 */
export function prepareYear(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  baseYear: number,
  actor: Actor,
): Promise<PrepareYearResult> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.recordPublication})`.execute(tx)
    const base = await readLatestPublication(tx, baseYear)
    if (!base) return { ok: false, reason: 'unknown' }
    const year = baseYear + 1
    if (await readLatestPublication(tx, year)) return { ok: false, reason: 'exists' }
    const values = valuesForNextYear(base.valores)
    const { hashByPath } = await findFileHashes(tx, base, values)
    const now = clock.now()
    const newPublication = {
      edicion: year,
      valores: values,
      archivos: hashByPath,
      origen: 'panel' as const,
      quien: actor.quien ?? undefined,
    }
    const publicationId = await insertPublication(
      tx,
      { ...newPublication, nota: `Preparada a partir de ${baseYear}` },
      'publicada',
      now,
    )
    await tx.insertInto('ediciones').values({ anio: year, publicacion: publicationId }).execute()
    await writeAuditLog(tx, actor, { que: 'sitio.edicion.preparada', edicion: year })
    return { ok: true, year }
  })
}

/** Moves the date at the beginning of each text by one year; 29 February becomes 28 February. */
function withDatesOneYearLater(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replace(
      /^(\d{4})-(\d\d-\d\d)/,
      (_, year, monthAndDay) => `${Number(year) + 1}-${monthAndDay === '02-29' ? '02-28' : monthAndDay}`,
    )
  if (Array.isArray(value)) return value.map(withDatesOneYearLater)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withDatesOneYearLater(item)]))
}

interface DatedEdition extends Record<string, unknown> {
  anio: number
  numero: number
  feria: { aniversario: number }
}

function valuesForNextYear(values: EditionValues): EditionValues {
  const nextYearValues = withDatesOneYearLater(values) as Record<string, Record<string, unknown>>
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

/** Fields that the organisers have to renew every year, by document; `*` stands for every item of a list. */
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

/** Returns the yearly fields that are still as `prepareYear` copies them from the previous year. */
export function pendingFieldsOf(values: EditionValues, previousValues: EditionValues): PendingField[] {
  const nextYearValues = valuesForNextYear(previousValues)
  return Object.entries(YEARLY_FIELDS).flatMap(([document, patterns]) =>
    patterns.flatMap((pattern) =>
      valuesMatching(values[document], pattern.split('.')).flatMap(({ path, value }) =>
        valuesMatching(nextYearValues[document], pattern.split('.')).some((previous) => isEqual(previous.value, value))
          ? [{ documento: document, campo: path }]
          : [],
      ),
    ),
  )
}

function valuesMatching(
  value: unknown,
  [step, ...rest]: string[],
  path: (string | number)[] = [],
): { path: (string | number)[]; value: unknown }[] {
  if (step === undefined) return [{ path, value }]
  if (step === '*')
    return Array.isArray(value) ? value.flatMap((item, index) => valuesMatching(item, rest, [...path, index])) : []
  if (typeof value !== 'object' || value === null || !(step in value)) return []
  return valuesMatching((value as Record<string, unknown>)[step], rest, [...path, step])
}
