import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import * as v from 'valibot'
import { loadEdition, loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import { sampleRecordPath } from '#app/cms/publishing/content-folder.server.ts'
import { placesInVoteOrder } from '#app/cms/publishing/vote-order.ts'
import { readSettings } from '#app/cms/settings/data.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { type Rules, RulesSchema } from './origin-rules.ts'

/** A candidate, as far as a vote goes. */
export interface EligibleCandidate {
  /** The candidate's id, which never changes: every count goes by it. */
  id: string
  /** Full name, which the next vote will bear (§3). */
  nombre: string
  /** Earlier names, as the content says them. */
  antes?: readonly string[]
}

/** A candidate who takes no part any more. */
export interface WithdrawnCandidate {
  id: string
  /** Her place in the vote's order, from 0, which nobody takes: links name a candidate by it. */
  lugar: number
  /** Kept only where she may have votes. */
  nombre?: string | undefined
  /** Since when, ISO. */
  desde: string
}

/** The election that a vote is checked against. */
export interface Election {
  /** The edition's year. */
  edicion: number
  /** The last moment to vote, an ISO date with zone. */
  cierre: string
  /** The candidates who take part, in the vote's order (§3). */
  candidatas: EligibleCandidate[]
  /** Those who have been withdrawn: each keeps her place, so that every other one has hers. */
  retiradas?: readonly WithdrawnCandidate[]
  /** What the content says of origins; once the act of zero is there, the act's hold instead. */
  reglas: Rules
}

/** The current edition's election. @throws ContentError */
export async function loadElection(): Promise<Election> {
  const { anio, fechas, candidatas, retiradas, votacion } = await loadEdition()
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
export function candidateAt(
  { candidatas, retiradas = [] }: Pick<Election, 'candidatas' | 'retiradas'>,
  place: number,
): EligibleCandidate | (WithdrawnCandidate & { retirada: true }) | undefined {
  const gone = retiradas.find((una) => una.lugar === place)
  if (gone) return { ...gone, retirada: true }
  return candidatas[placesInVoteOrder(candidatas.length, retiradas).indexOf(place)]
}

/** The act of zero, or the act of the rules where a vote began before its act of zero said them. */
const WithRulesSchema = v.object({ reglas: v.optional(RulesSchema), levantada: v.string() })

/**
 * The rules that hold for votes cast now: those of the act that published them; the content's until it is there.
 * @returns `desde`: for which votes they hold; undefined: for all of the edition
 */
export async function readRules(
  db: Database,
  { edicion, reglas }: Election,
): Promise<{ reglas: Rules; publicadas: boolean; desde?: Date | undefined }> {
  const records = await db
    .selectFrom('actas')
    .select(['clase', 'contenido'])
    .where('edicion', '=', edicion)
    .where('clase', 'in', ['apertura', 'reglas'])
    .execute()
  for (const { clase, contenido } of records) {
    const record = v.safeParse(WithRulesSchema, JSON.parse(contenido))
    if (record.success && record.output.reglas)
      return {
        reglas: record.output.reglas,
        publicadas: true,
        desde: clase === 'reglas' ? new Date(record.output.levantada) : undefined,
      }
  }
  return { reglas, publicadas: false }
}

/**
 * Which candidate each name on a vote means: present names, and names that were corrected since.
 * @returns full name → id of the candidate; a name that is not in it is no candidate's of the edition
 */
export async function readCandidateNames(
  db: Database,
  { edicion, candidatas, retiradas = [] }: Pick<Election, 'edicion' | 'candidatas' | 'retiradas'>,
): Promise<Map<string, string>> {
  const kept = await db.selectFrom('candidatas').select(['nombre', 'id']).where('edicion', '=', edicion).execute()
  const said = candidatas.flatMap(({ id, nombre, antes = [] }) => [nombre, ...antes].map((name) => [name, id] as const))
  const gone = retiradas.flatMap(({ id, nombre }) => (nombre === undefined ? [] : [[nombre, id] as const]))
  return new Map([...gone, ...kept.map(({ nombre, id }) => [nombre, id] as const), ...said])
}

const ClosingMoveSchema = v.object({ antes: v.string(), ahora: v.string(), motivo: v.string(), levantada: v.string() })
/** A move of the vote's closing, as visitors are told of it. */
export type AnnouncedClosingMove = v.InferOutput<typeof ClosingMoveSchema>

/** How the closing of a vote was moved while it was open, in order: what its acts say. */
export async function readClosingMoves(db: Database, edition: number): Promise<AnnouncedClosingMove[]> {
  const rows = await db
    .selectFrom('actas')
    .select('contenido')
    .where('edicion', '=', edition)
    .where('clase', '=', 'cierre-movido')
    .orderBy('numero')
    .execute()
  return rows.map(({ contenido }) => v.parse(ClosingMoveSchema, JSON.parse(contenido)))
}

/** The lines of a published act that say who won. */
const ResultSchema = v.object({
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
export async function readSampleRecord(
  db: Database,
  { edicion, candidatas }: Pick<Election, 'edicion' | 'candidatas'>,
): Promise<{ file: string; texto: string; ganan: string[] } | undefined> {
  const file = sampleRecordPath(edicion)
  if (file === undefined) return undefined
  const { rows } = await sql<{ hay: boolean }>`
    select exists (select from actas where edicion = ${edicion})
      or exists (select from banda_digital_votes where edicion = ${edicion}) as hay`.execute(db)
  if (rows[0]?.hay !== false) return undefined
  const text = await readFile(file, 'utf8').catch(() => 'null')
  const read = v.safeParse(ResultSchema, JSON.parse(text))
  if (!read.success) return undefined
  const counted = read.output.portada.acta.candidatas
  const ids = new Set(candidatas.map(({ id }) => id))
  if (counted.length !== ids.size || !counted.every(({ id }) => ids.has(id))) return undefined
  const most = Math.max(...counted.map(({ votos }) => votos))
  return { file, texto: text, ganan: counted.filter(({ votos }) => votos === most).map(({ id }) => id) }
}

const readClosingSeal = (db: Database, edition: number) =>
  db.selectFrom('actas').select('sello').where('edicion', '=', edition).where('clase', '=', 'cierre').executeTakeFirst()

/** What decides whether anybody has won, and who: it is another text as soon as that changes. */
export async function readResult(db: Database): Promise<string> {
  const { anio } = await loadEditionCard()
  const [settings, record] = await Promise.all([readSettings(db), readClosingSeal(db, anio)])
  return JSON.stringify([settings['votacion.ganadora'] ?? null, record?.sello ?? null])
}

/**
 * The winner's card: the one whom the organisers proclaimed, else the one whom the content names. Words that the
 * organisers left open are the content's for her, else the content's for any winner, with her portrait.
 * @returns undefined while nobody is proclaimed, and without a sealed act, whatever the content says
 * @source D34
 */
export async function loadWinner(db: Database) {
  const [edition, election] = await Promise.all([loadEdition(), loadElection()])
  const { popularidad, candidatas, redes } = edition
  const sealed = await readClosingSeal(db, election.edicion)
  const sample = sealed ? undefined : await readSampleRecord(db, election)
  if (!sealed && !sample) return undefined
  const displayed = (await readSettings(db))['votacion.ganadora']
  const { ganadora, proclamacion } = popularidad
  // What comes with the sample is all that is known of its vote, so its words must fit its count.
  const written = ganadora && (!sample || sample.ganan.includes(ganadora.candidata)) ? ganadora : undefined
  const id = displayed ? await proclaimedId(db, displayed.candidata) : written?.candidata
  const candidate = candidatas.find((una) => una.id === id)
  if (!candidate) return undefined
  const own = written?.candidata === id ? written : undefined
  const { nombre, edad, origen, cumple, carrera, signo, galeria, tono } = candidate
  return {
    ...{ id: candidate.id, nombre, edad, origen, cumple, carrera, signo, tono },
    nombreCorto: displayed?.nombreCorto ?? own?.nombreCorto ?? nombre.split(' ').slice(0, 2).join(' '),
    felicitacion: (own ?? proclamacion).felicitacion,
    mensaje: displayed?.mensaje ?? (own ?? proclamacion).mensaje,
    foto: own?.foto ?? galeria[0]!,
    // Where nobody gives links of hers, the pageant's pages are where people meet her.
    redes: {
      ...(own?.redes ?? redes),
      ...(displayed?.facebook && { facebook: displayed.facebook }),
      ...(displayed?.instagram && { instagram: displayed.instagram }),
    },
  }
}

/**
 * The candidate whom a proclamation means.
 * @param candidate her id; her full name in proclamations from before candidates had ids
 */
export async function proclaimedId(db: Database, candidate: string): Promise<string | undefined> {
  const election = await loadElection()
  if (election.candidatas.some(({ id }) => id === candidate)) return candidate
  return (await readCandidateNames(db, election)).get(candidate)
}

/** The part of a row of `candidatas` that its signature covers. */
interface NamedCandidate {
  edicion: number
  id: string
  nombre: string
}

export const NAME_KEY = 'voto.candidata'

export const signCandidateName = (key: KeyObject, { edicion, id, nombre }: NamedCandidate): Buffer =>
  createHmac('sha256', key).update([edicion, id, nombre].join('\n')).digest()

/** Whether this site wrote which candidate has the name. */
export const isCandidateNameSigned = (key: KeyObject, row: NamedCandidate & { firma: Buffer }): boolean =>
  row.firma.length === 32 && timingSafeEqual(row.firma, signCandidateName(key, row))

/** Whether anybody has voted in an edition. */
export async function hasVotes(db: Database, edition: number): Promise<boolean> {
  const found = await db
    .selectFrom('banda_digital_votes')
    .select('edicion')
    .where('edicion', '=', edition)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
