import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import {
  type Eleccion,
  type Elegible,
  type Retirada,
  readNombres,
  readReglas,
} from '#app/voting/election/data.server.ts'
import { porcentaje } from '#app/voting/election/tally-rules.ts'
import type { Marca } from '#app/voting/origins/flagging.server.ts'
import { countUnderNoOther, listMarcas, readPast } from '#app/voting/origins/flags.server.ts'
import type { Cierre } from '#app/voting/record/schema.ts'
import type { Hora, Leap, OrigenMarcado, Rafaga, Resultados } from './schema.ts'

/** What becomes of the votes of those who were withdrawn, by the rules that were published. */
export const readRetiro = async (db: Database, eleccion: Eleccion): Promise<'nulos' | 'cuentan'> =>
  (await readReglas(db, eleccion)).reglas.retiro ?? 'nulos'

/**
 * Whose votes have a line of their own: those who take part and, behind them, those who were withdrawn where the rules
 * say that their votes go on counting.
 */
export async function listContadas(
  db: Database,
  eleccion: Eleccion,
): Promise<(Elegible & { retirada?: Retirada | undefined })[]> {
  const { candidatas, retiradas = [] } = eleccion
  if (retiradas.length === 0 || (await readRetiro(db, eleccion)) === 'nulos') return candidatas
  const nombres = await readNombres(db, eleccion)
  const hers = retiradas.flatMap((retirada) => {
    const nombre = retirada.nombre ?? [...nombres].find(([, id]) => id === retirada.id)?.[0]
    return nombre === undefined ? [] : [{ id: retirada.id, nombre, retirada }]
  })
  return [...candidatas, ...hers]
}

/**
 * Vote totals of one edition: the same as reading and counting every row, but made from the sums that each seal leaves
 * and the few rows since.
 * @returns rows in the candidates' order; percentages of all votes, others included, with one decimal
 * @source §2.15, §7, §9; D27, D28, D32
 */
export async function readResultados(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  eleccion: Eleccion,
): Promise<Resultados> {
  const { edicion } = eleccion
  const nombres = await readNombres(db, eleccion)
  const contadas = await listContadas(db, eleccion)
  // One statement sees one moment: a batch that is being sealed is in the sums or among the rows, never in both or
  // neither.
  const { rows } = await sql<{ clase: string; candidata: string | null; votos: number }>`
    select 'suma' as clase, candidata, sum(votos)::bigint as votos from votos_por_hora
      where edicion = ${edicion} group by candidata
    union all
    select case when lote = 0 then 'ajeno' else 'suelto' end, candidata, count(*) from banda_digital_votes
      where edicion = ${edicion} and (lote is null or lote = 0) group by 1, candidata
    union all
    select 'anulado', c.key, sum(c.value::bigint)::bigint from anulaciones, jsonb_each_text(conteo) c
      where edicion = ${edicion} group by c.key
`.execute(db)
  const sumOf = (...clases: string[]) =>
    rows.filter(({ clase }) => clases.includes(clase)).reduce((sum, { votos }) => sum + votos, 0)
  /** Votes by candidate; the key undefined: votes for nobody of the edition. */
  const byId = new Map<string | undefined, number>()
  for (const { clase, candidata, votos } of rows) {
    const id = nombres.get(candidata ?? '')
    byId.set(id, (byId.get(id) ?? 0) + (clase === 'anulado' ? -votos : votos))
  }
  const total = [...byId.values()].reduce((sum, votos) => sum + votos, 0)
  const filas = contadas.map(({ id, nombre, retirada }) => {
    const votos = byId.get(id) ?? 0
    return { id, nombre: retirada ? `${nombre} (se retiró)` : nombre, votos, porcentaje: porcentaje(votos, total) }
  })
  return {
    filas,
    otros: total - filas.reduce((sum, { votos }) => sum + votos, 0),
    total,
    anulados: sumOf('anulado'),
    // Only marked votes can be annulled.
    sospechosos: Math.max(0, (await countMarked(db, eleccion)) - sumOf('anulado')),
    ajenos: sumOf('ajeno'),
    leidos: clock.now().toISOString(),
  }
}

/** Votes on marks whose origins are still past their limit, or were when votes of theirs were annulled. */
async function countMarked(db: Database, eleccion: Eleccion): Promise<number> {
  const isPast = await readPast(db, eleccion)
  const { rows } = await sql<Pick<Marca, 'clase' | 'umbral' | 'votos' | 'nuevos'> & { annulled: boolean }>`
    select clase, umbral, votos, nuevos, exists (select from anulaciones a where a.marca_id = m.id) as annulled
    from marcas m where edicion = ${eleccion.edicion}`.execute(db)
  return rows.reduce((sum, mark) => sum + (mark.annulled || isPast(mark) ? mark.nuevos : 0), 0)
}

