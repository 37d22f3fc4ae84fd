import * as v from 'valibot'

const integer = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const positiveInteger = v.pipe(v.number(), v.safeInteger(), v.minValue(1))
/** A fingerprint is a SHA-256 hash in hexadecimal. */
const fingerprint = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const id = v.pipe(v.string(), v.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/), v.maxLength(60))
/** A line is text for people: one line, without control characters or line separators. */
const line = v.pipe(v.string(), v.nonEmpty(), v.maxLength(500), v.regex(/^[^\p{Cc}\u2028\u2029]*$/u))

/** The rules are sealed at the opening; later changes of the edition do not touch them. */
const RulesSchema = v.strictObject({
  jueces: positiveInteger,
  /** Whether half points may be given. */
  medios: v.boolean(),
  /** Whether a candidate's highest and lowest score of a round are dropped, which takes at least four sheets. */
  descarta: v.boolean(),
  rondas: v.pipe(
    v.array(
      v.strictObject({
        nombre: line,
        clase: v.picklist(['presentacion', 'traje', 'talento', 'pregunta']),
        criterios: v.pipe(v.array(v.strictObject({ nombre: line, peso: positiveInteger })), v.minLength(1)),
        /** How many candidates advance to the next round; absent: all. */
        pasan: v.optional(positiveInteger),
        /** Whether totals start from zero in this round. */
        desdeCero: v.boolean(),
      }),
    ),
    v.minLength(1),
  ),
  desempate: v.array(v.strictObject({ ronda: line, criterio: v.optional(line) })),
  lugares: v.array(line),
  /** Whether those who tie for the crown may have one more round before the lot; absent in records of before. */
  rondaDeDesempate: v.optional(v.literal(true)),
})

const shared = {
  edicion: integer,
  /** Counts the entries from 1, without a gap. */
  numero: positiveInteger,
  /** The seal of the previous entry; zeros for the first. */
  anterior: fingerprint,
  /** The time of the entry by the site's clock, ISO 8601. */
  levantada: v.string(),
}

const OrderSchema = v.array(v.strictObject({ candidata: id, total: integer }))

/** An entry is one step of the final's record. The state of a final is derived from its entries alone, in their order. */
const RecordEntrySchema = v.variant('clase', [
  v.strictObject({
    clase: v.literal('final-abierta'),
    ...shared,
    reglas: RulesSchema,
    candidatas: v.array(v.strictObject({ id, numero: positiveInteger, nombre: line })),
    jurado: v.array(v.strictObject({ numero: positiveInteger, nombre: line })),
    /** `azar` is random, so that the seal of the opening, from which lots are drawn, cannot be known before. */
    azar: fingerprint,
  }),
  v.strictObject({ clase: v.literal('ronda-abierta'), ...shared, ronda: positiveInteger, candidatas: v.array(id) }),
  v.strictObject({
    clase: v.literal('hoja'),
    ...shared,
    ronda: positiveInteger,
    juez: positiveInteger,
    /** `calificaciones` are tenths of a point by candidate, one per criterion in the rules' order. */
    calificaciones: v.record(id, v.array(integer)),
  }),
  v.strictObject({
    clase: v.literal('hoja-reabierta'),
    ...shared,
    ronda: positiveInteger,
    juez: positiveInteger,
    motivo: line,
  }),
  /** A judge's telephone was revoked, with or without a new link. */
  v.strictObject({
    clase: v.literal('telefono'),
    ...shared,
    juez: positiveInteger,
    hecho: v.picklist(['enlace-nuevo', 'cerrado']),
  }),
  v.strictObject({ clase: v.literal('retiro'), ...shared, candidata: id, motivo: line }),
  v.strictObject({
    clase: v.literal('ronda-cerrada'),
    ...shared,
    ronda: positiveInteger,
    /** Lists the judges without a sheet, and why. */
    sin: v.array(v.strictObject({ juez: positiveInteger, motivo: line })),
    /** The ranking, with totals in thousandths of a point. */
    orden: OrderSchema,
  }),
  v.strictObject({ clase: v.literal('final-anulada'), ...shared, motivo: line }),
  v.strictObject({
    clase: v.literal('cierre'),
    ...shared,
    orden: v.array(
      v.strictObject({
        lugar: positiveInteger,
        candidata: id,
        ronda: positiveInteger,
        total: integer,
        titulo: v.optional(line),
      }),
    ),
  }),
])

