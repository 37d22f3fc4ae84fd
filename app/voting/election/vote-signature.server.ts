import { type KeyObject, timingSafeEqual } from 'node:crypto'
import { hmacSha256 } from '#app/core/text/hmac.server.ts'

/** The site's signature over a vote: with little else of the site, so that threads that count load little. */

/** The part of a vote that its signature covers: everything that decides whether, and for whom, it counts. */
export interface Firmado {
  edicion: number
  user_id: string
  candidata: string
  recibo: string
  correo: Buffer | null
  red: string | null
  bloque: string | null
  dominio: string | null
  sospecha: string | null
  created_at: Date
}

/** Columns that `isSigned` looks at. */
export const FIRMADAS = [
  ...(['edicion', 'user_id', 'candidata', 'recibo', 'firma'] as const),
  ...(['correo', 'red', 'bloque', 'dominio', 'sospecha', 'created_at'] as const),
] as const

export const VOTE_KEY = 'voto'

export const signVote = (key: KeyObject, voto: Firmado): Buffer => {
  const { edicion, user_id, candidata, recibo, correo, red, bloque, dominio, sospecha, created_at } = voto
  const quien = correo?.toString('hex') ?? null
  const cuando = created_at.toISOString()
  return hmacSha256(
    key,
    JSON.stringify(['voto', edicion, user_id, candidata, recibo, quien, red, bloque, dominio, sospecha, cuando]),
  )
}

/** As votes were signed before their origin decided anything. */
const signAntes = (key: KeyObject, { edicion, user_id, candidata, recibo }: Firmado): Buffer =>
  hmacSha256(key, [edicion, user_id, candidata, recibo].join('\n'))

type SinComprobar = Omit<Firmado, 'candidata' | 'recibo'> & {
  candidata: string | null
  recibo: string | null
  firma: Buffer | null
}

/** Whether this site wrote a row as it stands. */
export function isSigned<Row extends SinComprobar>(
  key: KeyObject,
  row: Row,
): row is Row & { candidata: string; recibo: string; firma: Buffer } {
  const { candidata, recibo, firma } = row
  if (candidata === null || recibo === null || firma?.length !== 32) return false
  // The database knows moments that are none: the end of time was written by nobody who voted.
  if (!(row.created_at instanceof Date) || Number.isNaN(row.created_at.getTime())) return false
  const voto = row as Firmado
  return timingSafeEqual(firma, signVote(key, voto)) || timingSafeEqual(firma, signAntes(key, voto))
}
