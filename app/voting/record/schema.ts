import * as v from 'valibot'
import { OriginRulesSchema } from '#app/voting/election/origin-rules.ts'
import { PUBLIC_KEY_PATTERN, SIGNATURE_PATTERN } from './signature.ts'

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
/** A SHA-256 hash in hexadecimal. */
const fingerprint = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const publicKey = v.pipe(v.string(), v.regex(PUBLIC_KEY_PATTERN))
/**
 * A name without control characters. If names had line breaks, two different lists of ballots could have the same sealed text.
 */
const name = v.pipe(v.string(), v.regex(/^[^\p{Cc}\u2028\u2029]*$/u))
const names = v.array(name)
/** Number of votes by the name on the ballots; an empty name stands for votes without a name. */
const votesByName = v.record(name, count)

/** A flag in the record. An origin or a burst passed its threshold. */
const FlagSchema = v.strictObject({
  /** A value of the column `marcas.clase`. */
  clase: v.string(),
  /** A domain, a mail server or a network's keyed hash; for `alojamiento` hash and server; empty for disposable and alias addresses. */
  origen: v.string(),
  /** Start of a burst's ten minutes. Absent if the flag covers the whole edition. */
  tramo: v.optional(v.string()),
  umbral: count,
  votos: count,
  anulados: count,
})

/** An annulment in the record. An organiser took an origin's votes out of the count. */
const AnnulmentSchema = v.strictObject({
  /** Index of the flag in the record's `marcas`. Absent in records older than flags. */
  marca: v.optional(count),
  motivo: v.string(),
  votos: count,
  conteo: votesByName,
  /** SHA-256 of the sorted hashes of the annulled receipts, one per line. */
  huella: fingerprint,
})

/** A withdrawn candidate in the closing record. */
const WithdrawnCandidateSchema = v.strictObject({
  id: v.string(),
  /** Name on the candidate's ballots; absent if no ballot bears it. */
  nombre: v.optional(name),
  /** Other names on the candidate's ballots, which were corrected during the vote. */
  antes: v.optional(names),
  /** Moment of the withdrawal in ISO 8601. */
  desde: v.string(),
  /** Number of ballots with the candidate's names, without annulled ballots. */
  votos: count,
  /**
   * Rule for the withdrawn candidate's votes. By `nulos`, the record's `otros` includes them; by `cuentan`, `candidatas` also
   * lists the candidate if ballots bear her name.
   */
  regla: v.picklist(['nulos', 'cuentan']),
})

/** The opening record. It states the rules, and that no vote had been counted when it was drawn up. */
const OpeningRecordSchema = v.strictObject({
  clase: v.literal('apertura'),
  edicion: count,
  candidatas: names,
  /** First moment of the vote. Absent if the vote opened with the candidates' publication, and in older records. */
  abre: v.optional(v.string()),
  /** Last moment of the vote, unless the closing is moved. */
  cierre: v.string(),
  /** Rules by which votes are flagged. Absent in records older than rules. */
  reglas: v.optional(OriginRulesSchema),
  papeletas: count,
  /** Minimum number of ballots in a block. Absent if no blocks were published during the vote, by an earlier version. */
  minimo: v.optional(count),
  /** Public key of the closing record's signature. Absent in records older than signatures. */
  llave: v.optional(publicKey),
  /** Place of each candidate in links, from 0. Absent in older records. */
  lugares: v.optional(v.array(v.strictObject({ id: v.string(), lugar: count }))),
  /** Moment at which the record was drawn up, by the site's clock. */
  levantada: v.string(),
})

/** The record of a moved closing, drawn up after the opening record and before the closing. */
const ClosingMoveSchema = v.strictObject({
  clase: v.literal('cierre-movido'),
  edicion: count,
  /** Moves of the vote's closing are numbered from 1. */
  numero: count,
  /** Seal of the previous move's record or, for the first move, of the opening record. */
  anterior: fingerprint,
  /** Last moment of the vote before the move (`antes`) and after it (`ahora`). */
  antes: v.string(),
  ahora: v.string(),
  motivo: v.string(),
  /** Body that moved the closing, in Spanish. */
  por: v.string(),
  levantada: v.string(),
})

const ClosingRecordSchema = v.strictObject({
  clase: v.literal('cierre'),
  edicion: count,
  /** Seal of the opening record. */
  apertura: fingerprint,
  candidatas: v.array(
    v.strictObject({
      /** The candidate's id; absent in records that are older than candidates' ids. */
      id: v.optional(v.string()),
      nombre: name,
      /** Other names on the candidate's ballots, which were corrected during the vote. */
      antes: v.optional(names),
      votos: count,
    }),
  ),
  /** Number of votes without an annulment whose name is not in `candidatas`. */
  otros: count,
  /** Candidates withdrawn before the record was sealed. Absent if there are none. */
  retiradas: v.optional(v.array(WithdrawnCandidateSchema)),
  /** Moves of the closing, each with its record's seal. Absent if the closing was never moved. */
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
  /** Number of sealed ballots, including annulled ballots. */
  papeletas: count,
  anulados: count,
  anulaciones: v.array(AnnulmentSchema),
  /** Rules for flagging votes (`reglas`), and the flags (`marcas`). Both are absent in older records. */
  reglas: v.optional(OriginRulesSchema),
  marcas: v.optional(v.array(FlagSchema)),
  /** Number of rows that were written without the site, or whose batch does not exist. They do not count as ballots. */
  ajenos: count,
  /** Faults that the recount before the sealing found. */
  fallas: v.array(v.string()),
  /**
   * Minimum number of ballots in every block but the last. Absent if the blocks were made at the closing, by an earlier version.
   */
  minimo: v.optional(count),
  cajas: count,
  /** Seal of the last published block, where the file's chain ends. */
  ultimoSello: fingerprint,
  /** Seal of the last batch, where the database's chain ended. */
  ultimoLote: fingerprint,
  levantada: v.string(),
})

