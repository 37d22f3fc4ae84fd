import * as v from 'valibot'
import { type Rules, RulesSchema } from '#app/voting/election/origin-rules.ts'
import { PUBLIC_KEY, SIGNATURE } from './signature.ts'

const integer = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
/** A hash in hexadecimal. */
const fingerprint = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const publicKey = v.pipe(v.string(), v.regex(PUBLIC_KEY))
/** A line break in a name would let one seal stand for two lists of ballots. */
const name = v.pipe(v.string(), v.regex(/^[^\p{Cc}\u2028\u2029]*$/u))
const names = v.array(name)
/** Votes by the candidate's name as it was cast; the empty name: rows that named nobody. */
const counts = v.record(name, integer)

/** An origin, or a burst from one, that passed its threshold, as the act says it. */
const FlagSchema = v.strictObject({
  /** As in `marcas.clase`. */
  clase: v.string(),
  /** A domain, a mail server, or a network by its keyed hash. */
  origen: v.string(),
  /** Beginning of a burst's ten minutes; absent: the whole edition. */
  tramo: v.optional(v.string()),
  umbral: integer,
  votos: integer,
  anulados: integer,
})

/** Votes taken out of the count by an organiser, as the act says it. */
const AnnulmentSchema = v.strictObject({
  /** Place in the act's `marcas`; absent in acts from before there were marks. */
  marca: v.optional(integer),
  motivo: v.string(),
  votos: integer,
  conteo: counts,
  /** SHA-256 of the sorted hashes of the receipts concerned, one a line. */
  huella: fingerprint,
})

/** A candidate who was withdrawn from the contest, as the act says it. */
const WithdrawnCandidateSchema = v.strictObject({
  id: v.string(),
  /** Only where ballots bear it. */
  nombre: v.optional(name),
  /** Other names that her ballots bear. */
  antes: v.optional(names),
  /** When she was withdrawn, ISO. */
  desde: v.string(),
  /** Ballots that bear her names, without those annulled. */
  votos: integer,
  /** nulos: they are among `otros`; cuentan: they stand in her line of `candidatas`. */
  regla: v.picklist(['nulos', 'cuentan']),
})

/** The act of zero: nothing had been counted when it was drawn up. */
const OpeningRecordSchema = v.strictObject({
  clase: v.literal('apertura'),
  edicion: integer,
  candidatas: names,
  /** Last moment of the vote. */
  cierre: v.string(),
  /** What marks an origin's votes; absent in acts from before there were rules. */
  reglas: v.optional(RulesSchema),
  papeletas: integer,
  /** Least ballots of a published link. Absent in acts of versions that closed no links while the vote was open. */
  minimo: v.optional(integer),
  /** The key by which the closing act will be signed; absent in acts from before acts were signed. */
  llave: v.optional(publicKey),
  /** By which place, from 0, links name which candidate; absent in acts from before they said it. */
  lugares: v.optional(v.array(v.strictObject({ id: v.string(), lugar: integer }))),
  /** When it was drawn up, by the site's clock. */
  levantada: v.string(),
})

/** The rules of a vote that had begun before its act of zero could say them. */
export interface RulesRecord {
  clase: 'reglas'
  edicion: number
  reglas: Rules
  levantada: string
}

/** The closing of a vote under way was moved. */
const ClosingMoveSchema = v.strictObject({
  clase: v.literal('cierre-movido'),
  edicion: integer,
  /** From 1. */
  numero: integer,
  /** Seal of the move before; of the first, that of the act of zero. */
  anterior: fingerprint,
  /** Last moment of the vote until then, and from then on. */
  antes: v.string(),
  ahora: v.string(),
  motivo: v.string(),
  /** Who did it, by role. */
  por: v.string(),
  levantada: v.string(),
})