/** Sealed votes of each hour, oldest first, hours without votes left out. */
export async function readHoras(db: Database, eleccion: Eleccion): Promise<Hora[]> {
  const { edicion } = eleccion
  const candidatas = await listContadas(db, eleccion)
  const nombres = await readNombres(db, eleccion)
  const places = new Map(candidatas.map(({ id }, place) => [id, place]))
  const rows = await db
    .selectFrom('votos_por_hora')
    .select(['hora', 'candidata', 'votos'])
    .where('edicion', '=', edicion)
    .where('votos', '<>', 0)
    .orderBy('hora')
    .execute()
  return [...Map.groupBy(rows, ({ hora }) => hora.getTime())].map(([hora, some]) => {
    const votos = Array<number>(candidatas.length + 1).fill(0)
    for (const { candidata, votos: count } of some) {
      votos[places.get(nombres.get(candidata) ?? '') ?? candidatas.length]! += count
    }
    return { hora: new Date(hora).toISOString(), votos }
  })
}

const MIN_RAFAGA = 10

/** The networks and domains from which most votes came within ten minutes, the busiest first. */
export async function listRafagas(db: Database, edicion: number, limit = 8): Promise<Rafaga[]> {
  const of = async (clase: Rafaga['clase']) => {
    const { rows } = await sql<{ origen: string; tope: number; tramo: Date; votos: number }>`
      with busiest as (
        select origen, max(votos) as tope from (
          select origen, votos from votos_por_origen
          where edicion = ${edicion} and clase = ${clase} and votos >= ${MIN_RAFAGA} order by votos desc limit 500
        ) spans group by origen order by tope desc limit ${limit}
      )
      select origen, tope, (array_agg(v.tramo order by v.votos desc))[1] as tramo, sum(v.votos)::int as votos
      from busiest join votos_por_origen v using (origen)
      where v.edicion = ${edicion} and v.clase = ${clase}
      group by origen, tope order by tope desc, votos desc`.execute(db)
    return rows.map((row) => ({ clase, ...row, tramo: row.tramo.toISOString() }))
  }
  return [...(await of('red')), ...(await of('dominio'))]
}

/** So many votes more than usual are no leap, however few are usual. */
const MIN_LEAP = 20
/** An hour's part of one kind of address strays by less than so many standard deviations, as long as people are many. */
const LEAP_DEVIATIONS = 5

/**
 * The hours in which an address of one kind, by its provider, brought far more votes than by its part of all other hours:
 * the farthest first. It is for looking only, since a school with mailboxes of its own leaps as well.
 */
export async function listLeaps(db: Database, edicion: number, limit = 8): Promise<Leap[]> {
  const { rows } = await sql<{ correo: string; hora: Date; votos: number; total: number; usual: number }>`
    with hours as (
      select date_trunc('hour', v.created_at, 'UTC') as hora, count(*) as votos,
        case when v.sospecha = 'servicio' then 'servicios de alias' when v.dominio is not null then 'dominios propios'
          else lower(split_part(u.email, '@', 2)) end as correo
      from banda_digital_votes v join profiles u on u.id = v.user_id
      where v.edicion = ${edicion} and v.lote > 0 group by 1, 3
    ), parts as (
      select correo, hora, votos, sum(votos) over (partition by hora) as total,
        (sum(votos) over (partition by correo) - votos)
          / nullif(sum(votos) over () - sum(votos) over (partition by hora), 0) as part
      from hours
    )
    select correo, hora, votos::int, total::int, round(total * part)::int as usual from parts
    where votos - total * part >= ${MIN_LEAP} and votos - total * part > ${LEAP_DEVIATIONS} * sqrt(total * part * (1 - part))
    order by votos - total * part desc limit ${limit}`.execute(db)
  return rows.map((row) => ({ ...row, hora: row.hora.toISOString() }))
}

/** Marks that the panel shows with their time line, those with most votes left first. */
const MAX_MARCADOS = 60
const MAX_DOMINIOS = 12

