import * as v from 'valibot'
import { type Rules, RulesSchema } from '#app/voting/election/origin-rules.ts'
import { PUBLIC_KEY, SIGNATURE } from './signature.ts'

const integer = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
/** A hash in hexadecimal. */
const fingerprint = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const publicKey = v.pipe(v.string(), v.regex(PUBLIC_KEY))
/** Without control characters: a line break in a name would let one seal stand for two lists of ballots. */
const name = v.pipe(v.string(), v.regex(/^[^\p{Cc}\u2028\u2029]*$/u))
const names = v.array(name)
/** Votes by name as cast; the empty name stands for rows without a name. */
const counts = v.record(name, integer)

/** A flag in the record: an origin, or a burst of an origin, beyond its threshold. */
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

/** An annulment in the record: votes that an organiser took out of the count. */
const AnnulmentSchema = v.strictObject({
  /** Index of the flag in the record's `marcas`; absent in records from before flags existed. */
  marca: v.optional(integer),
  motivo: v.string(),
  votos: integer,
  conteo: counts,
  /** SHA-256 of the sorted hashes of the annulled receipts, one per line. */
  huella: fingerprint,
})

/** A withdrawn candidate in the record. */
const WithdrawnCandidateSchema = v.strictObject({
  id: v.string(),
  /** Only if ballots bear the name. */
  nombre: v.optional(name),
  /** Other names on the candidate's ballots. */
  antes: v.optional(names),
  /** Moment of the withdrawal, ISO. */
  desde: v.string(),
  /** Ballots with the candidate's names, annulled ones left out. */
  votos: integer,
  /** nulos: the votes are part of `otros`; cuentan: they stand in the candidate's line of `candidatas`. */
  regla: v.picklist(['nulos', 'cuentan']),
})

/** The opening record: no vote had been counted when it was drawn up. */
const OpeningRecordSchema = v.strictObject({
  clase: v.literal('apertura'),
  edicion: integer,
  candidatas: names,
  /** Last moment of the vote. */
  cierre: v.string(),
  /** Thresholds that flag an origin's votes; absent in records from before rules existed. */
  reglas: v.optional(RulesSchema),
  papeletas: integer,
  /** Minimum ballots of a published block; absent in records of versions that closed no blocks during the vote. */
  minimo: v.optional(integer),
  /** Public key of the closing record's signature; absent in records from before signatures. */
  llave: v.optional(publicKey),
  /** Place of each candidate in links, from 0; absent in older records. */
  lugares: v.optional(v.array(v.strictObject({ id: v.string(), lugar: integer }))),
  /** When the record was drawn up, by the site's clock. */
  levantada: v.string(),
})

/** The record of the rules of a vote whose opening record states none. */
export interface RulesRecord {
  clase: 'reglas'
  edicion: number
  reglas: Rules
  levantada: string
}

/** The record of a move of an open vote's closing. */
const ClosingMoveSchema = v.strictObject({
  clase: v.literal('cierre-movido'),
  edicion: integer,
  /** Counted from 1. */
  numero: integer,
  /** Seal of the previous move's record; for the first move, of the opening record. */
  anterior: fingerprint,
  /** Last moment of the vote before the move and after the move. */
  antes: v.string(),
  ahora: v.string(),
  motivo: v.string(),
  /** Role of the person who moved the closing. */
  por: v.string(),
  levantada: v.string(),
})

const ClosingRecordSchema = v.strictObject({
  clase: v.literal('cierre'),
  edicion: integer,
  /** Seal of the opening record. */
  apertura: fingerprint,
  candidatas: v.array(
    v.strictObject({
      /** Absent in records that were sealed before candidates had ids. */
      id: v.optional(v.string()),
      nombre: name,
      /** Earlier names on the candidate's ballots, from before a correction during the vote. */
      antes: v.optional(names),
      votos: integer,
    }),
  ),
  /** Votes for names of no present candidate. */
  otros: integer,
  /** Candidates withdrawn before or during the vote; absent without any. */
  retiradas: v.optional(v.array(WithdrawnCandidateSchema)),
  /** The moves of the closing, each with its record's seal; absent if the closing was never moved. */
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
  /** All sealed ballots, annulled ones included. */
  papeletas: integer,
  anulados: integer,
  anulaciones: v.array(AnnulmentSchema),
  /** The rules for flagging votes, and the flags; absent in older records. */
  reglas: v.optional(RulesSchema),
  marcas: v.optional(v.array(FlagSchema)),
  /** Rows that were written into the database without the site; neither ballots nor counted. */
  ajenos: integer,
  /** Faults that the recount before the closing found. */
  fallas: v.array(v.string()),
  /** Minimum ballots of a block, but for the last; absent in records whose blocks were made at the closing. */
  minimo: v.optional(integer),
  cajas: integer,
  /** Seal of the last published block, where the file's chain ends. */
  ultimoSello: fingerprint,
  /** Seal of the last batch, where the database's chain ended. */
  ultimoLote: fingerprint,
  levantada: v.string(),
})

