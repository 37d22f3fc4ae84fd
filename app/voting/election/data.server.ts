import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import * as v from 'valibot'
import { loadEdicion, loadFicha } from '#app/cms/editions/displayed-edition.server.ts'
import { actaDeMuestra } from '#app/cms/publishing/content-folder.server.ts'
import { lugaresDe } from '#app/cms/publishing/vote-order.ts'
import { readAjustes } from '#app/cms/settings/data.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { type Reglas, ReglasSchema } from './origin-rules.ts'

/** A candidate, as far as a vote goes. */
export interface Elegible {
  /** The candidate's id, which never changes: every count goes by it. */
  id: string
  /** Full name, which the next vote will bear (§3). */
  nombre: string
  /** Earlier names, as the content says them. */
  antes?: readonly string[]
}

/** A candidate who takes no part any more. */
export interface Retirada {
  id: string
  /** Her place in the vote's order, from 0, which nobody takes: links name a candidate by it. */
  lugar: number
  /** Kept only where she may have votes. */
  nombre?: string | undefined
  /** Since when, ISO. */
  desde: string
}

/** The election that a vote is checked against. */
export interface Eleccion {
  /** The edition's year. */
  edicion: number
  /** The last moment to vote, an ISO date with zone. */
  cierre: string
  /** The candidates who take part, in the vote's order (§3). */
  candidatas: Elegible[]
  /** Those who have been withdrawn: each keeps her place, so that every other one has hers. */
  retiradas?: readonly Retirada[]
  /** What the content says of origins; once the act of zero is there, the act's hold instead. */
  reglas: Reglas
}

/** The current edition's election. @throws ContentError */
export async function loadEleccion(): Promise<Eleccion> {
  const { anio, fechas, candidatas, retiradas, votacion } = await loadEdicion()
  // An edition written for a version before says two limits that mark nothing any more.
  const { receptor: _, alojamientoPorRed: __, ...published } = votacion.reglas
  return {
    edicion: anio,
    cierre: fechas.cierreVotacion,
    candidatas: candidatas.map(({ id, nombre, antes }) => ({ id, nombre, antes })),
    retiradas,
    reglas: { ...published, retiro: votacion.retiro, proveedores: votacion.proveedores },
  }
}

/** Who stands at a place of the vote's order; undefined: nobody ever did. */
export function enLugar(
  { candidatas, retiradas = [] }: Pick<Eleccion, 'candidatas' | 'retiradas'>,
  lugar: number,
): Elegible | (Retirada & { retirada: true }) | undefined {
  const gone = retiradas.find((una) => una.lugar === lugar)
  if (gone) return { ...gone, retirada: true }
  return candidatas[lugaresDe(candidatas.length, retiradas).indexOf(lugar)]
}

/** The act of zero, or the act of the rules where a vote began before its act of zero said them. */
const ConReglasSchema = v.object({ reglas: v.optional(ReglasSchema), levantada: v.string() })

/**
 * The rules that hold for votes cast now: those of the act that published them; the content's until it is there.
 * @returns `desde`: for which votes they hold; undefined: for all of the edition
 */
export async function readReglas(
  db: Database,
  { edicion, reglas }: Eleccion,
): Promise<{ reglas: Reglas; publicadas: boolean; desde?: Date | undefined }> {
  const actas = await db
    .selectFrom('actas')
    .select(['clase', 'contenido'])
    .where('edicion', '=', edicion)
    .where('clase', 'in', ['apertura', 'reglas'])
    .execute()
  for (const { clase, contenido } of actas) {
    const acta = v.safeParse(ConReglasSchema, JSON.parse(contenido))
    if (acta.success && acta.output.reglas)
      return {
        reglas: acta.output.reglas,
        publicadas: true,
        desde: clase === 'reglas' ? new Date(acta.output.levantada) : undefined,
      }
  }
  return { reglas, publicadas: false }
}

/**
 * Which candidate each name on a vote means: present names, and names that were corrected since.
 * @returns full name → id of the candidate; a name that is not in it is no candidate's of the edition
 */
export async function readNombres(
  db: Database,
  { edicion, candidatas, retiradas = [] }: Pick<Eleccion, 'edicion' | 'candidatas' | 'retiradas'>,
): Promise<Map<string, string>> {
  const kept = await db.selectFrom('candidatas').select(['nombre', 'id']).where('edicion', '=', edicion).execute()
  const said = candidatas.flatMap(({ id, nombre, antes = [] }) => [nombre, ...antes].map((name) => [name, id] as const))
  const gone = retiradas.flatMap(({ id, nombre }) => (nombre === undefined ? [] : [[nombre, id] as const]))
  return new Map([...gone, ...kept.map(({ nombre, id }) => [nombre, id] as const), ...said])
}

const MovidoSchema = v.object({ antes: v.string(), ahora: v.string(), motivo: v.string(), levantada: v.string() })
/** A move of the vote's closing, as visitors are told of it. */
export type MovidoDicho = v.InferOutput<typeof MovidoSchema>

/** How the closing of a vote was moved while it was open, in order: what its acts say. */
export async function readMovidos(db: Database, edicion: number): Promise<MovidoDicho[]> {
  const rows = await db
    .selectFrom('actas')
    .select('contenido')
    .where('edicion', '=', edicion)
    .where('clase', '=', 'cierre-movido')
    .orderBy('numero')
    .execute()
  return rows.map(({ contenido }) => v.parse(MovidoSchema, JSON.parse(contenido)))
}