export type RecordEntry = v.InferOutput<typeof RecordEntrySchema>
export type RecordEntryOf<Kind extends RecordEntry['clase']> = Extract<RecordEntry, { clase: Kind }>
export type Rules = v.InferOutput<typeof RulesSchema>
export type Scores = RecordEntryOf<'hoja'>['calificaciones']
/** Record content is an entry without the fields that all entries share. */
export type RecordContent = RecordEntry extends infer One
  ? One extends RecordEntry
    ? Omit<One, keyof typeof shared>
    : never
  : never

/** Checks an entry. @throws SyntaxError naming the field, where the value is no entry */
export function readRecordEntry(value: unknown): RecordEntry {
  const read = v.safeParse(RecordEntrySchema, value)
  if (read.success) return read.output
  const [issue] = read.issues
  throw new SyntaxError(`It is no entry of a final: ${v.getDotPath(issue) ?? ''} ${issue.message}`)
}

/**
 * The guide tells people how to count the published file without this site's program. The text is part of the file and is
 * compared at verification, so a new wording makes files published earlier fail.
 */
const READING_GUIDE =
  'Cada asiento es un renglón del acta, en el orden en que pasó. El sello de un asiento es el SHA-256, en hexadecimal, de su texto en JSON ' +
  'tal como está aquí, sin saltos de línea ni espacios; «anterior» es el sello del asiento de antes, y «sello» el del último. ' +
  'Las calificaciones van en décimas de punto y en el orden de los criterios: 85 es 8.5. Los puntos que un juez da a una candidata en una ronda son, ' +
  'en milésimas, la suma de cada calificación por lo que pesa su criterio. Los de la ronda son la suma de los jueces; si las reglas dicen «descarta» y ' +
  'hay al menos cuatro hojas, sin la más alta ni la más baja de cada candidata. Los totales suman las rondas desde la última que empieza desde cero. ' +
  'Los empates se deciden por «desempate», en su orden: una ronda por sus puntos, un criterio por la suma de todas las hojas; y si nada decide, ' +
  'va antes quien tenga menor el SHA-256 del sello del asiento con que se abrió la final, un salto de línea y la clave de la candidata.'

const TIEBREAK_GUIDE =
  ' La ronda que sigue a las de las reglas es la de desempate: la califican entre las que empataban por la corona, con los criterios de la última, ' +
  'y sus puntos se cuentan desde cero.'

/** Returns the guide of a record, which explains the round that breaks a tie only where there was one. */
export const readingGuideFor = (hasTiebreakRound: boolean): string =>
  hasTiebreakRound ? READING_GUIDE + TIEBREAK_GUIDE : READING_GUIDE

const RecordFileSchema = v.strictObject({
  final: v.strictObject({ lectura: v.string(), sello: fingerprint }),
  asientos: v.pipe(v.array(v.unknown()), v.minLength(1)),
})

/** Parses the published file, but not its entries. @throws SyntaxError where the value is no such file */
export function readRecordFile(value: unknown): v.InferOutput<typeof RecordFileSchema> {
  const read = v.safeParse(RecordFileSchema, value)
  if (read.success) return read.output
  throw new SyntaxError('Not a record of a final')
}

/** Writes the published file, in which each entry keeps its sealed text. */
export const toRecordFile = (seal: string, contents: readonly string[], hasTiebreakRound: boolean): string =>
  `{"final":${JSON.stringify({ lectura: readingGuideFor(hasTiebreakRound), sello: seal })},\n"asientos":[\n${contents.join(',\n')}\n]}\n`