/** Maximum number of names on a file's ballots: a counting program keeps a name's place in two bytes. */
const MAX_NAMES = 60_000

/** First line of the published file. */
const CoverSchema = v.strictObject({
  /** How to read the rest of the file, in Spanish. */
  lectura: v.string(),
  acta: ClosingRecordSchema,
  sello: fingerprint,
  /** The site's public key and signature on the seal; absent in files from before signatures. */
  llave: v.optional(publicKey),
  firma: v.optional(v.pipe(v.string(), v.regex(SIGNATURE))),
  apertura: OpeningRecordSchema,
  selloApertura: fingerprint,
  /** The records of the closing's moves, as they were sealed. */
  movidos: v.optional(v.array(ClosingMoveSchema)),
  /** Names, to which ballots refer by index. */
  nombres: v.pipe(names, v.maxLength(MAX_NAMES)),
})

/** A block of the published chain, one line of the file. */
const BlockSchema = v.strictObject({
  numero: integer,
  anterior: fingerprint,
  sello: fingerprint,
  /** Ballots as «hash of the receipt, space, index of the name». */
  papeletas: v.array(v.pipe(v.string(), v.regex(/^[0-9a-f]{64} (?:0|[1-9]\d{0,8})$/))),
})

/** The hashed receipts of an annulment, sorted; one line of the file. */
const AnnulledReceiptsSchema = v.strictObject({ recibos: v.array(fingerprint) })

/** /misspopularidad/sellos.json: the blocks closed so far. */
const SealsFileSchema = v.strictObject({
  edicion: integer,
  /** Minimum ballots of a block, but for the vote's last. */
  minimo: integer,
  cajas: v.array(v.strictObject({ numero: integer, papeletas: integer, sello: fingerprint })),
  /** Public key of the closing record's signature; absent in files saved before signatures. */
  llave: v.optional(publicKey),
})

export type RecordedAnnulment = v.InferOutput<typeof AnnulmentSchema>
export type OpeningRecord = v.InferOutput<typeof OpeningRecordSchema>
export type ClosingMove = v.InferOutput<typeof ClosingMoveSchema>
export type ClosingRecord = v.InferOutput<typeof ClosingRecordSchema>
export type Cover = v.InferOutput<typeof CoverSchema>
export type PublishedBlock = v.InferOutput<typeof BlockSchema>
export type SealsFile = v.InferOutput<typeof SealsFileSchema>

/** Called with the path of an unknown field, such as `acta.extra`. */
type OnUnknown = (path: string) => void

/**
 * @param onUnknown without it, unknown fields are left out
 * @throws SyntaxError when the value does not fit the schema
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
 * Reads a closing record, of this version or of an earlier one.
 * @param content JSON, as `actas.contenido` stores it
 * @throws SyntaxError for other content
 */
export const readClosingRecord = (content: string): ClosingRecord => read(ClosingRecordSchema, JSON.parse(content))

/** Reads the record of a closing's move. @throws SyntaxError for other content */
export const readClosingMove = (content: string): ClosingMove => read(ClosingMoveSchema, JSON.parse(content))

/** Like `readClosingRecord`, but undefined for a record damaged by hand, so that the screens can report the damage. */
export function readClosingRecordIfAny(content: string): ClosingRecord | undefined {
  try {
    return readClosingRecord(content)
  } catch {
    return undefined
  }
}

/**
 * Reads the first line of a published file.
 * @param value of the field `portada`
 * @returns the first line, and the text of its records as sealed, since seals cover the text with its order of fields
 * @throws SyntaxError for another value
 */
export function readCover(
  value: unknown,
  onUnknown: OnUnknown,
): { cover: Cover; sealed: { record: string; opening: string; closingMoves: string[] } } {
  const cover = read(CoverSchema, value, onUnknown)
  const { acta, apertura, movidos = [] } = value as { acta: unknown; apertura: unknown; movidos?: unknown[] }
  const texts = movidos.map((one) => JSON.stringify(one))
  return {
    cover,
    sealed: { record: JSON.stringify(acta), opening: JSON.stringify(apertura), closingMoves: texts },
  }
}

/** Reads a line of the published chain. @throws SyntaxError for another value */
export const readBlock = (value: unknown, onUnknown: OnUnknown): PublishedBlock => read(BlockSchema, value, onUnknown)

/** Reads the hashed receipts of an annulment. @throws SyntaxError for another value */
export const readAnnulledReceipts = (value: unknown, onUnknown: OnUnknown): string[] =>
  read(AnnulledReceiptsSchema, value, onUnknown).recibos

/** Reads a saved sellos.json. @throws SyntaxError for another value */
export const readSealsFile = (value: unknown): SealsFile => read(SealsFileSchema, value)

/** Every name on a candidate's ballots, according to a record. */
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

/** Instructions for people who count the published file without this site's program. */
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