/** The closing act. */
const ClosingRecordSchema = v.strictObject({
  clase: v.literal('cierre'),
  edicion: integer,
  /** Seal of the act of zero. */
  apertura: fingerprint,
  candidatas: v.array(
    v.strictObject({
      /** Absent in acts that were sealed before candidates had ids. */
      id: v.optional(v.string()),
      nombre: name,
      /** Other names that her ballots bear, since hers was corrected while the vote went on. */
      antes: v.optional(names),
      votos: integer,
    }),
  ),
  /** Votes for names that are no candidate's any more. */
  otros: integer,
  /** Who was withdrawn while the vote went on, or before; absent where nobody was. */
  retiradas: v.optional(v.array(WithdrawnCandidateSchema)),
  /** All ballots that were sealed, annulled ones included. */
  /** The moves of the closing, each with the seal of its act; absent where it was never moved. */
  movidos: v.optional(
    v.array(
      v.strictObject({
        antes: v.string(),
        ahora: v.string(),
        motivo: v.string(),
        levantada: v.string(),
        sello: fingerprint,
      }),
    ),
  ),
  papeletas: integer,
  anulados: integer,
  anulaciones: v.array(AnnulmentSchema),
  /** The rules by which votes were marked, and what they marked; absent in acts of before. */
  reglas: v.optional(RulesSchema),
  marcas: v.optional(v.array(FlagSchema)),
  /** Rows that were written into the database without the site; no ballots, not counted. */
  ajenos: integer,
  /** What the count before the closing found wrong; empty: nothing. */
  fallas: v.array(v.string()),
  /** Least ballots of a link, but for the last. Absent in acts whose links were made at the closing. */
  minimo: v.optional(integer),
  cajas: integer,
  /** Seal of the last published link: where the file's chain ends. */
  ultimoSello: fingerprint,
  /** Seal of the last batch: where the chain in the database ended, as the recount says it. */
  ultimoLote: fingerprint,
  levantada: v.string(),
})

/** As many names as ballots of one file may bear: whoever counts them keeps a name's place in two bytes. */
const MAX_NAMES = 60_000

/** First line of the published file. */
const CoverSchema = v.strictObject({
  /** How the rest of the file is made, in Spanish. */
  lectura: v.string(),
  acta: ClosingRecordSchema,
  sello: fingerprint,
  /** The site's key and its signature on the seal; absent in files from before acts were signed. */
  llave: v.optional(publicKey),
  firma: v.optional(v.pipe(v.string(), v.regex(SIGNATURE))),
  apertura: OpeningRecordSchema,
  selloApertura: fingerprint,
  /** The acts by which the closing was moved, as they were sealed. */
  movidos: v.optional(v.array(ClosingMoveSchema)),
  /** Names that ballots refer to by their place. */
  nombres: v.pipe(names, v.maxLength(MAX_NAMES)),
})

/** A link of the published chain, a line of the file. */
const BlockSchema = v.strictObject({
  numero: integer,
  anterior: fingerprint,
  sello: fingerprint,
  /** Ballots: «hash of the receipt, space, place of the name». */
  papeletas: v.array(v.pipe(v.string(), v.regex(/^[0-9a-f]{64} (?:0|[1-9]\d{0,8})$/))),
})

/** Receipts of an annulment, a line of the file: hashes, sorted. */
const AnnulledReceiptsSchema = v.strictObject({ recibos: v.array(fingerprint) })

/** /misspopularidad/sellos.json: the links that are closed so far. */
const SealsFileSchema = v.strictObject({
  edicion: integer,
  /** Least ballots of a link, but for the last of all. */
  minimo: integer,
  cajas: v.array(v.strictObject({ numero: integer, papeletas: integer, sello: fingerprint })),
  /** The key by which the closing act will be signed; absent in those that were saved before acts were signed. */
  llave: v.optional(publicKey),
})

export type RecordedAnnulment = v.InferOutput<typeof AnnulmentSchema>
export type OpeningRecord = v.InferOutput<typeof OpeningRecordSchema>
export type ClosingMove = v.InferOutput<typeof ClosingMoveSchema>
export type ClosingRecord = v.InferOutput<typeof ClosingRecordSchema>
export type Cover = v.InferOutput<typeof CoverSchema>
export type PublishedBlock = v.InferOutput<typeof BlockSchema>
export type SealsFile = v.InferOutput<typeof SealsFileSchema>

/** Called with the path of a field that no act has, such as `acta.extra`. */
type OnUnknown = (path: string) => void

/**
 * @param onUnknown without it, fields that there are not are left out
 * @throws SyntaxError when the value is something else
 */
function read<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  onUnknown: OnUnknown = () => {},
): v.InferOutput<Schema> {
  const { issues = [], output } = v.safeParse(schema, value)
  const isUnknown = (issue: v.BaseIssue<unknown>) => issue.type === 'strict_object' && issue.expected === 'never'
  const wrong = issues.find((issue) => !isUnknown(issue))
  if (wrong) throw new SyntaxError(`It is no act of this site: ${v.getDotPath(wrong) ?? ''} ${wrong.message}`)
  for (const issue of issues) onUnknown(v.getDotPath(issue) ?? '')
  return output as v.InferOutput<Schema>
}

