import { sql } from 'kysely'
import { type Autor, anotar } from '#app/audit/mutations.server.ts'
import { filesOf } from '#app/cms/publishing/mutations.server.ts'
import { insertPublicacion, readUltima } from '#app/cms/publishing/publications.server.ts'
import { isIgual } from '#app/cms/schema/edits.ts'
import type { Valores } from '#app/cms/schema/read-content.server.ts'
import { CANDADOS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'

/** An edition, as the panel lists them. */
export interface EdicionListada {
  anio: number
  /** Whether it is the one that the site shows. */
  actual: boolean
  /** When the site first showed it; null: not yet. */
  abierta: Date | null
}

/** Every edition that there is, the newest first. */
export async function listEdiciones(db: Database): Promise<EdicionListada[]> {
  const rows = await db
    .selectFrom('ediciones')
    .select(['anio', 'actual', 'abierta_at'])
    .orderBy('anio', 'desc')
    .execute()
  return rows.map(({ anio, actual, abierta_at }) => ({ anio, actual, abierta: abierta_at }))
}

export type HechoDeAnio = { ok: true; anio: number } | { ok: false; reason: 'repetida' | 'desconocida' }

/**
 * Lays out next year's edition from this year's: years, counts and dates moved on, nobody announced, nobody proclaimed.
 * The site goes on showing this year's.
 */
export function prepararAnio(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  de: number,
  autor: Autor,
): Promise<HechoDeAnio> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${CANDADOS.editar})`.execute(tx)
    const base = await readUltima(tx, de)
    if (!base) return { ok: false, reason: 'desconocida' }
    const anio = de + 1
    if (await readUltima(tx, anio)) return { ok: false, reason: 'repetida' }
    const valores = deOtroAnio(base.valores)
    const { archivos } = await filesOf(tx, base, valores)
    const now = clock.now()
    const nueva = { edicion: anio, valores, archivos, origen: 'panel' as const, quien: autor.quien ?? undefined }
    const publicacion = await insertPublicacion(tx, { ...nueva, nota: `Preparada a partir de ${de}` }, 'publicada', now)
    await tx.insertInto('ediciones').values({ anio, publicacion }).execute()
    await anotar(tx, autor, { que: 'sitio.edicion.preparada', edicion: anio })
    return { ok: true, anio }
  })
}

const DIA = /^\d{4}-\d\d-\d\d/

/** Every date one year later; the 29th of February becomes the 28th. */
function unAnioDespues(value: unknown): unknown {
  if (typeof value === 'string' && DIA.test(value))
    return value.replace(
      /^(\d{4})-(\d\d-\d\d)/,
      (_, year, day) => `${Number(year) + 1}-${day === '02-29' ? '02-28' : day}`,
    )
  if (Array.isArray(value)) return value.map(unAnioDespues)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unAnioDespues(item)]))
}

interface Fechada extends Record<string, unknown> {
  anio: number
  numero: number
  feria: { aniversario: number }
}

/** An edition's documents as next year begins with them. */
function deOtroAnio(valores: Valores): Valores {
  const moved = unAnioDespues(valores) as Record<string, Record<string, unknown>>
  const edicion = moved['edicion.yaml'] as Fechada
  const { ganadora: _, ...popularidad } = moved['popularidad.yaml'] ?? {}
  return {
    ...moved,
    'edicion.yaml': {
      ...edicion,
      anio: edicion.anio + 1,
      numero: edicion.numero + 1,
      feria: { ...edicion.feria, aniversario: edicion.feria.aniversario + 1 },
    },
    'candidatas.yaml': { candidatas: [] },
    'popularidad.yaml': popularidad,
  }
}

/** Fields that every new year changes, by document; `*` stands for every item. */
const CAMBIA: Record<string, string[]> = {
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

export interface Pendiente {
  documento: string
  campo: (string | number)[]
}

/** What a new edition still says of the year before. */
export function pendientesDe(valores: Valores, antes: Valores): Pendiente[] {
  const moved = deOtroAnio(antes)
  return Object.entries(CAMBIA).flatMap(([documento, patterns]) =>
    patterns.flatMap((pattern) =>
      placesOf(valores[documento], pattern.split('.')).flatMap(({ campo, valor }) =>
        placesOf(moved[documento], pattern.split('.')).some((old) => isIgual(old.valor, valor))
          ? [{ documento, campo }]
          : [],
      ),
    ),
  )
}

function placesOf(
  valor: unknown,
  [step, ...rest]: string[],
  campo: (string | number)[] = [],
): { campo: (string | number)[]; valor: unknown }[] {
  if (step === undefined) return [{ campo, valor }]
  if (step === '*')
    return Array.isArray(valor) ? valor.flatMap((item, place) => placesOf(item, rest, [...campo, place])) : []
  if (typeof valor !== 'object' || valor === null || !(step in valor)) return []
  return placesOf((valor as Record<string, unknown>)[step], rest, [...campo, step])
}
