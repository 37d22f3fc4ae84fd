import { createHmac } from 'node:crypto'
import { blockOf, neighbourhoodOf } from '#app/core/http/client-networks.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { mailboxOf } from '#app/core/text/canonical-mailbox.ts'
import { makeCode } from '#app/core/text/random-codes.ts'
import { isAnyUuid } from '#app/core/text/uuid.ts'
import type { Eleccion } from '#app/voting/election/data.server.ts'
import { enLugar } from '#app/voting/election/data.server.ts'
import { LETRAS_RECIBO, RECIBO_CHARACTERS } from '#app/voting/election/receipt.ts'
import { isNotClosed, TRABAJO_DESECHABLE, trabajoFor } from '#app/voting/election/rules.ts'
import { signVote, VOTE_KEY } from '#app/voting/election/vote-signature.server.ts'
import { isAlias } from '#app/voting/origins/alias-services.ts'
import { isDesechable } from '#app/voting/origins/disposable-domains.ts'
import { dominioDe } from '#app/voting/origins/registrable-domain.server.ts'
import { createOrigenes, type Origen } from '#app/voting/origins/traffic.server.ts'
import { isDone, makeReto } from './challenge.server.ts'
import type { RespuestaDeVoto } from './schema.ts'
import { createUrna } from './vote-writer.server.ts'

export { keepNombres, separaVotos } from '#app/voting/election/candidate-names.server.ts'

/** The person who votes, and from where. */
interface Votante {
  userId: string
  correo: string
  /** Network address; only a keyed hash of its block is kept. */
  client: string
}

interface Papel {
  /** The candidate's place in the vote's order. */
  vote: unknown
  /** An UUID that the page made for this attempt: sent again, it is the same vote. */
  intento?: unknown
  prueba?: { reto: string; respuesta: string } | undefined
}

/** The vote in one process, with what it keeps between votes. */
export interface Votacion {
  /**
   * Casts the one vote that a person has in an edition. One INSERT decides, over all processes and however many come at
   * once; it also refuses a vote once the closing act is there, whatever this process's clock says.
   * @returns the receipt; the same one again for an attempt that is repeated after a lost answer
   * @source §4, D23, D24, D26
   */
  cast(eleccion: Eleccion, votante: Votante, papel: Papel): Promise<RespuestaDeVoto>
}

/** Made once in a process, at its start. */
export function createVotacion({ db, clock, keyed }: Pick<Services, 'db' | 'clock' | 'keyed'>): Votacion {
  const urna = createUrna(db)
  const vistos = createOrigenes(db)
  const hashRed = (bloque: string) =>
    createHmac('sha256', keyed('voto.red')).update(bloque).digest('base64url').slice(0, 16)

  async function cast(
    eleccion: Eleccion,
    { userId, correo, client }: Votante,
    { vote, intento: given, prueba }: Papel,
  ): Promise<RespuestaDeVoto> {
    const { edicion, cierre } = eleccion
    const now = clock.now()
    if (!isNotClosed(cierre, now)) return { ok: false, reason: 'cerrada' }
    const candidata = typeof vote === 'number' ? enLugar(eleccion, vote) : undefined
    if (candidata === undefined) return { ok: false, reason: 'candidata' }
    const intento = isAnyUuid(given) ? given : null
    // A person who voted before she was withdrawn is told so: that vote is used.
    if ('retirada' in candidata)
      return (await earlier(edicion, userId, candidata, intento)) ?? { ok: false, reason: 'retirada' }

    const vista = await vistos.look(eleccion, now)
    const dominio = dominioDe(correo, vista.reglas.proveedores)
    const red = hashRed(neighbourhoodOf(client))
    const gran = blockOf(client, 32)
    const bloque = gran === undefined ? null : hashRed(gran)
    const desechable = isDesechable(correo.slice(correo.lastIndexOf('@') + 1))
    const origenes: Origen[] = [['red', red]]
    if (bloque !== null) origenes.push(['bloque', bloque])
    if (dominio !== undefined) origenes.push(['dominio', dominio])
    const excess = Math.max(...origenes.map(vista.excess))
    if (desechable || excess > 0) {
      const trabajo = Math.max(desechable ? TRABAJO_DESECHABLE : 0, trabajoFor(excess))
      const asked = prueba && (await isDone(keyed('voto.reto'), userId, trabajo, now.getTime(), prueba))
      if (!asked) {
        // An account that has voted already would work for nothing.
        const before = await earlier(edicion, userId, candidata, intento)
        if (before) return before
        const reto = await makeReto(keyed('voto.reto'), userId, trabajo, now.getTime())
        return { ok: false, reason: 'prueba', reto }
      }
    }

    const recibo = makeCode(RECIBO_CHARACTERS, LETRAS_RECIBO)
    const row = {
      ...{ edicion, user_id: userId, candidata: candidata.nombre, recibo, created_at: now },
      ...{ red, bloque, dominio: dominio ?? null },
      correo: createHmac('sha256', keyed('voto.correo')).update(mailboxOf(correo)).digest(),
      // Everything else that marks a vote is known later, of its origin as a whole.
      sospecha: desechable ? 'desechable' : isAlias(correo) ? 'servicio' : null,
    }
    const uncount = vistos.count(now, origenes)
    const recepcion = await urna
      .insert({
        ...row,
        intento,
        firma: signVote(keyed(VOTE_KEY), row),
      })
      .catch((error: unknown) => {
        uncount()
        throw error
      })
    if (recepcion === 'dentro') return { ok: true, recibo }
    uncount()
    const before = await earlier(edicion, userId, candidata, intento)
    return before ?? { ok: false, reason: recepcion === 'cerrada' ? 'cerrada' : 'ya-votaste' }
  }

  /** The answer to an attempt of an account that has a vote already; undefined: it has none. */
  async function earlier(
    edicion: number,
    userId: string,
    { id, nombre }: { id: string; nombre?: string | undefined },
    intento: string | null,
  ): Promise<RespuestaDeVoto | undefined> {
    const row = await urna.find(edicion, userId)
    if (!row) return undefined
    // The candidate's name may have been corrected since.
    const isHers = row.candidata === nombre || row.candidataId === id
    return isHers && intento !== null && row.intento === intento && row.recibo !== null
      ? { ok: true, recibo: row.recibo }
      : { ok: false, reason: 'ya-votaste' }
  }

  return { cast }
}
