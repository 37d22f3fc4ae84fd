import * as v from 'valibot'

const entero = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const uno = v.pipe(v.number(), v.safeInteger(), v.minValue(1))
/** A hash in hexadecimal. */
const huella = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const id = v.pipe(v.string(), v.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/), v.maxLength(60))
/** A line that people read: nothing in it breaks it. */
const linea = v.pipe(v.string(), v.nonEmpty(), v.maxLength(500), v.regex(/^[^\p{Cc}\u2028\u2029]*$/u))

/** The rules as they stand from the opening on, whatever the edition says later. */
const ReglasSchema = v.strictObject({
  jueces: uno,
  /** Whether half points may be given. */
  medios: v.boolean(),
  /** Whether a candidate's highest and lowest of a round are dropped. */
  descarta: v.boolean(),
  rondas: v.pipe(
    v.array(
      v.strictObject({
        nombre: linea,
        clase: v.picklist(['presentacion', 'traje', 'talento', 'pregunta']),
        criterios: v.pipe(v.array(v.strictObject({ nombre: linea, peso: uno })), v.minLength(1)),
        /** How many go on to the next round; absent: all. */
        pasan: v.optional(uno),
        /** Whether what earlier rounds gave counts no more. */
        desdeCero: v.boolean(),
      }),
    ),
    v.minLength(1),
  ),
  desempate: v.array(v.strictObject({ ronda: linea, criterio: v.optional(linea) })),
  lugares: v.array(linea),
})

const comun = {
  edicion: entero,
  /** From 1, without a gap. */
  numero: uno,
  /** Seal of the entry before; of the first, zeros. */
  anterior: huella,
  /** When, by the site's clock, ISO. */
  levantada: v.string(),
}

const OrdenSchema = v.array(v.strictObject({ candidata: id, total: entero }))

/** One entry of the final's act. What took place is these entries, in their order, and nothing else. */
const AsientoSchema = v.variant('clase', [
  v.strictObject({
    clase: v.literal('final-abierta'),
    ...comun,
    reglas: ReglasSchema,
    candidatas: v.array(v.strictObject({ id, numero: uno, nombre: linea })),
    jurado: v.array(v.strictObject({ numero: uno, nombre: linea })),
    /** Drawn at the opening, so that nobody knew its seal before, from which lots are drawn. */
    azar: huella,
  }),
  v.strictObject({ clase: v.literal('ronda-abierta'), ...comun, ronda: uno, candidatas: v.array(id) }),
  v.strictObject({
    clase: v.literal('hoja'),
    ...comun,
    ronda: uno,
    juez: uno,
    /** Tenths of a point by candidate, one for each criterion in its order. */
    calificaciones: v.record(id, v.array(entero)),
  }),
  v.strictObject({ clase: v.literal('hoja-reabierta'), ...comun, ronda: uno, juez: uno, motivo: linea }),
  /** A judge's telephone is shut out, with or without a link for another one. */
  v.strictObject({
    clase: v.literal('telefono'),
    ...comun,
    juez: uno,
    hecho: v.picklist(['enlace-nuevo', 'cerrado']),
  }),
  v.strictObject({ clase: v.literal('retiro'), ...comun, candidata: id, motivo: linea }),
  v.strictObject({
    clase: v.literal('ronda-cerrada'),
    ...comun,
    ronda: uno,
    /** Judges without a sheet, and why. */
    sin: v.array(v.strictObject({ juez: uno, motivo: linea })),
    /** Who stands where, in thousandths of a point. */
    orden: OrdenSchema,
  }),
  v.strictObject({ clase: v.literal('final-anulada'), ...comun, motivo: linea }),
  v.strictObject({
    clase: v.literal('cierre'),
    ...comun,
    orden: v.array(v.strictObject({ lugar: uno, candidata: id, ronda: uno, total: entero, titulo: v.optional(linea) })),
  }),
])

export type Asiento = v.InferOutput<typeof AsientoSchema>
export type AsientoDe<Clase extends Asiento['clase']> = Extract<Asiento, { clase: Clase }>
export type Reglas = v.InferOutput<typeof ReglasSchema>
export type Calificaciones = AsientoDe<'hoja'>['calificaciones']
/** What an entry says beyond what all of them say. */
export type Hecho = Asiento extends infer Uno ? (Uno extends Asiento ? Omit<Uno, keyof typeof comun> : never) : never

/** An entry. @throws SyntaxError when it is none, naming the field */
export function readAsiento(value: unknown): Asiento {
  const read = v.safeParse(AsientoSchema, value)
  if (read.success) return read.output
  const [issue] = read.issues
  throw new SyntaxError(`It is no entry of a final: ${v.getDotPath(issue) ?? ''} ${issue.message}`)
}

/** How to read the published file, for people who count it without this site's program. */
export const LECTURA =
  'Cada asiento es un renglón del acta, en el orden en que pasó. El sello de un asiento es el SHA-256, en hexadecimal, de su texto en JSON ' +
  'tal como está aquí, sin saltos de línea ni espacios; «anterior» es el sello del asiento de antes, y «sello» el del último. ' +
  'Las calificaciones van en décimas de punto y en el orden de los criterios: 85 es 8.5. Los puntos que un juez da a una candidata en una ronda son, ' +
  'en milésimas, la suma de cada calificación por lo que pesa su criterio. Los de la ronda son la suma de los jueces; si las reglas dicen «descarta» y ' +
  'hay al menos cuatro hojas, sin la más alta ni la más baja de cada candidata. Los totales suman las rondas desde la última que empieza desde cero. ' +
  'Los empates se deciden por «desempate», en su orden: una ronda por sus puntos, un criterio por la suma de todas las hojas; y si nada decide, ' +
  'va antes quien tenga menor el SHA-256 del sello del asiento con que se abrió la final, un salto de línea y la clave de la candidata.'

const ArchivoSchema = v.strictObject({
  final: v.strictObject({ lectura: v.string(), sello: huella }),
  asientos: v.pipe(v.array(v.unknown()), v.minLength(1)),
})

/** The published file, its entries not yet read. @throws SyntaxError when it is none */
export function readArchivo(value: unknown): v.InferOutput<typeof ArchivoSchema> {
  const read = v.safeParse(ArchivoSchema, value)
  if (read.success) return read.output
  throw new SyntaxError('It is no act of a final')
}

/** The published file of entries, each as it was sealed. */
export const archivoDe = (sello: string, contenidos: readonly string[]): string =>
  `{"final":${JSON.stringify({ lectura: LECTURA, sello })},\n"asientos":[\n${contenidos.join(',\n')}\n]}\n`
