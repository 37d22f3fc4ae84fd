/** Characters of a receipt: none that looks or sounds like another. */
export const LETRAS_RECIBO = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
export const RECIBO_CHARACTERS = 12

/** A receipt as people read it: «7F2K-94QX-M3TR». */
export const conGuiones = (recibo: string) => recibo.replace(/(.{4})(?=.)/g, '$1-')

/** A receipt as somebody types it, whatever stands between its letters; undefined: it cannot be one. */
export function readRecibo(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > 60) return undefined
  const recibo = text.toUpperCase().replace(/[\s.–—-]/g, '')
  return recibo.length === RECIBO_CHARACTERS && [...recibo].every((letter) => LETRAS_RECIBO.includes(letter))
    ? recibo
    : undefined
}

/** What a voter's browser works on where traffic is unusual: a number that makes the hash begin with so many zero bits. */
export interface Reto {
  texto: string
  bits: number
}

/** @public */
export type MotivoDeVoto =
  /** This account, or one with the same address, has voted in this edition. */
  | 'ya-votaste'
  | 'cerrada'
  /** The link names no candidate. */
  | 'candidata'
  /** Nobody is signed in, or no longer. */
  | 'sesion'
  /** Unusual traffic: first some work (`reto`). */
  | 'prueba'

export type RespuestaDeVoto = { ok: true; recibo: string } | { ok: false; reason: MotivoDeVoto; reto?: Reto }

/** @public */
export const STATUS_DE_VOTO: Record<MotivoDeVoto, number> = {
  'ya-votaste': 409,
  cerrada: 403,
  candidata: 400,
  sesion: 401,
  prueba: 428,
}

/** @source specification §8 */
/** @public */
export const YA_VOTASTE = 'Ya has votado con este correo.'
/** @source specification §8 */
/** @public */
export const GRACIAS = '¡Gracias! Tu voto ha sido registrado.'
/** @source specification §9 */
/** @public */
export const OTROS = 'Otros / inválidos'
