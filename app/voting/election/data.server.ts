import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import * as v from 'valibot'
import { readEditionSettings } from '#app/cms/edition-settings/data.server.ts'
import { loadEdition, loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import { contentRecordPath } from '#app/cms/publishing/content-folder.server.ts'
import { placesInVoteOrder } from '#app/cms/publishing/places-in-vote-order.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { type Rules, RulesSchema } from './origin-rules.ts'

/** The fields of a candidate that a vote needs. */
export interface EligibleCandidate {
  /** Never changes; votes are counted by it. */
  id: string
  /** The full name, stored with each new vote (§3). */
  nombre: string
  /** Earlier names, from the content. */
  antes?: readonly string[]
}

export interface WithdrawnCandidate {
  id: string
  /** Place in the vote's order, from 0. It stays empty, since links name candidates by their places. */
  lugar: number
  /** Present only if the candidate may have votes. */
  nombre?: string | undefined
  /** Moment of the withdrawal in ISO 8601. */
  desde: string
}

/** The vote of one edition, against which each single vote is checked. */
export interface Election {
  /** The edition's year. */
  edicion: number
  /** The first moment to vote, an ISO date with zone; undefined if the vote opens with the candidates' publication. */
  abre?: string | undefined
  /** The last moment to vote, an ISO date with zone. */
  cierre: string
  /** The candidates who take part, in the vote's order (§3). */
  candidatas: EligibleCandidate[]
  /** Withdrawn candidates, whose places stay empty. */
  retiradas?: readonly WithdrawnCandidate[]
  /** The content's rules on origins. Once the opening record exists, its rules hold instead (`readRules`). */
  reglas: Rules
}

/** Returns the current edition's election. @throws ContentError */
export async function loadElection(): Promise<Election> {
  const { anio, fechas, candidatas, retiradas, votacion } = await loadEdition()
  // Editions of an earlier version state two limits that are no longer applied.
  const { receptor: _, alojamientoPorRed: __, ...published } = votacion.reglas
  return {
    edicion: anio,
    abre: fechas.aperturaVotacion,
    cierre: fechas.cierreVotacion,
    candidatas: candidatas.map(({ id, nombre, antes }) => ({ id, nombre, antes })),
    retiradas,
    reglas: { ...published, retiro: votacion.retiro, proveedores: votacion.proveedores },
  }
}

/** Returns the candidate at a place of the vote's order, or undefined if the place never had a candidate. */
export function candidateAt(
  { candidatas, retiradas = [] }: Pick<Election, 'candidatas' | 'retiradas'>,
  place: number,
): EligibleCandidate | (WithdrawnCandidate & { retirada: true }) | undefined {
  const withdrawnCandidate = retiradas.find((one) => one.lugar === place)
  if (withdrawnCandidate) return { ...withdrawnCandidate, retirada: true }
  return candidatas[placesInVoteOrder(candidatas.length, retiradas).indexOf(place)]
}

/** Fits the opening record, and the rules record of a vote whose opening record states no rules. */
const RecordWithRulesSchema = v.object({ reglas: v.optional(RulesSchema), levantada: v.string() })

/**
 * Returns the rules for votes cast now: those of the record that published them, or the content's until such a record exists.
 * @returns `since`: start of the rules; undefined if they hold for the whole edition
 */
export async function readRules(
  db: Database,
  { edicion, reglas }: Election,
): Promise<{ rules: Rules; arePublished: boolean; since?: Date | undefined }> {
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
 * Maps each name that votes may bear, present or corrected since, to its candidate.
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
  const withdrawnCandidate = retiradas.flatMap(({ id, nombre }) =>
    nombre === undefined ? [] : [[nombre, id] as const],
  )
  return new Map([
    ...withdrawnCandidate,
    ...storedNames.map(({ nombre, id }) => [nombre, id] as const),
    ...contentNames,
  ])
}

/** The part of a published record that shows the winner. */
const SampleRecordSchema = v.object({
  portada: v.object({
    sello: v.string(),
    acta: v.object({ candidatas: v.array(v.object({ id: v.string(), votos: v.number() })), levantada: v.string() }),
  }),
})

/**
 * Returns the sample record in the edition's content, if the database has neither votes nor records of the edition and the
 * sample's candidates are exactly the edition's. An unreadable sample counts as none.
 * @returns path and text of the file, and the ids of the leading candidates
 */
export async function readSampleRecord(
  db: Database,
  { edicion, candidatas }: Pick<Election, 'edicion' | 'candidatas'>,
): Promise<{ file: string; text: string; leaderIds: string[] } | undefined> {
  const file = contentRecordPath(edicion)
  if (file === undefined) return undefined
  const { rows } = await sql<{ hasData: boolean }>`
    select exists (select from actas where edicion = ${edicion})
      or exists (select from banda_digital_votes where edicion = ${edicion}) as "hasData"`.execute(db)
  if (rows[0]?.hasData !== false) return undefined
  const text = await readFile(file, 'utf8').catch(() => 'null')
  const parsedFile = v.safeParse(SampleRecordSchema, JSON.parse(text))
  if (!parsedFile.success) return undefined
  const countedCandidates = parsedFile.output.portada.acta.candidatas
  const ids = new Set(candidatas.map(({ id }) => id))
  if (countedCandidates.length !== ids.size || !countedCandidates.every(({ id }) => ids.has(id))) return undefined
  const mostVotes = Math.max(...countedCandidates.map(({ votos }) => votos))
  return { file, text, leaderIds: countedCandidates.filter(({ votos }) => votos === mostVotes).map(({ id }) => id) }
}

const readClosingSeal = (db: Database, edition: number) =>
  db.selectFrom('actas').select('sello').where('edicion', '=', edition).where('clase', '=', 'cierre').executeTakeFirst()

/** Returns a text that changes whenever the winner may have changed. Pages in memory are outdated then. */
export async function readWinnerVersion(db: Database): Promise<string> {
  const { anio } = await loadEditionCard()
  const [settings, record] = await Promise.all([readEditionSettings(db), readClosingSeal(db, anio)])
  return JSON.stringify([settings['votacion.ganadora'] ?? null, record?.sello ?? null])
}

/**
 * Returns the texts and the photograph of the winner: the candidate whom the organisers proclaimed, otherwise the content's
 * winner. Texts that the organisers left empty come from the content's winner if she is the same, otherwise from the content's
 * texts for any winner and the candidate's gallery.
 * @returns undefined without a sealed or sample record, and if neither organisers nor content name a winner
 */
export async function loadWinner(db: Database) {
  const [edition, election] = await Promise.all([loadEdition(), loadElection()])
  const { popularidad, candidatas, redes } = edition
  const sealed = await readClosingSeal(db, election.edicion)
  const sample = sealed ? undefined : await readSampleRecord(db, election)
  if (!sealed && !sample) return undefined
  const proclamation = (await readEditionSettings(db))['votacion.ganadora']
  const { ganadora, proclamacion } = popularidad
  // With a sample record the content's winner must lead in it.
  const contentWinner = ganadora && (!sample || sample.leaderIds.includes(ganadora.candidata)) ? ganadora : undefined
  const id = proclamation ? await resolveProclaimedId(db, proclamation.candidata) : contentWinner?.candidata
  const candidate = candidatas.find((one) => one.id === id)
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
    // Links to the pageant's pages replace missing links of the winner.
    redes: {
      ...(winnerTexts?.redes ?? redes),
      ...(proclamation?.facebook && { facebook: proclamation.facebook }),
      ...(proclamation?.instagram && { instagram: proclamation.instagram }),
    },
  }
}

/**
 * Returns the id of the candidate whom a proclamation names.
 * @param candidate the candidate's id; in proclamations older than these ids, the full name
 */
export async function resolveProclaimedId(db: Database, candidate: string): Promise<string | undefined> {
  const election = await loadElection()
  if (election.candidatas.some(({ id }) => id === candidate)) return candidate
  return (await readCandidateNames(db, election)).get(candidate)
}

/** The columns of `candidatas` that a row's signature covers. */
interface SignedNameFields {
  edicion: number
  id: string
  nombre: string
}

export const NAME_KEY = 'voto.candidata'

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