/** The origins whose votes are marked, and how many they are: never for whom. */
export async function listMarcados(db: Database, eleccion: Eleccion): Promise<OrigenMarcado[]> {
  const isPast = await readPast(db, eleccion)
  const marcas = (await listMarcas(db, eleccion.edicion))
    .toSorted((a, b) => b.votos - b.anulados - (a.votos - a.anulados) || b.votos - a.votos)
    .slice(0, MAX_MARCADOS)
  const { rows } = await sql<{ id: number; hora: Date; votos: number; dominios: string[] }>`
    select m.marca_id as id, date_trunc('hour', v.created_at, 'UTC') as hora, count(*)::int as votos,
      (array_agg(distinct v.dominio) filter (where v.dominio is not null))[1:${MAX_DOMINIOS}::int] as dominios
    from votos_marcados m join banda_digital_votes v on v.id = m.voto_id
    where m.marca_id = any(${marcas.map(({ id }) => id)}::bigint[])
    group by 1, 2 order by 1, 2`.execute(db)
  const ofMarca = Map.groupBy(rows, ({ id }) => id)
  const unsuspected = await countUnderNoOther(
    db,
    marcas.map(({ id }) => id),
  )
  return marcas.map((marca) => {
    const { id, clase, origen, tramo, umbral, at, votos, anulados } = marca
    const horas = ofMarca.get(id) ?? []
    const dominios = [...new Set(horas.flatMap((hora) => hora.dominios ?? []))].slice(0, MAX_DOMINIOS)
    return {
      ...{ id, clase, origen, tramo: tramo?.toISOString(), umbral, at: at.toISOString(), votos, anulados },
      ...{ unsuspected: unsuspected.get(id) ?? 0, isPast: isPast(marca) },
      dominios: clase === 'dominio' || clase.startsWith('rafaga') ? [] : dominios,
      horas: horas.map(({ hora, votos: count }) => ({ hora: hora.toISOString(), votos: count })),
    }
  })
}

/** The outcome of the last recount, as the panel shows it. */
export const readRecuento = (db: Database, edicion: number) =>
  db
    .selectFrom('recuentos')
    .select(['at', 'papeletas', 'lotes', 'ultimo', 'fallas'])
    .where('edicion', '=', edicion)
    .executeTakeFirst()

export const readActa = (db: Database, edicion: number, clase: 'apertura' | 'cierre') =>
  db.selectFrom('actas').selectAll().where('edicion', '=', edicion).where('clase', '=', clase).executeTakeFirst()

/**
 * A line of the sealed act, with the id of its candidate (`quien`); undefined: she is no candidate any more. Nobody who
 * has been withdrawn (`retirada`) can be proclaimed, whatever her votes.
 */
export type Contada = Cierre['candidatas'][number] & { quien: string | undefined; retirada: boolean }

/** The lines of a sealed act with the ids of today's candidates; older acts have names only. */
export async function whoIsWho(db: Database, eleccion: Eleccion, { candidatas }: Cierre): Promise<Contada[]> {
  const nombres = await readNombres(db, eleccion)
  const gone = new Set((eleccion.retiradas ?? []).map(({ id }) => id))
  return candidatas.map((una) => {
    const quien = una.id ?? nombres.get(una.nombre)
    return { ...una, quien, retirada: quien !== undefined && gone.has(quien) }
  })
}

export const listAnulaciones = (db: Database, edicion: number) =>
  db
    .selectFrom('anulaciones')
    .select(['id', 'motivo', 'votos', 'conteo', 'at'])
    .where('edicion', '=', edicion)
    .orderBy('id')
    .execute()

/**
 * The candidate that a receipt's vote is for, by her present name, and whether it counts; `retirada`: she takes no part
 * any more.
 * @param recibo without hyphens
 */
export async function findRecibo(db: Database, eleccion: Eleccion, recibo: string) {
  const row = await db
    .selectFrom('banda_digital_votes as v')
    .leftJoin('votos_anulados as a', 'a.voto_id', 'v.id')
    .leftJoin('anulaciones as n', 'n.id', 'a.anulacion_id')
    .select(['v.candidata', 'n.motivo'])
    .where('v.edicion', '=', eleccion.edicion)
    .where('v.recibo', '=', recibo)
    .where('v.lote', '>', 0)
    .executeTakeFirst()
  if (!row) return undefined
  const cast = row.candidata ?? ''
  const id = (await readNombres(db, eleccion)).get(cast)
  return {
    candidata: eleccion.candidatas.find((una) => una.id === id)?.nombre ?? cast,
    anulado: row.motivo,
    ...((eleccion.retiradas ?? []).some((una) => una.id === id) && { retirada: true }),
  }
}
