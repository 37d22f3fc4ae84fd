import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import * as v from 'valibot'
import { readEditionSettings } from '#app/cms/edition-settings/data.server.ts'
import { loadEdition, loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import { contentRecordPath } from '#app/cms/publishing/content-folder.server.ts'
import { placesInVoteOrder } from '#app/cms/publishing/places-in-vote-order.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { type OriginRules, OriginRulesSchema } from './origin-rules.ts'

export interface EligibleCandidate {
  /** Votes are counted by the id, so it cannot change once the candidate has votes (`storeCandidateNames`). */
  id: string
  /** The full name, stored with each new vote (§3). */
  nombre: string
  /** Earlier names, from the content. */
  antes?: readonly string[]
}

export interface WithdrawnCandidate {
  id: string
  /** Place in the vote's order, from 0. No other candidate gets it, since links name candidates by their places. */
  lugar: number
  /** Name on the candidate's ballots; absent if the candidate cannot have votes. */
  nombre?: string | undefined
  /** Moment of the withdrawal in ISO 8601. */
  desde: string
}

/** The vote of one edition: its candidates, times and rules. */
export interface Election {
  /** The edition's year. */
  edicion: number
  /** First moment to vote, in ISO 8601 with zone; undefined if the vote opens with the candidates' publication. */
  abre?: string | undefined
  /** Last moment to vote, in ISO 8601 with zone. */
  cierre: string
  /** The candidates who take part, in the vote's order (§3). */
  candidatas: EligibleCandidate[]
  retiradas?: readonly WithdrawnCandidate[]
  /** The content's rules on origins. They hold until a record publishes rules (`readRules`). */
  reglas: OriginRules
}

/** Returns the election of the edition that `loadEdition` returns. @throws the errors of `loadEdition` */
export async function loadElection(): Promise<Election> {
  const { anio, fechas, candidatas, retiradas, votacion } = await loadEdition()
  // Content of an earlier version states two thresholds that are no longer applied.
  const { receptor: _, alojamientoPorRed: __, ...thresholds } = votacion.reglas
  return {
    edicion: anio,
    abre: fechas.aperturaVotacion,
    cierre: fechas.cierreVotacion,
    candidatas: candidatas.map(({ id, nombre, antes }) => ({ id, nombre, antes })),
    retiradas,
    reglas: { ...thresholds, retiro: votacion.retiro, proveedores: votacion.proveedores },
  }
}

/** Returns the candidate at a place of the vote's order, or undefined if the place never had a candidate. */
export function candidateAt(
  { candidatas, retiradas = [] }: Pick<Election, 'candidatas' | 'retiradas'>,
  place: number,
): EligibleCandidate | (WithdrawnCandidate & { retirada: true }) | undefined {
  const withdrawnCandidate = retiradas.find(({ lugar }) => lugar === place)
  if (withdrawnCandidate) return { ...withdrawnCandidate, retirada: true }
  return candidatas[placesInVoteOrder(candidatas.length, retiradas).indexOf(place)]
}

/** The part of a record that states rules: of the opening record or, if that states none, of a separate rules record. */
const RecordWithRulesSchema = v.object({ reglas: v.optional(OriginRulesSchema), levantada: v.string() })

/**
 * Returns the rules for votes cast now: a record's published rules or, before there is such a record, the content's rules.
 * @returns the rules, and in `since` the moment from which they hold; undefined if they hold for the whole edition
 */
export async function readRules(
  db: Database,
  { edicion, reglas }: Election,
): Promise<{ rules: OriginRules; arePublished: boolean; since?: Date | undefined }> {
  const records = await db
    .selectFrom('actas')
    .select(['clase', 'contenido'])
    .where('edicion', '=', edicion)
    .where('clase', 'in', ['apertura', 'reglas'])
    .execute()
  for (const { clase, contenido } of records) {
    const record = v.safeParse(RecordWithRulesSchema, JSON.parse(contenido))
    if (record.success && record.output.reglas)
      return {
        rules: record.output.reglas,
        arePublished: true,
        since: clase === 'reglas' ? new Date(record.output.levantada) : undefined,
      }
  }
  return { rules: reglas, arePublished: false }
}

/**
 * Reads all names that votes may bear: those of present and withdrawn candidates, and former names that were corrected.
 * @returns full name → id of the candidate
 */
export async function readCandidateNames(
  db: Database,
  { edicion, candidatas, retiradas = [] }: Pick<Election, 'edicion' | 'candidatas' | 'retiradas'>,
): Promise<Map<string, string>> {
  const storedNames = await db
    .selectFrom('candidatas')
    .select(['nombre', 'id'])
    .where('edicion', '=', edicion)
    .execute()
  const contentNames = candidatas.flatMap(({ id, nombre, antes = [] }) =>
    [nombre, ...antes].map((name) => [name, id] as const),
  )
  const withdrawnNames = retiradas.flatMap(({ id, nombre }) => (nombre === undefined ? [] : [[nombre, id] as const]))
  return new Map([...withdrawnNames, ...storedNames.map(({ nombre, id }) => [nombre, id] as const), ...contentNames])
}

/** The part of a published record that shows the winner. */
const SampleRecordSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    portada: v.object({
      sello: v.string(),
      acta: v.object({ candidatas: v.array(v.object({ id: v.string(), votos: v.number() })), levantada: v.string() }),
    }),
  }),
)

