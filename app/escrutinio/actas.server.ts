import * as v from 'valibot'
import { type Reglas, ReglasSchema } from '#app/popularidad/reglas.ts'

const entero = v.pipe(v.number(), v.integer(), v.minValue(0))
const nombres = v.array(v.string())
/** Votes by the candidate's name as it was cast; the empty name: rows that named nobody. */
const conteo = v.record(v.string(), entero)

/** An origin, or a burst from one, that passed its threshold, as the act says it. */
const MarcaSchema = v.object({
  /** As in `marcas.clase`. */
  clase: v.string(),
  /** A domain, a mail server, or a network by its keyed hash. */
  origen: v.string(),
  /** Beginning of a burst's ten minutes; absent: the whole edition. */
  tramo: v.optional(v.string()),
  umbral: entero,
  votos: entero,
  anulados: entero,
})

/** Votes taken out of the count by an organiser, as the act says it. */
const AnulacionSchema = v.object({
  /** Place in the act's `marcas`; absent in acts from before there were marks. */
  marca: v.optional(entero),
  motivo: v.string(),
  votos: entero,
  conteo,
  /** SHA-256 of the sorted hashes of the receipts concerned, one a line. */
  huella: v.string(),
})

/** The act of zero: nothing had been counted when it was drawn up. */
const AperturaSchema = v.object({
  clase: v.literal('apertura'),
  edicion: entero,
  candidatas: nombres,
  /** Last moment of the vote. */
  cierre: v.string(),
  /** What marks an origin's votes; absent in acts from before there were rules. */
  reglas: v.optional(ReglasSchema),
  papeletas: entero,
  /** When it was drawn up, by the site's clock. */
  levantada: v.string(),
})

/** The rules of a vote that had begun before its act of zero could say them. */
export interface ActaDeReglas {
  clase: 'reglas'
  edicion: number
  reglas: Reglas
  levantada: string
}

/** The closing act. */
const CierreSchema = v.object({
  clase: v.literal('cierre'),
  edicion: entero,
  /** Seal of the act of zero. */
  apertura: v.string(),
  candidatas: v.array(
    v.object({
      /** Absent in acts that were sealed before candidates had ids. */
      id: v.optional(v.string()),
      nombre: v.string(),
      /** Other names that her ballots bear, since hers was corrected while the vote went on. */
      antes: v.optional(nombres),
      votos: entero,
    }),
  ),
  /** Votes for names that are no candidate's any more. */
  otros: entero,
  /** All ballots that were sealed, annulled ones included. */
  papeletas: entero,
  anulados: entero,
  anulaciones: v.array(AnulacionSchema),
  /** The rules by which votes were marked, and what they marked; absent in acts of before. */
  reglas: v.optional(ReglasSchema),
  marcas: v.optional(v.array(MarcaSchema)),
  /** Rows that were written into the database without the site; no ballots, not counted. */
  ajenos: entero,
  /** What the count before the closing found wrong; empty: nothing. */
  fallas: v.array(v.string()),
  cajas: entero,
  /** Seal of the last published link: where the file's chain ends. */
  ultimoSello: v.string(),
  /** Seal of the last batch: where the chain in the database ended, as the recount says it. */
  ultimoLote: v.string(),
  levantada: v.string(),
})

/** First line of the published file. */
const PortadaSchema = v.object({
  /** How the rest of the file is made, in Spanish. */
  lectura: v.string(),
  acta: CierreSchema,
  sello: v.string(),
  apertura: AperturaSchema,
  selloApertura: v.string(),
  /** Names that ballots refer to by their place. */
  nombres,
})

/** A link of the published chain, a line of the file: ballots are «hash of the receipt, space, place of the name». */
const CajaSchema = v.object({ numero: entero, anterior: v.string(), sello: v.string(), papeletas: nombres })

/** Receipts of an annulment, a line of the file: hashes, sorted. */
const AnuladaSchema = v.object({ recibos: v.array(v.string()) })

export type AnulacionDicha = v.InferOutput<typeof AnulacionSchema>
export type Apertura = v.InferOutput<typeof AperturaSchema>
export type Cierre = v.InferOutput<typeof CierreSchema>
export type Portada = v.InferOutput<typeof PortadaSchema>
export type CajaPublicada = v.InferOutput<typeof CajaSchema>

function read<Schema extends v.GenericSchema>(schema: Schema, value: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, value)
  if (result.success) return result.output
  const [issue] = result.issues
  throw new SyntaxError(`It is no act of this site: ${v.getDotPath(issue) ?? ''} ${issue.message}`)
}

/**
 * A closing act, of this version or of one before.
 * @param contenido JSON, as `actas.contenido` keeps it
 * @throws SyntaxError when it is none
 */
export const readCierre = (contenido: string): Cierre => read(CierreSchema, JSON.parse(contenido))

/** The same; undefined for what was changed by hand until it is none, so that the screens can still say so. */
export function readCierreIfAny(contenido: string): Cierre | undefined {
  try {
    return readCierre(contenido)
  } catch {
    return undefined
  }
}

/**
 * What the first line of a published file says.
 * @param line `{"portada":…`, without the comma at its end
 * @returns the first line, and both acts as they were sealed, since their seals cover that text with its fields in
 * their order
 * @throws SyntaxError when it is none
 */
export function readPortada(line: string): { portada: Portada; sealed: { acta: string; apertura: string } } {
  const raw = JSON.parse(`${line}}`) as { portada?: { acta?: unknown; apertura?: unknown } } | null
  const portada = read(PortadaSchema, raw?.portada)
  return {
    portada,
    sealed: { acta: JSON.stringify(raw!.portada!.acta), apertura: JSON.stringify(raw!.portada!.apertura) },
  }
}

/** A line of the published chain. @throws SyntaxError when it is none */
export const readCaja = (line: string): CajaPublicada => read(CajaSchema, JSON.parse(line))

/** Hashed receipts of an annulment, sorted. @throws SyntaxError when it is none */
export const readAnulada = (line: string): string[] => read(AnuladaSchema, JSON.parse(line)).recibos

/** Every name that a candidate's ballots bear in an act. */
export const namesOf = ({ nombre, antes = [] }: Cierre['candidatas'][number]): string[] => [nombre, ...antes]

const LECTURA =
  'Cada papeleta es la huella de su recibo, un espacio y el lugar de su candidata en «nombres», desde 0. ' +
  'La huella es el SHA-256, en hexadecimal, del recibo tal como se mostró: en mayúsculas y con guiones, como 7F2K-94QX-M3TR. ' +
  'El sello de una caja es el SHA-256 de estos renglones, cada uno con su salto de línea: el número de la caja; el sello anterior; ' +
  'y por cada papeleta la huella, un espacio y el nombre de la candidata.'
const LECTURA_ANTES =
  ' El nombre de una candidata se corrigió durante la votación: sus votos son también los de los nombres de «antes».'

/** How to read the published file, for people who count it without this site's program. */
export const lecturaOf = ({ candidatas }: Cierre): string =>
  candidatas.some(({ antes }) => antes) ? LECTURA + LECTURA_ANTES : LECTURA
