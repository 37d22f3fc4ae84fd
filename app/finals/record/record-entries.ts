import * as v from 'valibot'

const integer = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const positiveInteger = v.pipe(v.number(), v.safeInteger(), v.minValue(1))
/** SHA-256 in hex. */
const sealHash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const id = v.pipe(v.string(), v.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/), v.maxLength(60))
/** One line of text for people, without control characters and line separators. */
const textLine = v.pipe(v.string(), v.nonEmpty(), v.maxLength(500), v.regex(/^[^\p{Cc}\u2028\u2029]*$/u))

/** The final's rules, which the opening seals; later changes of the edition do not affect them. */
const RulesSchema = v.strictObject({
  jueces: positiveInteger,
  /** Whether half points may be given. */
  medios: v.boolean(),
  /** Whether a candidate's highest and lowest points of a round are dropped, if there are at least four sheets. */
  descarta: v.boolean(),
  rondas: v.pipe(
    v.array(
      v.strictObject({
        nombre: textLine,
        clase: v.picklist(['presentacion', 'traje', 'talento', 'pregunta']),
        /** The criteria's weights (`peso`) are in percent. */
        criterios: v.pipe(v.array(v.strictObject({ nombre: textLine, peso: positiveInteger })), v.minLength(1)),
        /** Number of candidates who advance to the next round. If it is absent, all advance. */
        pasan: v.optional(positiveInteger),
        /** Whether totals start from zero in this round. */
        desdeCero: v.boolean(),
      }),
    ),
    v.minLength(1),
  ),
  /** Steps of the tie rule, in order: a criterion of a round or, without `criterio`, the round. */
  desempate: v.array(v.strictObject({ ronda: textLine, criterio: v.optional(textLine) })),
  /** Titles of the places, from the first. */
  lugares: v.array(textLine),
  /** Whether candidates who tie for the crown may have one more round before the lot; absent in older records. */
  rondaDeDesempate: v.optional(v.literal(true)),
})

const sharedFields = {
  edicion: integer,
  /** Number of the entry, from 1 without gaps. */
  numero: positiveInteger,
  /** Seal of the previous entry; zeros for the first entry. */
  anterior: sealHash,
  /** Time of the entry by the site's clock, in ISO 8601. */
  levantada: v.string(),
}

const OrderSchema = v.array(v.strictObject({ candidata: id, total: integer }))

/** One step of the final's record. The state of a final is derived from its entries alone, in their order. */
const RecordEntrySchema = v.variant('clase', [
  v.strictObject({
    clase: v.literal('final-abierta'),
    ...sharedFields,
    reglas: RulesSchema,
    candidatas: v.array(v.strictObject({ id, numero: positiveInteger, nombre: textLine })),
    jurado: v.array(v.strictObject({ numero: positiveInteger, nombre: textLine })),
    /** Random text, so that the opening's seal, from which the lots are drawn, cannot be known beforehand. */
    azar: sealHash,
  }),
  v.strictObject({
    clase: v.literal('ronda-abierta'),
    ...sharedFields,
    ronda: positiveInteger,
    candidatas: v.array(id),
  }),
  v.strictObject({
    clase: v.literal('hoja'),
    ...sharedFields,
    ronda: positiveInteger,
    juez: positiveInteger,
    /** Scores in tenths of a point by candidate, one for each criterion in the rules' order. */
    calificaciones: v.record(id, v.array(integer)),
  }),
  v.strictObject({
    clase: v.literal('hoja-reabierta'),
    ...sharedFields,
    ronda: positiveInteger,
    juez: positiveInteger,
    motivo: textLine,
  }),
  /** The revocation of a judge's telephone, with or without a new link. */
  v.strictObject({
    clase: v.literal('telefono'),
    ...sharedFields,
    juez: positiveInteger,
    hecho: v.picklist(['enlace-nuevo', 'cerrado']),
  }),
  v.strictObject({ clase: v.literal('retiro'), ...sharedFields, candidata: id, motivo: textLine }),
  v.strictObject({
    clase: v.literal('ronda-cerrada'),
    ...sharedFields,
    ronda: positiveInteger,
    /** Judges without a sheet, and why. */
    sin: v.array(v.strictObject({ juez: positiveInteger, motivo: textLine })),
    /** Ranking, with totals in thousandths of a point. */
    orden: OrderSchema,
  }),
  v.strictObject({ clase: v.literal('final-anulada'), ...sharedFields, motivo: textLine }),
  v.strictObject({
    clase: v.literal('cierre'),
    ...sharedFields,
    /** Final ranking: the last round (`ronda`) of each candidate, and her total after it in thousandths of a point. */
    orden: v.array(
      v.strictObject({
        lugar: positiveInteger,
        candidata: id,
        ronda: positiveInteger,
        total: integer,
        titulo: v.optional(textLine),
      }),
    ),
  }),
])

export type RecordEntry = v.InferOutput<typeof RecordEntrySchema>
export type RecordEntryOf<Kind extends RecordEntry['clase']> = Extract<RecordEntry, { clase: Kind }>
export type FinalRules = v.InferOutput<typeof RulesSchema>
export type SignedScores = RecordEntryOf<'hoja'>['calificaciones']
/** An entry without the fields that all entries share. */
export type RecordContent = RecordEntry extends infer Entry
  ? Entry extends RecordEntry
    ? Omit<Entry, keyof typeof sharedFields>
    : never
  : never

/** Parses an entry. @throws SyntaxError with the field's name, if the value is no entry */
export function parseRecordEntry(value: unknown): RecordEntry {
  const result = v.safeParse(RecordEntrySchema, value)
  if (result.success) return result.output
  const [issue] = result.issues
  throw new SyntaxError(`Not an entry of a final: ${v.getDotPath(issue) ?? ''} ${issue.message}`)
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

/** Returns the reading guide of a record, which explains the tiebreak round only if there was one. */
export const readingGuideOf = (hasTiebreakRound: boolean): string =>
  hasTiebreakRound ? READING_GUIDE + TIEBREAK_GUIDE : READING_GUIDE

const RecordFileSchema = v.strictObject({
  final: v.strictObject({ lectura: v.string(), sello: sealHash }),
  asientos: v.pipe(v.array(v.unknown()), v.minLength(1)),
})

/** Parses the published file, but not its entries. @throws SyntaxError if the value is not a record file */
export function parseRecordFile(value: unknown): v.InferOutput<typeof RecordFileSchema> {
  const result = v.safeParse(RecordFileSchema, value)
  if (result.success) return result.output
  throw new SyntaxError('Not a record of a final')
}

/** Returns the published file, in which each entry keeps its sealed text. */
export const toRecordFile = (seal: string, contents: readonly string[], hasTiebreakRound: boolean): string =>
  `{"final":${JSON.stringify({ lectura: readingGuideOf(hasTiebreakRound), sello: seal })},\n"asientos":[\n${contents.join(',\n')}\n]}\n`