/**
 * Returns the sample record in the edition's content, which is shown while the database has neither votes nor records of the
 * edition. A sample that is no JSON, or has another shape or other candidates than the edition, is ignored.
 * @returns path and text of the file, and the ids of the leading candidates; undefined if the edition has no such file, the file
 * is ignored, or the database has votes or records of the edition
 */
export async function readSampleRecord(
  db: Database,
  { edicion, candidatas }: Pick<Election, 'edicion' | 'candidatas'>,
  root = '.',
): Promise<{ file: string; text: string; leaderIds: string[] } | undefined> {
  const file = contentRecordPath(edicion, root)
  if (file === undefined) return undefined
  const { rows } = await sql<{ hasData: boolean }>`
    select exists (select from actas where edicion = ${edicion})
      or exists (select from banda_digital_votes where edicion = ${edicion}) as "hasData"`.execute(db)
  if (rows[0]?.hasData !== false) return undefined
  const text = await readFile(file, 'utf8').catch(() => '')
  const sample = v.safeParse(SampleRecordSchema, text)
  if (!sample.success) return undefined
  const countedCandidates = sample.output.portada.acta.candidatas
  const ids = new Set(candidatas.map(({ id }) => id))
  if (countedCandidates.length !== ids.size || !countedCandidates.every(({ id }) => ids.has(id))) return undefined
  const mostVotes = Math.max(...countedCandidates.map(({ votos }) => votos))
  return { file, text, leaderIds: countedCandidates.filter(({ votos }) => votos === mostVotes).map(({ id }) => id) }
}

const readClosingSeal = (db: Database, edition: number) =>
  db.selectFrom('actas').select('sello').where('edicion', '=', edition).where('clase', '=', 'cierre').executeTakeFirst()

/** Reads the years of the editions that have votes or records, but no closing record yet. */
export async function readUnsealedYears(db: Database): Promise<Set<number>> {
  const { rows } = await sql<{ anio: number }>`
    select anio from ediciones
    where (exists (select from actas where edicion = anio)
        or exists (select from banda_digital_votes where edicion = anio))
      and not exists (select from actas where edicion = anio and clase = 'cierre')`.execute(db)
  return new Set(rows.map(({ anio }) => anio))
}

/**
 * Returns a text that changes with the proclamation and with the closing record, so that pages kept in memory are rendered again.
 * The winner in the content changes only with its publication.
 */
export async function readWinnerVersion(db: Database): Promise<string> {
  const { anio } = await loadEditionCard()
  const [settings, record] = await Promise.all([readEditionSettings(db), readClosingSeal(db, anio)])
  return JSON.stringify([settings['votacion.ganadora'] ?? null, record?.sello ?? null])
}