/** The first line of the published file. */
const CoverSchema = v.strictObject({
  /** Spanish instructions for reading the rest of the file. */
  lectura: v.string(),
  acta: ClosingRecordSchema,
  sello: fingerprint,
  /**
   * The site's public key (`llave`) and its signature on the seal (`firma`). Both are absent in files older than signatures;
   * `firma` is also absent if the site that makes the file has lost the key.
   */
  llave: v.optional(publicKey),
  firma: v.optional(v.pipe(v.string(), v.regex(SIGNATURE_PATTERN))),
  apertura: OpeningRecordSchema,
  selloApertura: fingerprint,
  /** Records of the moved closings, as they were sealed. */
  movidos: v.optional(v.array(ClosingMoveSchema)),
  /** The names on the ballots, which refer to them by index, from 0. */
  nombres: names,
})

/** A block of the chain, as a line of the published file. */
const PublishedBlockSchema = v.strictObject({
  numero: count,
  anterior: fingerprint,
  sello: fingerprint,
  /** Each ballot consists of the hashed receipt, a space, and the index of the name. */
  papeletas: v.array(v.pipe(v.string(), v.regex(/^[0-9a-f]{64} (?:0|[1-9]\d{0,8})$/))),
})

/** The sorted, hashed receipts of an annulment, as a line of the published file. */
const AnnulledReceiptsSchema = v.strictObject({ recibos: v.array(fingerprint) })

/** The file /misspopularidad/sellos.json, which lists the blocks closed so far. */
const SealsFileSchema = v.strictObject({
  edicion: count,
  /** Minimum number of ballots in every block but the vote's last. */
  minimo: count,
  cajas: v.array(v.strictObject({ numero: count, papeletas: count, sello: fingerprint })),
  /** Public key of the closing record's signature. Absent before the opening record, and if that record states none. */
  llave: v.optional(publicKey),
})

export type RecordedAnnulment = v.InferOutput<typeof AnnulmentSchema>
export type OpeningRecord = v.InferOutput<typeof OpeningRecordSchema>
export type ClosingMove = v.InferOutput<typeof ClosingMoveSchema>
export type ClosingRecord = v.InferOutput<typeof ClosingRecordSchema>
export type Cover = v.InferOutput<typeof CoverSchema>
export type PublishedBlock = v.InferOutput<typeof PublishedBlockSchema>
export type SealsFile = v.InferOutput<typeof SealsFileSchema>

/** Receives the path of a field that the schema does not know, such as `acta.extra`. */
type OnUnknown = (path: string) => void

/**
 * Parses a value by a schema. Accepts unknown fields, and reports them to `onUnknown`.
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
 * Parses a closing record of this version or of an earlier version.
 * @param content JSON, as `actas.contenido` stores it
 * @throws SyntaxError for other content
 */
export const parseClosingRecord = (content: string): ClosingRecord => parse(ClosingRecordSchema, JSON.parse(content))

/** Parses the record of a moved closing. @throws SyntaxError for other content */
export const parseClosingMove = (content: string): ClosingMove => parse(ClosingMoveSchema, JSON.parse(content))

/**
 * Parses a closing record like `parseClosingRecord`, but returns undefined if it is damaged, so that screens can say so.
 */
export function parseClosingRecordIfValid(content: string): ClosingRecord | undefined {
  try {
    return parseClosingRecord(content)
  } catch {
    return undefined
  }
}

/**
 * Parses the first line of a published file.
 * @param value value of the field `portada`
 * @returns the first line, and in `sealed` its records as the JSON texts that the seals must cover
 * @throws SyntaxError for another value
 */
export function parseCover(
  value: unknown,
  onUnknown: OnUnknown,
): { cover: Cover; sealed: { record: string; opening: string; closingMoves: string[] } } {
  const cover = parse(CoverSchema, value, onUnknown)
  const { acta, apertura, movidos = [] } = value as { acta: unknown; apertura: unknown; movidos?: unknown[] }
  const closingMoves = movidos.map((move) => JSON.stringify(move))
  return {
    cover,
    sealed: { record: JSON.stringify(acta), opening: JSON.stringify(apertura), closingMoves },
  }
}

/** Parses a line of the published chain. @throws SyntaxError for another value */
export const parseBlock = (value: unknown, onUnknown: OnUnknown): PublishedBlock =>
  parse(PublishedBlockSchema, value, onUnknown)

/** Parses the hashed receipts of an annulment. @throws SyntaxError for another value */
export const parseAnnulledReceipts = (value: unknown, onUnknown: OnUnknown): string[] =>
  parse(AnnulledReceiptsSchema, value, onUnknown).recibos

/** Parses a saved sellos.json. @throws SyntaxError for another value */
export const parseSealsFile = (value: unknown): SealsFile => parse(SealsFileSchema, value)

export const ballotNamesOf = ({
  nombre,
  antes = [],
}: {
  nombre?: string | undefined
  antes?: string[] | undefined
}) => [...(nombre === undefined ? [] : [nombre]), ...antes]

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
 * Returns Spanish instructions for people who count the published file without this site's program. Verification compares the
 * text in a file with them, so that a new wording would make earlier files fail.
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
