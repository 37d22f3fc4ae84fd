import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

/** A vote's signature covers these columns: all that decide whether the vote counts, and for which candidate. */
export interface SignedVoteFields {
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

/** The check of a vote's signature reads these columns. */
export const SIGNED_COLUMNS = [
  ...(['edicion', 'user_id', 'candidata', 'recibo', 'firma'] as const),
  ...(['correo', 'red', 'bloque', 'dominio', 'sospecha', 'created_at'] as const),
] as const

export const VOTE_KEY = 'voto'

const hmac = (key: KeyObject, text: string): Buffer => createHmac('sha256', key).update(text).digest()

export const signVote = (key: KeyObject, vote: SignedVoteFields): Buffer => {
  const { edicion, user_id, candidata, recibo, correo, red, bloque, dominio, sospecha, created_at } = vote
  const mailboxHash = correo?.toString('hex') ?? null
  const castAt = created_at.toISOString()
  return hmac(
    key,
    JSON.stringify(['voto', edicion, user_id, candidata, recibo, mailboxHash, red, bloque, dominio, sospecha, castAt]),
  )
}

/** Signs as earlier versions did, in which the origin decided nothing. Such a signature does not cover the origin's columns. */
const signLegacyVote = (key: KeyObject, { edicion, user_id, candidata, recibo }: SignedVoteFields): Buffer =>
  hmac(key, [edicion, user_id, candidata, recibo].join('\n'))

type UnverifiedVote = Omit<SignedVoteFields, 'candidata' | 'recibo'> & {
  candidata: string | null
  recibo: string | null
  firma: Buffer | null
}

/** Returns whether this site signed a row as it stands. A row with an earlier version's signature passes with any origin. */
export function isVoteSigned<Row extends UnverifiedVote>(
  key: KeyObject,
  row: Row,
): row is Row & { candidata: string; recibo: string; firma: Buffer } {
  const { candidata, recibo, firma } = row
  if (candidata === null || recibo === null || firma?.length !== 32) return false
  // PostgreSQL's `infinity` is no Date, and the site never wrote it.
  if (!(row.created_at instanceof Date) || Number.isNaN(row.created_at.getTime())) return false
  const vote = row as SignedVoteFields
  return timingSafeEqual(firma, signVote(key, vote)) || timingSafeEqual(firma, signLegacyVote(key, vote))
}
