import { createHmac } from 'node:crypto'
import { blockOf, neighbourhoodOf } from '#app/core/http/client-networks.server.ts'
import { createWorkChallenge, isEnoughWork, verifyWork } from '#app/core/http/proof-of-work.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { mailboxOf } from '#app/core/text/canonical-mailbox.ts'
import { randomCode } from '#app/core/text/random-codes.ts'
import { isAnyUuid } from '#app/core/text/uuid.ts'
import type { Election } from '#app/voting/election/data.server.ts'
import { candidateAt } from '#app/voting/election/data.server.ts'
import { RECEIPT_ALPHABET, RECEIPT_CHARACTERS } from '#app/voting/election/receipt.ts'
import {
  difficultyFor,
  isBeforeClosing,
  isBeforeOpening,
  MIN_DISPOSABLE_DIFFICULTY,
} from '#app/voting/election/rules.ts'
import { signVote, VOTE_KEY_PURPOSE } from '#app/voting/election/vote-signature.server.ts'
import { isAliasAddress } from '#app/voting/origins/alias-services.ts'
import { isDisposableDomain } from '#app/voting/origins/disposable-domains.ts'
import { registrableDomainOf } from '#app/voting/origins/registrable-domain.server.ts'
import { createOriginCounter, type Origin } from '#app/voting/origins/traffic.server.ts'
import type { VoteAnswer } from './schema.ts'
import { createVoteWriter } from './vote-writer.server.ts'

interface Voter {
  userId: string
  email: string
  /** As `RequestFacts.client`. Only keyed hashes of the networks around it are stored. */
  client: string
}

interface VoteAttempt {
  /** The candidate's place in the vote's order, not yet validated. */
  vote: unknown
  /** A UUID that the page or its form states, so that a repeated attempt gets its receipt again; not yet validated. */
  idempotencyKey?: unknown
  /** Solved challenge of the refusal `prueba`, as JSON; not yet verified. */
  proof?: { reto: string; respuesta: string } | undefined
}

/** The voting service of one process. It counts the process's votes by origin and inserts simultaneous votes together. */
export interface Voting {
  /**
   * Casts a person's only vote in an edition (§4). The database decides between simultaneous requests, also of several processes.
   * It also refuses a vote that is not open (`VoteWriter.insert`), in case this process still shows an older publication.
   * @returns the receipt, or a refusal; an attempt repeated after a lost answer gets the same receipt, also after the closing
   */
  cast(election: Election, voter: Voter, attempt: VoteAttempt): Promise<VoteAnswer>
}

const REASON_BY_RESULT = { early: 'antes', closed: 'cerrada', duplicate: 'ya-votaste' } as const

export function createVoting({ db, clock, keyed }: Pick<Services, 'db' | 'clock' | 'keyed'>): Voting {
  const voteWriter = createVoteWriter(db)
  const originCounter = createOriginCounter(db)
  // 96 bits of the hash suffice to tell networks apart.
  const hashNetwork = (network: string) =>
    createHmac('sha256', keyed('voto.red')).update(network).digest('base64url').slice(0, 16)

  async function cast(
    election: Election,
    { userId, email, client }: Voter,
    { vote, idempotencyKey: givenKey, proof }: VoteAttempt,
  ): Promise<VoteAnswer> {
    const { edicion, abre: opening, cierre: closing } = election
    const now = clock.now()
    if (isBeforeOpening(opening, now)) return { ok: false, reason: 'antes' }
    const candidate = typeof vote === 'number' ? candidateAt(election, vote) : undefined
    const idempotencyKey = isAnyUuid(givenKey) ? givenKey : null
    if (!isBeforeClosing(closing, now)) {
      const earlierAnswer = candidate && (await findEarlierAnswer(edicion, userId, candidate, idempotencyKey))
      return earlierAnswer?.ok ? earlierAnswer : { ok: false, reason: 'cerrada' }
    }
    if (candidate === undefined) return { ok: false, reason: 'candidata' }
    // An account that has already voted gets the answer about its vote instead of the withdrawal.
    if ('retirada' in candidate)
      return (await findEarlierAnswer(edicion, userId, candidate, idempotencyKey)) ?? { ok: false, reason: 'retirada' }

    const traffic = await originCounter.readTraffic(election, now)
    const domain = registrableDomainOf(email, traffic.rules.proveedores)
    const networkHash = hashNetwork(neighbourhoodOf(client))
    const providerBlock = blockOf(client, 32)
    const blockHash = providerBlock === undefined ? null : hashNetwork(providerBlock)
    const isDisposable = isDisposableDomain(email.slice(email.lastIndexOf('@') + 1))
    const origins: Origin[] = [['red', networkHash]]
    if (blockHash !== null) origins.push(['bloque', blockHash])
    if (domain !== undefined) origins.push(['dominio', domain])
    const excess = Math.max(...origins.map(traffic.excessOf))
    if (isDisposable || excess > 0) {
      const difficulty = Math.max(isDisposable ? MIN_DISPOSABLE_DIFFICULTY : 0, difficultyFor(excess))
      const verifiedWork = proof && (await verifyWork(keyed('voto.reto'), userId, now.getTime(), proof))
      if (!isEnoughWork(verifiedWork, difficulty)) {
        // An account that has already voted gets its answer without work.
        const earlierAnswer = await findEarlierAnswer(edicion, userId, candidate, idempotencyKey)
        if (earlierAnswer) return earlierAnswer
        const challenge = await createWorkChallenge(keyed('voto.reto'), userId, difficulty, now.getTime())
        return { ok: false, reason: 'prueba', reto: challenge }
      }
    }

    const receipt = randomCode(RECEIPT_CHARACTERS, RECEIPT_ALPHABET)
    const row = {
      edicion,
      user_id: userId,
      candidata: candidate.nombre,
      recibo: receipt,
      created_at: now,
      red: networkHash,
      bloque: blockHash,
      dominio: domain ?? null,
      correo: createHmac('sha256', keyed('voto.correo')).update(mailboxOf(email)).digest(),
      // Whole origins are flagged later, at the sealing of their votes (origins/flagging.server.ts).
      sospecha: isDisposable ? 'desechable' : isAliasAddress(email) ? 'servicio' : null,
    }
    const undoCount = originCounter.count(now, origins)
    const insertResult = await voteWriter
      .insert({
        ...row,
        intento: idempotencyKey,
        firma: signVote(keyed(VOTE_KEY_PURPOSE), row),
      })
      .catch((error: unknown) => {
        undoCount()
        throw error
      })
    if (insertResult === 'inserted') return { ok: true, recibo: receipt }
    undoCount()
    const earlierAnswer = await findEarlierAnswer(edicion, userId, candidate, idempotencyKey)
    return earlierAnswer ?? { ok: false, reason: REASON_BY_RESULT[insertResult] }
  }

  /** Returns the answer for an account that already has a vote, or undefined if the account has none. */
  async function findEarlierAnswer(
    edition: number,
    userId: string,
    { id, nombre }: { id: string; nombre?: string | undefined },
    idempotencyKey: string | null,
  ): Promise<VoteAnswer | undefined> {
    const row = await voteWriter.find(edition, userId)
    if (!row) return undefined
    // The stored name may be an earlier one, since names can be corrected.
    const isSameCandidate = row.candidata === nombre || row.candidataId === id
    return isSameCandidate && idempotencyKey !== null && row.intento === idempotencyKey && row.recibo !== null
      ? { ok: true, recibo: row.recibo }
      : { ok: false, reason: 'ya-votaste' }
  }

  return { cast }
}
