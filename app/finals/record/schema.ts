import type { QrCode } from '#app/core/text/qr-code.server.ts'
import type { Tone } from '#app/ui/styles/tone.ts'
import type { FinalRules } from './record-entries.ts'

/** Scores of a sheet in tenths of a point, by candidate, one for each criterion; null for a missing score. */
export type SheetScores = Record<string, (number | null)[]>

/** A score that a judge has tapped but not signed. */
export interface Tap {
  candidata: string
  /** Index of the criterion. */
  criterio: number
  /** Tenths of a point. */
  decimas: number
}

/** A `Picture` in the sheet's JSON, which telephones store. */
export interface SheetPicture {
  base: string
  anchos: number[]
  anchoJpeg: number
  ancho: number
  alto: number
  alt: string
  foco: [number, number]
}

export interface SheetCandidate {
  id: string
  numero: number
  nombre: string
  tono: Tone
  /** Null if the site no longer shows the candidate. */
  silueta: SheetPicture | null
}

/** The open round or, without one, the latest. */
export interface SheetRound {
  numero: number
  nombre: string
  clase: FinalRules['rondas'][number]['clase']
  /** The criteria's weights (`peso`) are in percent. */
  criterios: { nombre: string; peso: number }[]
  candidatas: SheetCandidate[]
  abierta: boolean
  /** The judge's scores as the site has them; complete once signed. */
  marcas: SheetScores
  /** Time of the signature, such as «21:14»; null if the sheet is not signed. */
  firmada: string | null
  /** Reason for reopening the sheet; null if it was not reopened, or is signed again. */
  reabierta: string | null
}

export interface JudgeSheet {
  certamen: string
  juez: number
  nombre: string
  /** Number of the opening entry; taps of another opening are discarded. It is 0 if no final with this judge is open or sealed. */
  final: number
  /** Whether half points may be given. */
  medios: boolean
  /** Number of rounds, including the tiebreak round if there is one; 0 if `final` is 0. */
  rondas: number
  /** Null before the first round. */
  ronda: SheetRound | null
  /** Whether the record is sealed. */
  sellada: boolean
}

export type SheetResponse =
  | { ok: true; hoja: JudgeSheet }
  /**
   * The reason is `sesion` if the telephone is signed out, `rechazo` if the request is refused for good, so that a retry is useless,
   * and `sin-espacio` if the disk is full, so that a retry may succeed. Only `rechazo` has `hoja`, the sheet as the site has it.
   */
  | { ok: false; reason: 'sesion' | 'rechazo' | 'sin-espacio'; mensaje: string; hoja?: JudgeSheet }

/** A new link of a judge, which is shown only once. */
export interface JudgeLink {
  judge: number
  name: string
  url: string
  qrCode: QrCode
}

export const JUDGE_LINK_MESSAGES = {
  desconocido: 'Este enlace ya no sirve: en la mesa de la notaría hicieron otro. Pide que te muestren el nuevo.',
  usado: 'Este enlace ya se abrió en otro teléfono, y sólo sirve en uno. Pide otro en la mesa de la notaría.',
  vencido: 'La noche de este enlace ya terminó. Pide otro en la mesa de la notaría.',
  falta: 'Falta la última parte del enlace. Ábrelo completo, o escanea su código QR en la mesa de la notaría.',
} as const

export const JUDGE_SESSION_MESSAGE =
  'Este teléfono ya no es el de este juez: se abrió otro, o la noche terminó. Si no fuiste tú, avisa en la mesa de la notaría.'
