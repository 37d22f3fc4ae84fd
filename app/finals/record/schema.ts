import type { QrCode } from '#app/core/text/qr-code.server.ts'
import type { Picture } from '#app/ui/photos/photo.tsx'
import type { Tone } from '#app/ui/styles/tone.ts'
import type { Rules } from './record-entries.ts'

/** Tenths of a point by candidate, one for each criterion; null where nothing was given yet. */
export type SheetMarks = Record<string, (number | null)[]>

/** A score that was tapped and not signed. */
export interface Toque {
  candidata: string
  /** Place of the criterion, from 0. */
  criterio: number
  /** Tenths. */
  decimas: number
}

/** A candidate on a judge's sheet. */
export interface SheetCandidate {
  id: string
  numero: number
  nombre: string
  tono: Tone
  silueta: Picture | null
}

/** The round in which a judge writes, or wrote last. */
export interface SheetRound {
  numero: number
  nombre: string
  clase: Rules['rondas'][number]['clase']
  criterios: { nombre: string; peso: number }[]
  candidatas: SheetCandidate[]
  abierta: boolean
  /** This judge's own marks as the site has them; whole once they are signed. */
  marcas: SheetMarks
  /** «21:14»; null: not signed. */
  firmada: string | null
  /** Why the sheet was opened again; null: it was not. */
  reabierta: string | null
}

/** What a judge's telephone shows. */
export interface JudgeSheet {
  certamen: string
  juez: number
  nombre: string
  /** Number of the opening: what was typed under another one is of no use any more. 0: none is open. */
  final: number
  medios: boolean
  rondas: number
  ronda: SheetRound | null
  /** The act is sealed. */
  sellada: boolean
}

export type SheetResponse =
  | { ok: true; hoja: JudgeSheet }
  /** `sesion`: this telephone is nobody's any more; `rechazo`: what was sent is not taken, and never will be. */
  | { ok: false; reason: 'sesion' | 'rechazo'; mensaje: string; hoja?: JudgeSheet }

/** A judge's link as it is shown, once. */
export interface JudgeLink {
  juez: number
  nombre: string
  url: string
  /** For the telephone's camera. */
  cuadro: QrCode
}

/** Words of a refused link. */
export const ENLACES = {
  desconocido: 'Este enlace ya no sirve: en la mesa de la notaría hicieron otro. Pide que te muestren el nuevo.',
  usado: 'Este enlace ya se abrió en otro teléfono, y sólo sirve en uno. Pide otro en la mesa de la notaría.',
  vencido: 'La noche de este enlace ya terminó. Pide otro en la mesa de la notaría.',
  falta: 'Falta la última parte del enlace. Ábrelo completo, o escanea su cuadro en la mesa de la notaría.',
} as const

export const NO_SESSION =
  'Este teléfono ya no es el de este juez: se abrió otro, o la noche terminó. Si no fuiste tú, avisa en la mesa de la notaría.'
