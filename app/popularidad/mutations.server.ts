import { createHmac } from 'node:crypto'
import { makeCode } from '#app/platform/codigos.ts'
import type { Services } from '#app/platform/services.server.ts'
import { isAnyUuid } from '#app/platform/uuid.ts'
import type { Eleccion } from './data.server.ts'
import { signVote, VOTE_KEY } from './data.server.ts'
import { isDesechable } from './desechables.ts'
import { countVote, excessNow, type Origen } from './origenes.server.ts'
import { isDone, makeReto } from './prueba.server.ts'
import { bloqueDe, dominioDe, isVotacionAbierta, normalCorreo, TRABAJO_DESECHABLE, trabajoFor } from './rules.ts'
import { LETRAS_RECIBO, RECIBO_CHARACTERS, type RespuestaDeVoto } from './schema.ts'
import { findVote, insertVote } from './urna.server.ts'

/** Who votes, and from where. */
export interface Votante {
  userId: string
  correo: string
  /** Network address; kept as a keyed hash of its block. */
  client: string
}

export interface Papel {
  /** The candidate's place in the vote's order. */
  vote: unknown
  /** An UUID that the page made for this attempt: sent again, it is the same vote. */
  intento?: unknown
  prueba?: { reto: string; respuesta: string } | undefined
}

/**
 * Casts the one vote that a person has in an edition. One INSERT decides, whatever comes at once, over all processes;
 * also that the closing act is not there yet, whatever this process's clock says.
 * @returns the receipt; the same one where the same attempt is sent again after a lost answer
 * @source specification §4, decisions 23, 24, 26
 */
export async function castVote(
  services: Services,
  { edicion, cierre, candidatas }: Eleccion,
  { userId, correo, client }: Votante,
  { vote, intento: given, prueba }: Papel,
): Promise<RespuestaDeVoto> {
  const { db, clock, keyed } = services
  const now = clock.now()
  if (!isVotacionAbierta(cierre, now)) return { ok: false, reason: 'cerrada' }
  const candidata = typeof vote === 'number' ? candidatas[vote] : undefined
  if (candidata === undefined) return { ok: false, reason: 'candidata' }
  const intento = isAnyUuid(given) ? given : null

  const dominio = dominioDe(correo)
  const red = createHmac('sha256', keyed('voto.red')).update(bloqueDe(client)).digest('base64url').slice(0, 16)
  const excess = await excessNow(db, edicion, now)
  const desechable = dominio !== undefined && isDesechable(dominio)
  const origenes: Origen[] = [['red', red], ...(dominio === undefined ? [] : [['dominio', dominio] as const])]
  const [ofRed = 0, ofDominio = 0] = origenes.map(excess)
  const sospecha = desechable ? 'desechable' : ofDominio > 0 ? 'dominio' : ofRed > 0 ? 'red' : null
  if (sospecha) {
    const trabajo = Math.max(desechable ? TRABAJO_DESECHABLE : 0, trabajoFor(Math.max(ofRed, ofDominio)))
    const asked = prueba && (await isDone(keyed('voto.reto'), userId, trabajo, now.getTime(), prueba))
    if (!asked) {
      // Who has voted already works for nothing.
      const before = await earlier(services, edicion, userId, candidata, intento)
      if (before) return before
      const reto = await makeReto(keyed('voto.reto'), userId, trabajo, now.getTime())
      return { ok: false, reason: 'prueba', reto }
    }
  }

  const recibo = makeCode(RECIBO_CHARACTERS, LETRAS_RECIBO)
  const row = { edicion, user_id: userId, candidata, recibo }
  const hashed = createHmac('sha256', keyed('voto.correo')).update(normalCorreo(correo)).digest()
  const uncount = countVote(db, now, origenes)
  const recepcion = await insertVote(db, {
    ...row,
    correo: hashed,
    intento,
    firma: signVote(keyed(VOTE_KEY), row),
    red,
    dominio: dominio ?? null,
    sospecha,
    created_at: now,
  }).catch((error: unknown) => {
    uncount()
    throw error
  })
  if (recepcion === 'dentro') return { ok: true, recibo }
  uncount()
  const before = await earlier(services, edicion, userId, candidata, intento)
  return before ?? { ok: false, reason: recepcion === 'cerrada' ? 'cerrada' : 'ya-votaste' }
}

/** What an account's vote that is there already means for this attempt; undefined: there is none. */
async function earlier(
  { db }: Services,
  edicion: number,
  userId: string,
  candidata: string,
  intento: string | null,
): Promise<RespuestaDeVoto | undefined> {
  const row = await findVote(db, edicion, userId)
  if (!row) return undefined
  const isSame = intento !== null && row.intento === intento && row.candidata === candidata
  return isSame && row.recibo !== null ? { ok: true, recibo: row.recibo } : { ok: false, reason: 'ya-votaste' }
}
