import type { QrCode } from '#app/core/text/qr-code.server.ts'
import type { Tone } from '#app/ui/styles/tone.ts'
import type { Rules } from './record-entries.ts'

/** A sheet's scores are tenths of a point by candidate, one per criterion; null where no score is given yet. */
export type SheetScores = Record<string, (number | null)[]>

/** A `Tap` is a score that a judge tapped and has not signed. */
export interface Tap {
  candidata: string
  /** The index of the criterion, from 0. */
  criterio: number
  /** `decimas` are tenths of a point. */
  decimas: number
}

/** A sheet picture is a `Picture` in the sheet's JSON, which telephones store. */
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
  silueta: SheetPicture | null
}

/** A sheet round is the open round, or the last one. */
export interface SheetRound {
  numero: number
  nombre: string
  clase: Rules['rondas'][number]['clase']
  criterios: { nombre: string; peso: number }[]
  candidatas: SheetCandidate[]
  abierta: boolean
  /** `marcas` are this judge's scores as the site has them; complete once signed. */
  marcas: SheetScores
  /** The time of the signature, like «21:14»; null: not signed. */
  firmada: string | null
  /** The reason for reopening the sheet; null: not reopened. */
  reabierta: string | null
}

export interface JudgeSheet {
  certamen: string
  juez: number
  nombre: string
  /** The number of the opening entry; taps made under another opening are discarded. 0: no final is open. */
  final: number
  medios: boolean
  rondas: number
  ronda: SheetRound | null
  /** Whether the record is sealed. */
  sellada: boolean
}

export type SheetResponse =
  | { ok: true; hoja: JudgeSheet }
  /**
   * `sesion`: the telephone is signed out; `rechazo`: the request is refused for good, so a retry is useless;
   * `sin-espacio`: the disk is full, and a retry may find room.
   */
  | { ok: false; reason: 'sesion' | 'rechazo' | 'sin-espacio'; mensaje: string; hoja?: JudgeSheet }

/** A judge's link is shown only once. */
export interface JudgeLink {
  judge: number
  name: string
  url: string
  qrCode: QrCode
}

export const LINK_MESSAGES = {
  desconocido: 'Este enlace ya no sirve: en la mesa de la notaría hicieron otro. Pide que te muestren el nuevo.',
  usado: 'Este enlace ya se abrió en otro teléfono, y sólo sirve en uno. Pide otro en la mesa de la notaría.',
  vencido: 'La noche de este enlace ya terminó. Pide otro en la mesa de la notaría.',
  falta: 'Falta la última parte del enlace. Ábrelo completo, o escanea su cuadro en la mesa de la notaría.',
} as const

export const NO_SESSION =
  'Este teléfono ya no es el de este juez: se abrió otro, o la noche terminó. Si no fuiste tú, avisa en la mesa de la notaría.'