/** The lines of a published act that say who won. */
const ResultadoSchema = v.object({
  portada: v.object({
    sello: v.string(),
    acta: v.object({ candidatas: v.array(v.object({ id: v.string(), votos: v.number() })), levantada: v.string() }),
  }),
})

/**
 * The act that comes with the edition, for a database in which nobody has voted in it and nothing was sealed. It is of
 * its own candidates alone: an edition with others has no result.
 * @returns its file, and who leads by it
 */
export async function readActaDeMuestra(
  db: Database,
  { edicion, candidatas }: Pick<Eleccion, 'edicion' | 'candidatas'>,
): Promise<{ file: string; texto: string; ganan: string[] } | undefined> {
  const file = actaDeMuestra(edicion)
  if (file === undefined) return undefined
  const { rows } = await sql<{ hay: boolean }>`
    select exists (select from actas where edicion = ${edicion})
      or exists (select from banda_digital_votes where edicion = ${edicion}) as hay`.execute(db)
  if (rows[0]?.hay !== false) return undefined
  const texto = await readFile(file, 'utf8').catch(() => 'null')
  const read = v.safeParse(ResultadoSchema, JSON.parse(texto))
  if (!read.success) return undefined
  const counted = read.output.portada.acta.candidatas
  const ids = new Set(candidatas.map(({ id }) => id))
  if (counted.length !== ids.size || !counted.every(({ id }) => ids.has(id))) return undefined
  const most = Math.max(...counted.map(({ votos }) => votos))
  return { file, texto, ganan: counted.filter(({ votos }) => votos === most).map(({ id }) => id) }
}

const readSelloDeCierre = (db: Database, edicion: number) =>
  db.selectFrom('actas').select('sello').where('edicion', '=', edicion).where('clase', '=', 'cierre').executeTakeFirst()

/** What decides whether anybody has won, and who: it is another text as soon as that changes. */
export async function readResultado(db: Database): Promise<string> {
  const { anio } = await loadFicha()
  const [ajustes, acta] = await Promise.all([readAjustes(db), readSelloDeCierre(db, anio)])
  return JSON.stringify([ajustes['votacion.ganadora'] ?? null, acta?.sello ?? null])
}

/**
 * The winner's card: the one whom the organisers proclaimed, else the one whom the content names. Words that the
 * organisers left open are the content's for her, else the content's for any winner, with her portrait.
 * @returns undefined while nobody is proclaimed, and without a sealed act, whatever the content says
 * @source D34
 */
export async function loadGanadora(db: Database) {
  const [edicion, eleccion] = await Promise.all([loadEdicion(), loadEleccion()])
  const { popularidad, candidatas, redes } = edicion
  const sealed = await readSelloDeCierre(db, eleccion.edicion)
  const muestra = sealed ? undefined : await readActaDeMuestra(db, eleccion)
  if (!sealed && !muestra) return undefined
  const puesta = (await readAjustes(db))['votacion.ganadora']
  const { ganadora, proclamacion } = popularidad
  // What comes with the sample is all that is known of its vote, so its words must fit its count.
  const escrita = ganadora && (!muestra || muestra.ganan.includes(ganadora.candidata)) ? ganadora : undefined
  const id = puesta ? await proclaimedId(db, puesta.candidata) : escrita?.candidata
  const candidata = candidatas.find((una) => una.id === id)
  if (!candidata) return undefined
  const suya = escrita?.candidata === id ? escrita : undefined
  const { nombre, edad, origen, cumple, carrera, signo, galeria, tono } = candidata
  return {
    ...{ id: candidata.id, nombre, edad, origen, cumple, carrera, signo, tono },
    nombreCorto: puesta?.nombreCorto ?? suya?.nombreCorto ?? nombre.split(' ').slice(0, 2).join(' '),
    felicitacion: (suya ?? proclamacion).felicitacion,
    mensaje: puesta?.mensaje ?? (suya ?? proclamacion).mensaje,
    foto: suya?.foto ?? galeria[0]!,
    // Where nobody gives links of hers, the pageant's pages are where people meet her.
    redes: {
      ...(suya?.redes ?? redes),
      ...(puesta?.facebook && { facebook: puesta.facebook }),
      ...(puesta?.instagram && { instagram: puesta.instagram }),
    },
  }
}

/**
 * The candidate whom a proclamation means.
 * @param candidata her id; her full name in proclamations from before candidates had ids
 */
export async function proclaimedId(db: Database, candidata: string): Promise<string | undefined> {
  const eleccion = await loadEleccion()
  if (eleccion.candidatas.some(({ id }) => id === candidata)) return candidata
  return (await readNombres(db, eleccion)).get(candidata)
}

/** The part of a row of `candidatas` that its signature covers. */
interface Nombrada {
  edicion: number
  id: string
  nombre: string
}

export const NAME_KEY = 'voto.candidata'

export const signNombre = (key: KeyObject, { edicion, id, nombre }: Nombrada): Buffer =>
  createHmac('sha256', key).update([edicion, id, nombre].join('\n')).digest()

/** Whether this site wrote which candidate has the name. */
export const isNombreSigned = (key: KeyObject, row: Nombrada & { firma: Buffer }): boolean =>
  row.firma.length === 32 && timingSafeEqual(row.firma, signNombre(key, row))

/** Whether anybody has voted in an edition. */
export async function hayVotos(db: Database, edicion: number): Promise<boolean> {
  const found = await db
    .selectFrom('banda_digital_votes')
    .select('edicion')
    .where('edicion', '=', edicion)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
