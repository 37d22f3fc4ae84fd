// Longer than 350 lines: all steps of a batch share its keys and its transaction.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { readRemainingCodes } from '#app/accounts/data.server.ts'
import { codeLetter, passwordSignInLetter } from '#app/accounts/mails.server.ts'
import {
  ATTEMPT_LIMITS,
  CODE_MINUTES,
  type CodeCounts,
  codeRoomIn,
  MAX_CODE_ATTEMPTS,
  type Neighbourhood,
  UNUSED_LEAK_PER_SECOND,
  workForCode,
} from '#app/accounts/rules.ts'
import { fingerprintOf, isSameText } from '#app/accounts/sessions/cookies.server.ts'
import {
  addToLevels,
  countByBackoff,
  countByBucket,
  forgetAttempts,
  refundTraces,
} from '#app/accounts/throttling/rate-limit.server.ts'
import { spendWork } from '#app/accounts/throttling/spent-work.server.ts'
import { bulkWriteAuditLog } from '#app/audit/mutations.server.ts'
import { batchWork } from '#app/core/concurrency/batching.server.ts'
import { isEnoughWork, type VerifiedWork } from '#app/core/http/proof-of-work.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { digitsOf } from '#app/core/text/random-codes.ts'
import { mailSenderOf, queueMail, queueMailBatch } from '#app/mail/mutations.server.ts'
import { createNetworkReputation } from './network-reputation.server.ts'

/** A browser that asks for a code or tries a code. */
interface Requester {
  email: string
  nonce: string
  /** Keyed hash of the network address. */
  networkTrace: string
}

interface CodeRequest extends Requester {
  /** The address as typed, since only its mail server knows whether case matters before the @ (RFC 5321 §2.4). */
  deliveryAddress: string
  /** Keyed hash of one subscriber's network: an IPv4 address, or an IPv6 /48. */
  subscriberTrace: string
  /** Keyed hash of the IPv4 /24 or IPv6 /48, whose used and unused codes are counted. */
  neighbourhoodTrace: string
  doneWork: VerifiedWork | undefined
}

type CodeRequestResponse =
  | { ok: true }
  | { ok: false; reason: 'espera' | 'red-llena' | 'cuota'; retrySeconds: number }
  /** The mail server has refused the address of this browser's last code. */
  | { ok: false; reason: 'rechazado' }
  /** The limit for requests without proof of work is used up, or another request has spent the proof. */
  | { ok: false; reason: 'trabajo'; retrySeconds: number; difficulty: number }

type CodeAttemptResponse =
  | { ok: true }
  | { ok: false; reason: 'espera'; retrySeconds: number }
  | { ok: false; reason: 'credenciales' }

export interface SignInCodes {
  /**
   * Counts a request and, if it is accepted, stores a code and queues its mail; an account with a role gets a mail without a code.
   * Beyond ATTEMPT_LIMITS.codeMail such an account gets none, and others the code of their newest mail while it is valid.
   */
  request(codeRequest: CodeRequest): Promise<CodeRequestResponse>
  /** Checks a code; a right code is used up. @param attempt its code is undefined if the typed text cannot be one */
  check(attempt: Requester & { code: string | undefined }): Promise<CodeAttemptResponse>
  /** Tells whether the mail with a browser's code was refused for its address (told once), or waits. */
  findMailDelay(requester: Pick<Requester, 'email' | 'nonce'>): Promise<'refused' | 'waiting' | undefined>
  /** After a sign-in, refunds the network's attempt, resets the browser's counts and writes the audit log. */
  recordSignIn(signIn: Requester & { userId: string; clientTrace: string }): Promise<void>
  /** Reads the counts of unused and used codes of a neighbourhood. */
  neighbourhoodOf(neighbourhoodTrace: string): Promise<Neighbourhood>
}

/** Most requests or attempts that one transaction handles. */
const MAX_BATCH_ITEMS = 250
/** Stands in the mail for each voter's own code. */
const CODE_PLACEHOLDER = '######'
const CODE_DIGITS = 6
/** Wait until neighbours may have used their codes. */
const NETWORK_FULL_RETRY_SECONDS = 60
/** Wait until older mail may have left the 24-hour quota. */
const QUOTA_RETRY_SECONDS = 3_600
/** Part of every keyed hash of a code, so that a hash for one purpose is useless for another. */
const PURPOSE = 'entrar'

/**
 * Issues and checks codes for one process. A whole town may ask within minutes, so requests for different addresses that arrive
 * during a transaction are handled together in a later one.
 * @param recentCodeCounts reads the counts of the last minutes, over all processes
 */