/**
 * A closing act, of this version or of one before.
 * @param content JSON, as `actas.contenido` keeps it
 * @throws SyntaxError when it is none
 */
export const readClosingRecord = (content: string): ClosingRecord => read(ClosingRecordSchema, JSON.parse(content))

/** An act by which the closing was moved. @throws SyntaxError when it is none */
export const readClosingMove = (content: string): ClosingMove => read(ClosingMoveSchema, JSON.parse(content))

/** The same as `readClosingRecord`; undefined for what was changed by hand until it is none, so that the screens can still say so. */
export function readClosingRecordIfAny(content: string): ClosingRecord | undefined {
  try {
    return readClosingRecord(content)
  } catch {
    return undefined
  }
}

/**
 * What the first line of a published file says.
 * @param value of the field `portada`
 * @returns the first line, and its acts as they were sealed, since their seals cover that text with its fields in
 * their order
 * @throws SyntaxError when it is none
 */
export function readCover(
  value: unknown,
  onUnknown: OnUnknown,
): { portada: Cover; sealed: { acta: string; apertura: string; movidos: string[] } } {
  const cover = read(CoverSchema, value, onUnknown)
  const { acta, apertura, movidos = [] } = value as { acta: unknown; apertura: unknown; movidos?: unknown[] }
  const texts = movidos.map((one) => JSON.stringify(one))
  return { portada: cover, sealed: { acta: JSON.stringify(acta), apertura: JSON.stringify(apertura), movidos: texts } }
}

/** A line of the published chain. @throws SyntaxError when it is none */
export const readBlock = (value: unknown, onUnknown: OnUnknown): PublishedBlock => read(BlockSchema, value, onUnknown)

/** Hashed receipts of an annulment. @throws SyntaxError when it is none */
export const readAnnulledReceipts = (value: unknown, onUnknown: OnUnknown): string[] =>
  read(AnnulledReceiptsSchema, value, onUnknown).recibos

/** A saved sellos.json. @throws SyntaxError when it is none */
export const readSealsFile = (value: unknown): SealsFile => read(SealsFileSchema, value)

/** Every name that a candidate's ballots bear in an act. */
export const namesOf = ({ nombre, antes = [] }: { nombre?: string | undefined; antes?: string[] | undefined }) => [
  ...(nombre === undefined ? [] : [nombre]),
  ...antes,
]

const READING_GUIDE =
  'Cada papeleta es la huella de su recibo, un espacio y el lugar de su candidata en «nombres», desde 0. ' +
  'La huella es el SHA-256, en hexadecimal, del recibo tal como se mostró: en mayúsculas y con guiones, como 7F2K-94QX-M3TR. ' +
  'El sello de una caja es el SHA-256 de estos renglones, cada uno con su salto de línea: el número de la caja; el sello anterior; ' +
  'y por cada papeleta la huella, un espacio y el nombre de la candidata.'
const READING_GUIDE_EARLIER_NAMES =
  ' El nombre de una candidata se corrigió durante la votación: sus votos son también los de los nombres de «antes».'
const READING_GUIDE_WITHDRAWN =
  ' Los votos con un nombre de «retiradas» cuentan, según su regla, entre los otros («nulos») o en el renglón de ella («cuentan»).'
const READING_GUIDE_CLOSING_MOVES =
  ' El cierre se movió durante la votación: «movidos» tiene el acta de cada vez, con su motivo, y su sello es el SHA-256 de ella.'
const READING_GUIDE_BLOCKS =
  ' Cada caja se cerró durante la votación, en cuanto reunió al menos tantas papeletas como dice «minimo», y su número, su cuenta y su sello ' +
  'se publicaron en ese momento en /misspopularidad/sellos.json y en los correos con los recibos: deben ser los de este archivo. ' +
  'Sólo la última, que se cerró con la votación, puede tener menos.'

/** How to read the published file, for people who count it without this site's program. */
export const readingGuideOf = ({ candidatas, retiradas, movidos, minimo }: ClosingRecord): string =>
  [
    READING_GUIDE,
    candidatas.some(({ antes }) => antes) && READING_GUIDE_EARLIER_NAMES,
    retiradas && READING_GUIDE_WITHDRAWN,
    movidos && READING_GUIDE_CLOSING_MOVES,
    minimo !== undefined && READING_GUIDE_BLOCKS,
  ]
    .filter(Boolean)
    .join('')
