import * as v from 'valibot'
import { RulesSchema } from '#app/voting/election/origin-rules.ts'
import { PUBLIC_KEY, SIGNATURE } from './signature.ts'

const integer = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
/** A fingerprint is a SHA-256 hash in hexadecimal. */
const fingerprint = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const publicKey = v.pipe(v.string(), v.regex(PUBLIC_KEY))
/** A name has no control characters: a line break in a name would let one seal stand for two lists of ballots. */
const name = v.pipe(v.string(), v.regex(/^[^\p{Cc}\u2028\u2029]*$/u))
const names = v.array(name)
/** Counts map each name as cast to its votes; the empty name stands for rows without a name. */
const counts = v.record(name, integer)

/** A flag in the record tells that an origin, or a burst of an origin, passed its threshold. */
const FlagSchema = v.strictObject({
  /** `clase` has the values of the column `marcas.clase`. */
  clase: v.string(),
  /** A domain, a mail server, or a network by its keyed hash. */
  origen: v.string(),
  /** The beginning of a burst's ten minutes; if absent, the flag covers the whole edition. */
  tramo: v.optional(v.string()),
  umbral: integer,
  votos: integer,
  anulados: integer,
})

/** An annulment in the record states votes that an organiser took out of the count. */
const AnnulmentSchema = v.strictObject({
  /** The index of the flag in the record's `marcas`; absent in records from before flags existed. */
  marca: v.optional(integer),
  motivo: v.string(),
  votos: integer,
  conteo: counts,
  /** The SHA-256 of the sorted hashes of the annulled receipts, one per line. */
  huella: fingerprint,
})

/** The record states each withdrawn candidate in this form. */
const WithdrawnCandidateSchema = v.strictObject({
  id: v.string(),
  /** The name is present only if ballots bear it. */
  nombre: v.optional(name),
  /** Lists other names on the candidate's ballots. */
  antes: v.optional(names),
  /** The moment of the withdrawal in ISO 8601. */
  desde: v.string(),
  /** Counts the ballots with the candidate's names, annulled ones left out. */
  votos: integer,
  /** With the rule nulos the votes are part of `otros`; with cuentan they stand in the candidate's line of `candidatas`. */
  regla: v.picklist(['nulos', 'cuentan']),
})

/** The opening record states that no vote had been counted when it was drawn up. */
const OpeningRecordSchema = v.strictObject({
  clase: v.literal('apertura'),
  edicion: integer,
  candidatas: names,
  /** The last moment of the vote. */
  cierre: v.string(),
  /** Holds the thresholds that flag an origin's votes; absent in records from before rules existed. */
  reglas: v.optional(RulesSchema),
  papeletas: integer,
  /** A published block has at least `minimo` ballots; absent in records of versions that closed no blocks during the vote. */
  minimo: v.optional(integer),
  /** The public key of the closing record's signature; absent in records from before signatures. */
  llave: v.optional(publicKey),
  /** Gives the place of each candidate in links, from 0; absent in older records. */
  lugares: v.optional(v.array(v.strictObject({ id: v.string(), lugar: integer }))),
  /** When the record was drawn up, by the site's clock. */
  levantada: v.string(),
})

/** A closing move's record states how an open vote's closing was moved. */
const ClosingMoveSchema = v.strictObject({
  clase: v.literal('cierre-movido'),
  edicion: integer,
  /** Counts the vote's moves from 1. */
  numero: integer,
  /** The seal of the previous move's record; for the first move, of the opening record. */
  anterior: fingerprint,
  /** `antes` and `ahora` are the last moment of the vote before the move and after the move. */
  antes: v.string(),
  ahora: v.string(),
  motivo: v.string(),
  /** The role of the person who moved the closing. */
  por: v.string(),
  levantada: v.string(),
})

const ClosingRecordSchema = v.strictObject({
  clase: v.literal('cierre'),
  edicion: integer,
  /** The seal of the opening record. */
  apertura: fingerprint,
  candidatas: v.array(
    v.strictObject({
      /** The id is absent in records that were sealed before candidates had ids. */
      id: v.optional(v.string()),
      nombre: name,
      /** Lists earlier names on the candidate's ballots, from before a correction during the vote. */
      antes: v.optional(names),
      votos: integer,
    }),
  ),
  /** Counts the votes for names of no present candidate. */
  otros: integer,
  /** Lists candidates withdrawn before or during the vote; absent without any. */
  retiradas: v.optional(v.array(WithdrawnCandidateSchema)),
  /** Lists the moves of the closing, each with its record's seal; absent if the closing was never moved. */
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
  /** Counts all sealed ballots, annulled ones included. */
  papeletas: integer,
  anulados: integer,
  anulaciones: v.array(AnnulmentSchema),
  /** `reglas` and `marcas` are the rules for flagging votes, and the flags; absent in older records. */
  reglas: v.optional(RulesSchema),
  marcas: v.optional(v.array(FlagSchema)),
  /** Counts rows that were written into the database without the site; they are neither ballots nor counted. */
  ajenos: integer,
  /** Lists the faults that the recount before the closing found. */
  fallas: v.array(v.string()),
  /** Every block but the last has at least `minimo` ballots; absent in records whose blocks were made at the closing. */
  minimo: v.optional(integer),
  cajas: integer,
  /** The seal of the last published block, where the file's chain ends. */
  ultimoSello: fingerprint,
  /** The seal of the last batch, where the database's chain ended. */
  ultimoLote: fingerprint,
  levantada: v.string(),
})