export function createSignInCodes(
  services: Pick<Services, 'db' | 'settings' | 'keyed'>,
  recentCodeCounts: () => Promise<CodeCounts>,
): SignInCodes {
  const { db, keyed } = services
  const sender = mailSenderOf(services)
  const key = keyed('codigos')
  const [sendingKey, traceKey] = [keyed('codigos.envio'), keyed('codigos.rastro')]

  /** Returns the keyed hash of an address and the browser that asks for its code. */
  const browserTraceOf = ({ email, nonce }: Pick<Requester, 'email' | 'nonce'>) =>
    fingerprintOf(key, PURPOSE, email, nonce).toString('base64url')
  const codeHashOf = ({ email, nonce }: Requester, code: string) =>
    fingerprintOf(key, PURPOSE, email, nonce, code).toString('base64url')
  /** Derives a code from its address and the id of its sending by a key, since the database has the id, but not the key. */
  const codeOf = (email: string, sendingId: string) =>
    digitsOf(fingerprintOf(sendingKey, PURPOSE, email, sendingId), CODE_DIGITS)
  const counterTraceOf = (...parts: string[]) =>
    fingerprintOf(traceKey, ...parts)
      .toString('base64url')
      .slice(0, 22)
  const addressTraceOf = ({ email }: Pick<Requester, 'email'>) => counterTraceOf('direccion', email)
  const networkReputation = createNetworkReputation(counterTraceOf)
  const { unusedTraceOf } = networkReputation

  /** Adds to the current minute's counts. Must be last in a transaction, since all processes lock the same row. */
  const addToMinuteCounts = (tx: Services['db'], { sent, used, failed }: CodeCounts) =>
    sent + used + failed === 0
      ? undefined
      : sql`
        insert into codigos_por_minuto (minuto, enviados, usados, fallos)
        values (date_trunc('minute', now()), ${sent}, ${used}, ${failed})
        on conflict (minuto) do update set enviados = codigos_por_minuto.enviados + excluded.enviados,
          usados = codigos_por_minuto.usados + excluded.usados,
          fallos = codigos_por_minuto.fallos + excluded.fallos`.execute(tx)

  interface CodeSending {
    sendingId: string
    /** Moment at which the mail was queued; null if the current transaction queues the mail. */
    sentAt: Date | null
  }
  /** Finds for each address the newest mail, if its code is still valid. @returns the sendings by the traces of the addresses */
  async function findSendings(tx: Services['db'], addressTraces: string[]): Promise<Map<string, CodeSending>> {
    if (addressTraces.length === 0) return new Map()
    const { rows } = await sql<{ direccion: string; envio: string; enviado_at: Date }>`
      select distinct on (direccion) direccion, envio, enviado_at from codigos
      where direccion = any(${addressTraces}::text[]) and enviado_at > now() - make_interval(mins => ${CODE_MINUTES})
      order by direccion, enviado_at desc`.execute(tx)
    return new Map(
      rows.map(({ direccion, envio, enviado_at }) => [direccion, { sendingId: envio, sentAt: enviado_at }]),
    )
  }

  /**
   * Deletes browsers' codes whose mail the mail server refused for its address, so that each browser is told once and may insist.
   * @returns the traces of these browsers
   */
  async function forgetRefusedCodes(tx: Services['db'], browserTraces: string[]): Promise<Set<string>> {
    if (browserTraces.length === 0) return new Set()
    const { rows } = await sql<{ navegador: string }>`
      with refused as materialized (
        select navegador from codigos
        where navegador = any(${browserTraces}::text[]) and exists (
          select from correos where idempotency_key = 'codigo:' || envio
            and failed_at is not null and last_error ~ '^5.*RCPT TO$')
        order by navegador for update)
      delete from codigos using refused where codigos.navegador = refused.navegador
      returning codigos.navegador`.execute(tx)
    return new Set(rows.map(({ navegador }) => navegador))
  }

  /** Stores codes, each in place of the browser's earlier code for the address. */
  async function storeCodes(tx: Services['db'], codes: (CodeRequest & CodeSending)[]): Promise<void> {
    const columnOf = <Cell>(readCell: (code: CodeRequest & CodeSending) => Cell) => codes.map(readCell)
    await sql`
      insert into codigos (navegador, direccion, envio, enviado_at, valor, red, vence_at)
      select navegador, direccion, envio, coalesce(enviado_at, now()), valor, red,
        now() + make_interval(mins => ${CODE_MINUTES})
      from unnest(${columnOf(browserTraceOf)}::text[], ${columnOf(addressTraceOf)}::text[], ${columnOf(({ sendingId }) => sendingId)}::uuid[],
        ${columnOf(({ sentAt }) => sentAt)}::timestamptz[],
        ${columnOf((code) => codeHashOf(code, codeOf(code.email, code.sendingId)))}::text[],
        ${columnOf(({ neighbourhoodTrace }) => unusedTraceOf(neighbourhoodTrace))}::text[])
        as c (navegador, direccion, envio, enviado_at, valor, red)
      order by navegador
      on conflict (navegador) do update
        set envio = excluded.envio, enviado_at = excluded.enviado_at, valor = excluded.valor, intentos = 0,
          red = excluded.red, vence_at = excluded.vence_at`.execute(tx)
  }

  /**
   * Queues the mails of requests and stores their codes. An address whose account has a role gets a mail about signing in by
   * password, and no code.
   * @param isUnproven returns whether a request is not proven (`createNetworkReputation`)
   */
  async function issueCodes(
    tx: Services['db'],
    requests: CodeRequest[],
    isUnproven: (request: CodeRequest) => boolean,
  ): Promise<void> {
    const waits = await countByBucket(
      tx,
      requests.map(({ email }) => counterTraceOf('mensajes', email)),
      ATTEMPT_LIMITS.codeMail,
    )
    const requestsWithinLimit = new Set(requests.filter((_, index) => waits[index] === 0))
    const { rows } = await sql<{ email: string }>`
      select email from profiles
      where email = any(${requests.map(({ email }) => email)}::text[]) and role is not null`.execute(tx)
    const passwordAddresses = new Set(rows.map(({ email }) => email))
    const voters = requests.filter(({ email }) => !passwordAddresses.has(email))
    // An address beyond the limit gets no further mail while a code is valid; the browser gets the code of the newest mail.
    const sendings = await findSendings(
      tx,
      voters.filter((voter) => !requestsWithinLimit.has(voter)).map(addressTraceOf),
    )
    const codes = voters.map((voter) => ({
      ...voter,
      ...(sendings.get(addressTraceOf(voter)) ?? { sendingId: randomUUID(), sentAt: null }),
    }))
    if (codes.length > 0) await storeCodes(tx, codes)
    for (const request of requests)
      if (passwordAddresses.has(request.email) && requestsWithinLimit.has(request))
        await queueMail(tx, {
          ...passwordSignInLetter(),
          to: request.email,
          sender,
          idempotencyKey: `puerta:${randomUUID()}`,
        })
    const newCodes = codes.filter(({ sentAt }) => sentAt === null)
    const recipients = newCodes.map((code) => ({
      idempotencyKey: `codigo:${code.sendingId}`,
      to: code.deliveryAddress,
      individualPart: codeOf(code.email, code.sendingId),
      isUnproven: isUnproven(code),
    }))
    await queueMailBatch(tx, codeLetter(CODE_PLACEHOLDER, CODE_MINUTES), sender, CODE_PLACEHOLDER, recipients)
    await addToLevels(
      tx,
      requests.map(({ neighbourhoodTrace }) => unusedTraceOf(neighbourhoodTrace)),
      UNUSED_LEAK_PER_SECOND,
    )
    await addToMinuteCounts(tx, { sent: newCodes.length, used: 0, failed: 0 })
  }

  async function requestAll(tx: Services['db'], requests: CodeRequest[]): Promise<CodeRequestResponse[]> {
    const reputations = await networkReputation.read(tx, requests)
    const isUnproven = ({ email }: CodeRequest) => !reputations.get(email)!.isProven
    const codeCounts = await recentCodeCounts()
    const responses = new Map<CodeRequest, CodeRequestResponse>()
    const listUnanswered = () => requests.filter((request) => !responses.has(request))
    const difficultyFor = ({ email }: CodeRequest) => workForCode(reputations.get(email)!.neighbourhood, codeCounts)
    const askForWork = (request: CodeRequest, retrySeconds: number) =>
      responses.set(request, { ok: false, reason: 'trabajo', retrySeconds, difficulty: difficultyFor(request) })

    // Proven requests go first, so that they get the last codes of the day's mail quota.
    const quotaRoom = await readRemainingCodes(tx)
    const roomByNeighbourhood = new Map<string, number>()
    for (const request of requests.toSorted((a, b) => Number(isUnproven(a)) - Number(isUnproven(b)))) {
      const { email, neighbourhoodTrace } = request
      const neighbourhoodRoom =
        roomByNeighbourhood.get(neighbourhoodTrace) ?? codeRoomIn(reputations.get(email)!.neighbourhood)
      roomByNeighbourhood.set(neighbourhoodTrace, neighbourhoodRoom - 1)
      if (neighbourhoodRoom <= 0)
        responses.set(request, { ok: false, reason: 'red-llena', retrySeconds: NETWORK_FULL_RETRY_SECONDS })
      else if (quotaRoom.codes <= 0 || (isUnproven(request) && quotaRoom.unprovenCodes <= 0))
        responses.set(request, { ok: false, reason: 'cuota', retrySeconds: QUOTA_RETRY_SECONDS })
      else {
        quotaRoom.codes--
        if (isUnproven(request)) quotaRoom.unprovenCodes--
      }
    }

    // Requests without proof of work first count for their network, so that no network alone uses up the common limit.
    for (const [traceOfRequest, limit] of [
      [
        ({ subscriberTrace }: CodeRequest) => counterTraceOf('sin-trabajo', subscriberTrace),
        ATTEMPT_LIMITS.worklessNetwork,
      ],
      [() => counterTraceOf('sin-trabajo'), ATTEMPT_LIMITS.workless],
    ] as const) {
      const requestsWithoutWork = listUnanswered().filter(
        (request) => !isEnoughWork(request.doneWork, difficultyFor(request)),
      )
      const waits = await countByBucket(tx, requestsWithoutWork.map(traceOfRequest), limit)
      for (const [index, request] of requestsWithoutWork.entries())
        if (waits[index]! > 0) askForWork(request, waits[index]!)
    }

    const unansweredRequests = listUnanswered()
    const waits = await countByBucket(
      tx,
      unansweredRequests.map(({ networkTrace }) => counterTraceOf('envio-red', networkTrace)),
      ATTEMPT_LIMITS.codeRequestNetwork,
    )
    for (const [index, request] of unansweredRequests.entries())
      if (waits[index]! > 0) responses.set(request, { ok: false, reason: 'espera', retrySeconds: waits[index]! })

    const requestByTrace = new Map(listUnanswered().map((request) => [`envio:${browserTraceOf(request)}`, request]))
    for (const [trace, retrySeconds] of await countByBackoff(
      tx,
      [...requestByTrace.keys()],
      ATTEMPT_LIMITS.codeRequest,
    ))
      responses.set(requestByTrace.get(trace)!, { ok: false, reason: 'espera', retrySeconds })

    const requestsWithWork = listUnanswered().filter((request) =>
      isEnoughWork(request.doneWork, difficultyFor(request)),
    )
    const newlySpentFingerprints = await spendWork(
      tx,
      requestsWithWork.map(({ doneWork }) => doneWork!),
    )
    // A proof of work is valid for one request, even if two requests of a batch have the same proof.
    for (const request of requestsWithWork)
      if (!newlySpentFingerprints.delete(request.doneWork!.fingerprint)) askForWork(request, 1)

    const refusedBrowsers = await forgetRefusedCodes(tx, listUnanswered().map(browserTraceOf))
    for (const request of listUnanswered())
      if (refusedBrowsers.has(browserTraceOf(request))) responses.set(request, { ok: false, reason: 'rechazado' })

    const acceptedRequests = listUnanswered()
    if (acceptedRequests.length > 0) await issueCodes(tx, acceptedRequests, isUnproven)
    return requests.map((request) => responses.get(request) ?? { ok: true })
  }

  type Attempt = Parameters<SignInCodes['check']>[0]
  async function checkAll(tx: Services['db'], attempts: Attempt[]): Promise<CodeAttemptResponse[]> {
    const responses = new Map<Attempt, CodeAttemptResponse>()
    const waits = await countByBucket(
      tx,
      attempts.map(({ networkTrace }) => counterTraceOf('codigo-red', networkTrace)),
      ATTEMPT_LIMITS.codeAttemptNetwork,
    )
    for (const [index, attempt] of attempts.entries())
      if (waits[index]! > 0) responses.set(attempt, { ok: false, reason: 'espera', retrySeconds: waits[index]! })
    const listUnanswered = () => attempts.filter((attempt) => !responses.has(attempt))
    const attemptByTrace = new Map(listUnanswered().map((attempt) => [`codigo:${browserTraceOf(attempt)}`, attempt]))
    for (const [trace, retrySeconds] of await countByBackoff(
      tx,
      [...attemptByTrace.keys()],
      ATTEMPT_LIMITS.codeAttempt,
    ))
      responses.set(attemptByTrace.get(trace)!, { ok: false, reason: 'espera', retrySeconds })

    const attemptByBrowser = new Map(listUnanswered().map((attempt) => [browserTraceOf(attempt), attempt]))
    // Rows are locked in one order, including the rows of other browsers with the same mail, to avoid deadlocks.
    const { rows } = await sql<{ navegador: string; valor: string; envio: string }>`
      with held as materialized (
        select navegador from codigos
        where (direccion, envio) in
          (select direccion, envio from codigos where navegador = any(${[...attemptByBrowser.keys()]}::text[]))
        order by navegador for update)
      update codigos c set intentos = c.intentos + 1 from held
      where c.navegador = held.navegador and c.navegador = any(${[...attemptByBrowser.keys()]}::text[])
        and c.vence_at > now() and c.intentos < ${MAX_CODE_ATTEMPTS}
      returning c.navegador, c.valor, c.envio`.execute(tx)
    const rightRows = rows.filter(({ navegador, valor }) => {
      const attempt = attemptByBrowser.get(navegador)!
      return attempt.code !== undefined && isSameText(valor, codeHashOf(attempt, attempt.code))
    })
    const { rows: usedRows } = await sql<{ navegador: string; envio: string; red: string }>`
      delete from codigos where direccion = any(${rightRows.map(({ navegador }) => addressTraceOf(attemptByBrowser.get(navegador)!))}::text[])
        and envio = any(${rightRows.map(({ envio }) => envio)}::uuid[])
      returning navegador, envio, red`.execute(tx)
    // Of two browsers that try the code of the same mail at once, one signs in.
    const browserBySending = new Map(rightRows.map(({ navegador, envio }) => [envio, navegador]))
    for (const browser of browserBySending.values()) responses.set(attemptByBrowser.get(browser)!, { ok: true })
    await refundTraces(
      tx,
      usedRows.map(({ red }) => red),
      { perSecond: UNUSED_LEAK_PER_SECOND },
    )
    const signedInRows = usedRows.filter(({ envio, navegador }) => browserBySending.get(envio) === navegador)
    await networkReputation.addUsed(
      tx,
      signedInRows.map(({ red, navegador }) => ({ unusedTrace: red, email: attemptByBrowser.get(navegador)!.email })),
    )
    await addToMinuteCounts(tx, {
      sent: 0,
      used: browserBySending.size,
      failed: attemptByBrowser.size - browserBySending.size,
    })
    return attempts.map((attempt) => responses.get(attempt) ?? { ok: false, reason: 'credenciales' })
  }

  const inSharedTransaction = <Item extends Requester, Result>(
    run: (tx: Services['db'], items: Item[]) => Promise<Result[]>,
  ) =>
    batchWork((items: Item[]) => db.transaction().execute((tx) => run(tx, items)), {
      maxConcurrent: 1,
      maxItems: MAX_BATCH_ITEMS,
      keyOf: ({ email }) => email,
    })

  return {
    request: inSharedTransaction(requestAll),
    check: inSharedTransaction(checkAll),
    recordSignIn: inSharedTransaction(async (tx, signIns: (Requester & { userId: string; clientTrace: string })[]) => {
      await refundTraces(
        tx,
        signIns.map(({ networkTrace }) => counterTraceOf('codigo-red', networkTrace)),
        ATTEMPT_LIMITS.codeAttemptNetwork,
      )
      await forgetAttempts(
        tx,
        signIns.flatMap((signIn) => [`codigo:${browserTraceOf(signIn)}`, `envio:${browserTraceOf(signIn)}`]),
      )
      await bulkWriteAuditLog(
        tx,
        signIns.map(({ userId, clientTrace }) => ({
          actor: { quien: userId, desde: clientTrace },
          event: { que: 'acceso.codigo' },
        })),
      )
      return signIns.map(() => undefined)
    }),
    async findMailDelay(requester) {
      const browserTrace = browserTraceOf(requester)
      if ((await forgetRefusedCodes(db, [browserTrace])).size > 0) return 'refused'
      const { rows } = await sql`
        select from codigos join correos on idempotency_key = 'codigo:' || envio
        where navegador = ${browserTrace} and sent_at is null`.execute(db)
      return rows.length > 0 ? 'waiting' : undefined
    },
    neighbourhoodOf: (neighbourhoodTrace) => networkReputation.readNeighbourhood(db, neighbourhoodTrace),
  }
}