/**
 * Returns the texts and the photograph of the winner. She is the candidate whom the organisers proclaimed, or else the winner
 * that the content names. Texts that the organisers left empty are the content's texts for the same winner, or else its texts for
 * any winner; without a short name, she is called by the first two words of her name.
 * @returns undefined without a sealed or sample record; if neither the organisers nor the content name a winner; if the named
 * winner is not a candidate of the edition; and, without a proclamation, if the content's winner does not lead in a sample record
 */
export async function loadWinner(db: Database) {
  const [edition, election] = await Promise.all([loadEdition(), loadElection()])
  const { popularidad, candidatas, redes } = edition
  const closingSeal = await readClosingSeal(db, election.edicion)
  const sample = closingSeal ? undefined : await readSampleRecord(db, election)
  if (!closingSeal && !sample) return undefined
  const proclamation = (await readEditionSettings(db))['votacion.ganadora']
  const { ganadora, proclamacion } = popularidad
  // Where the record is a sample, the content's winner must lead in it.
  const contentWinner = ganadora && (!sample || sample.leaderIds.includes(ganadora.candidata)) ? ganadora : undefined
  const id = proclamation ? await resolveProclaimedId(db, proclamation.candidata) : contentWinner?.candidata
  const candidate = candidatas.find((presentCandidate) => presentCandidate.id === id)
  if (!candidate) return undefined
  const winnerTexts = contentWinner?.candidata === id ? contentWinner : undefined
  const { nombre, edad, origen, cumple, carrera, signo, galeria, tono } = candidate
  return {
    id: candidate.id,
    nombre,
    edad,
    origen,
    cumple,
    carrera,
    signo,
    tono,
    nombreCorto: proclamation?.nombreCorto ?? winnerTexts?.nombreCorto ?? nombre.split(' ').slice(0, 2).join(' '),
    felicitacion: (winnerTexts ?? proclamacion).felicitacion,
    mensaje: proclamation?.mensaje ?? (winnerTexts ?? proclamacion).mensaje,
    foto: winnerTexts?.foto ?? galeria[0]!,
    // Without links of the winner in the content, the links are those of the pageant's pages.
    redes: {
      ...(winnerTexts?.redes ?? redes),
      ...(proclamation?.facebook && { facebook: proclamation.facebook }),
      ...(proclamation?.instagram && { instagram: proclamation.instagram }),
    },
  }
}

/**
 * Returns the id of the candidate whom a proclamation names.
 * @param idOrName the candidate's id; in proclamations older than candidates' ids, the full name
 * @returns undefined for an id that no present candidate has, and for an unknown name
 */
export async function resolveProclaimedId(db: Database, idOrName: string): Promise<string | undefined> {
  const election = await loadElection()
  if (election.candidatas.some(({ id }) => id === idOrName)) return idOrName
  return (await readCandidateNames(db, election)).get(idOrName)
}

/** The columns of `candidatas` that a row's signature covers. */
interface SignedNameFields {
  edicion: number
  id: string
  nombre: string
}

export const NAME_KEY_PURPOSE = 'voto.candidata'

export const signCandidateName = (key: KeyObject, { edicion, id, nombre }: SignedNameFields): Buffer =>
  createHmac('sha256', key).update([edicion, id, nombre].join('\n')).digest()

/** Returns whether this site signed a row of `candidatas`. */
export const isCandidateNameSigned = (key: KeyObject, row: SignedNameFields & { firma: Buffer }): boolean =>
  row.firma.length === 32 && timingSafeEqual(row.firma, signCandidateName(key, row))

export async function hasVotes(db: Database, edition: number): Promise<boolean> {
  const firstVote = await db
    .selectFrom('banda_digital_votes')
    .select('edicion')
    .where('edicion', '=', edition)
    .limit(1)
    .executeTakeFirst()
  return firstVote !== undefined
}