/** The cover is the first line of the published file. */
const CoverSchema = v.strictObject({
  /** `lectura` tells in Spanish how to read the rest of the file. */
  lectura: v.string(),
  acta: ClosingRecordSchema,
  sello: fingerprint,
  /** `llave` and `firma` are the site's public key and its signature on the seal; absent in files from before signatures. */
  llave: v.optional(publicKey),
  firma: v.optional(v.pipe(v.string(), v.regex(SIGNATURE))),
  apertura: OpeningRecordSchema,
  selloApertura: fingerprint,
  /** Holds the records of the closing's moves, as they were sealed. */
  movidos: v.optional(v.array(ClosingMoveSchema)),
  /** Ballots refer to `nombres` by index, from 0. */
  nombres: names,
})

/** A block of the published chain is one line of the file. */
const BlockSchema = v.strictObject({
  numero: integer,
  anterior: fingerprint,
  sello: fingerprint,
  /** Each ballot reads «hash of the receipt, space, index of the name». */
  papeletas: v.array(v.pipe(v.string(), v.regex(/^[0-9a-f]{64} (?:0|[1-9]\d{0,8})$/))),
})

/** The hashed receipts of an annulment, sorted, are one line of the file. */
const AnnulledReceiptsSchema = v.strictObject({ recibos: v.array(fingerprint) })

/** The file /misspopularidad/sellos.json lists the blocks closed so far. */
const SealsFileSchema = v.strictObject({
  edicion: integer,
  /** Every block but the vote's last has at least `minimo` ballots. */
  minimo: integer,
  cajas: v.array(v.strictObject({ numero: integer, papeletas: integer, sello: fingerprint })),
  /** The public key of the closing record's signature; absent in files saved before signatures. */
  llave: v.optional(publicKey),
})

export type RecordedAnnulment = v.InferOutput<typeof AnnulmentSchema>
export type OpeningRecord = v.InferOutput<typeof OpeningRecordSchema>
export type ClosingMove = v.InferOutput<typeof ClosingMoveSchema>
export type ClosingRecord = v.InferOutput<typeof ClosingRecordSchema>
export type Cover = v.InferOutput<typeof CoverSchema>
export type PublishedBlock = v.InferOutput<typeof BlockSchema>
export type SealsFile = v.InferOutput<typeof SealsFileSchema>

/** The function is called with the path of an unknown field, such as `acta.extra`. */
type OnUnknown = (path: string) => void

/**
 * Reads a value by its schema. Unknown fields are accepted and reported.
 * @param onUnknown without it, unknown fields pass unreported
 * @throws SyntaxError when the value does not fit the schema
 */
function parse<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  onUnknown: OnUnknown = () => {},
): v.InferOutput<Schema> {
  const { issues = [], output } = v.safeParse(schema, value)
  const isUnknown = (issue: v.BaseIssue<unknown>) => issue.type === 'strict_object' && issue.expected === 'never'
  const mismatch = issues.find((issue) => !isUnknown(issue))
  if (mismatch) throw new SyntaxError(`Not a record of this site: ${v.getDotPath(mismatch) ?? ''} ${mismatch.message}`)
  for (const issue of issues) onUnknown(v.getDotPath(issue) ?? '')
  return output as v.InferOutput<Schema>
}

/**
 * Reads a closing record, of this version or of an earlier one.
 * @param content JSON, as `actas.contenido` stores it
 * @throws SyntaxError for other content
 */
export const parseClosingRecord = (content: string): ClosingRecord => parse(ClosingRecordSchema, JSON.parse(content))

/** Reads the record of a closing's move. @throws SyntaxError for other content */
export const parseClosingMove = (content: string): ClosingMove => parse(ClosingMoveSchema, JSON.parse(content))

/**
 * Reads a closing record as `parseClosingRecord` does. Returns undefined for a record damaged by hand, so that the screens can
 * report the damage.
 */
export function parseClosingRecordIfAny(content: string): ClosingRecord | undefined {
  try {
    return parseClosingRecord(content)
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
export function parseCover(
  value: unknown,
  onUnknown: OnUnknown,
): { cover: Cover; sealed: { record: string; opening: string; closingMoves: string[] } } {
  const cover = parse(CoverSchema, value, onUnknown)
  const { acta, apertura, movidos = [] } = value as { acta: unknown; apertura: unknown; movidos?: unknown[] }
  const texts = movidos.map((one) => JSON.stringify(one))
  return {
    cover,
    sealed: { record: JSON.stringify(acta), opening: JSON.stringify(apertura), closingMoves: texts },
  }
}

/** Reads a line of the published chain. @throws SyntaxError for another value */
export const parseBlock = (value: unknown, onUnknown: OnUnknown): PublishedBlock => parse(BlockSchema, value, onUnknown)

/** Reads the hashed receipts of an annulment. @throws SyntaxError for another value */
export const parseAnnulledReceipts = (value: unknown, onUnknown: OnUnknown): string[] =>
  parse(AnnulledReceiptsSchema, value, onUnknown).recibos

/** Reads a saved sellos.json. @throws SyntaxError for another value */
export const parseSealsFile = (value: unknown): SealsFile => parse(SealsFileSchema, value)

/** Returns every name on a candidate's ballots, according to a record. */
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

/**
 * Returns instructions for people who count the published file without this site's program. The text is part of the file and is
 * compared at verification, so a new wording makes files published earlier fail.
 */
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
