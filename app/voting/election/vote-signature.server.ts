import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

/** The columns of a vote that its signature covers, since they decide whether the vote counts, and for which candidate. */
export interface SignedVoteFields {
  edicion: number
  user_id: string
  candidata: string
  recibo: string
  /** Keyed hash of the mailbox. */
  correo: Buffer | null
  red: string | null
  bloque: string | null
  dominio: string | null
  /** `desechable` or `servicio` for such an address; `red` or `dominio` in votes of an earlier version; else null. */
  sospecha: string | null
  created_at: Date
}

/** The columns that `isVoteSigned` needs: the signed columns and the signature. */
export const SIGNED_COLUMNS = [
  'edicion',
  'user_id',
  'candidata',
  'recibo',
  'firma',
  'correo',
  'red',
  'bloque',
  'dominio',
  'sospecha',
  'created_at',
] as const

export const VOTE_KEY_PURPOSE = 'voto'

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

/** Signs a vote as earlier versions did, which did not yet evaluate the columns of its origin. */
const signLegacyVote = (key: KeyObject, { edicion, user_id, candidata, recibo }: SignedVoteFields): Buffer =>
  hmac(key, [edicion, user_id, candidata, recibo].join('\n'))

type UnverifiedVote = Omit<SignedVoteFields, 'candidata' | 'recibo'> & {
  candidata: string | null
  recibo: string | null
  firma: Buffer | null
}

/**
 * Returns whether this site signed a row as it is now. The signature of an earlier version covers neither the mailbox, the origin
 * nor the moment of the vote.
 */
export function isVoteSigned<Row extends UnverifiedVote>(
  key: KeyObject,
  row: Row,
): row is Row & { candidata: string; recibo: string; firma: Buffer } {
  const { candidata, recibo, firma } = row
  if (candidata === null || recibo === null || firma?.length !== 32) return false
  // A row that the site did not write may have the timestamp `infinity`, which the driver does not read as a valid Date.
  if (!(row.created_at instanceof Date) || Number.isNaN(row.created_at.getTime())) return false
  const vote = row as SignedVoteFields
  return timingSafeEqual(firma, signVote(key, vote)) || timingSafeEqual(firma, signLegacyVote(key, vote))
}
