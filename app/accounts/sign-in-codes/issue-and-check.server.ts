import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { readRemainingCodes } from '#app/accounts/data.server.ts'
import { codeLetter, passwordSignInLetter } from '#app/accounts/mails.server.ts'
import {
  CODE_MINUTES,
  type CodeCounts,
  codeRoomIn,
  LIMITS,
  MAX_CODE_ATTEMPTS,
  type Neighbourhood,
  UNUSED_LEAK_PER_SECOND,
  workForCode,
} from '#app/accounts/rules.ts'
import { fingerprintOf, isSameText } from '#app/accounts/sessions/cookies.server.ts'
import {
  addLevels,
  countByLimit,
  countByRate,
  forgetAttempts,
  refundByRate,
} from '#app/accounts/throttling/rate-limit.server.ts'
import { spendWork } from '#app/accounts/throttling/spent-work.server.ts'
import { bulkWriteAuditLog } from '#app/audit/mutations.server.ts'
import { batchWork } from '#app/core/concurrency/batching.server.ts'
import { isEnoughWork, type VerifiedWork } from '#app/core/http/proof-of-work.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { digitsOf } from '#app/core/text/random-codes.ts'
import { mailSenderOf, queueMail, queueMailBatch } from '#app/mail/mutations.server.ts'
import { createNetworkReputation } from './network-reputation.server.ts'

/** A requester is a browser that asks for a code or tries a code. */
interface Requester {
  email: string
  nonce: string
  /** A keyed hash of the network address. */
  network: string
}

interface CodeRequest extends Requester {
  /** Mail goes to the address as typed: only its mail server knows whether case matters before the @ (RFC 5321 §2.4). */
  deliveryAddress: string
  /** A keyed hash of one subscriber's network: an IPv4 address, or an IPv6 /48. */
  subscriberNetwork: string
  /** A keyed hash of the IPv4 /24 or IPv6 /48, whose used and unused codes are counted. */
  neighbourhood: string
  doneWork: VerifiedWork | undefined
}

type CodeRequestResponse =
  | { ok: true }
  | { ok: false; reason: 'espera' | 'red-llena' | 'cuota'; retrySeconds: number }
  /** The limit without work is used up. `attempts` is the number of tries that the work takes. */
  | { ok: false; reason: 'trabajo'; retrySeconds: number; attempts: number }

type CodeAttemptResponse =
  | { ok: true }
  | { ok: false; reason: 'espera'; retrySeconds: number }
  | { ok: false; reason: 'credenciales' }

export interface SignInCodes {
  /** Counts a request, puts the code in force and queues its message. */
  request(requested: CodeRequest): Promise<CodeRequestResponse>
  /** Tries a code; a right code is used up. The code is undefined where the typed text cannot be one. */
  check(attempt: Requester & { code: string | undefined }): Promise<CodeAttemptResponse>
  /** Takes back the attempts that the right code counted, and writes the audit log, after a sign-in. */
  recordSignIn(signIn: Requester & { userId: string; clientTrace: string }): Promise<void>
  /** Returns the open and used codes of a neighbourhood. @param neighbourhood its keyed hash */
  neighbourhoodOf(neighbourhood: string): Promise<Neighbourhood>
}

const MAX_BATCH_ITEMS = 250
/** The placeholder stands in the message for each voter's own code. */
const CODE_PLACEHOLDER = '######'
const DIGITS = 6
/** A refused browser waits this many seconds for neighbours to use their codes, or for mail to leave the 24-hour quota. */
const NETWORK_FULL_RETRY_SECONDS = 60
const QUOTA_RETRY_SECONDS = 3_600
/** Every keyed hash of a code contains the purpose, so that a hash made for one purpose is useless for another. */
const PURPOSE = 'entrar'

/**
 * Issues and checks codes for one process. A whole town may ask within minutes, so requests that come in during a
 * transaction go together into the next one.
 * @param recentCodeCounts the codes of the last minutes, over all processes
 */
export function createSignInCodes(
  services: Pick<Services, 'db' | 'settings' | 'keyed'>,
  recentCodeCounts: () => Promise<CodeCounts>,
): SignInCodes {
  const { db, keyed } = services
  const sender = mailSenderOf(services)
  const key = keyed('codigos')
  const [sendingKey, traceKey] = [keyed('codigos.envio'), keyed('codigos.rastro')]

  /** Returns a keyed hash of an address and the browser that asks for its code. */
  const browserIdOf = ({ email, nonce }: Requester) => fingerprintOf(key, PURPOSE, email, nonce).toString('base64url')
  const codeHashOf = ({ email, nonce }: Requester, code: string) =>
    fingerprintOf(key, PURPOSE, email, nonce, code).toString('base64url')
  /** Derives a message's code from the message's id by a key: the database has the id, but not the key. */
  const codeOf = (email: string, id: string) => digitsOf(fingerprintOf(sendingKey, PURPOSE, email, id), DIGITS)
  const counterTraceOf = (...parts: string[]) =>
    fingerprintOf(traceKey, ...parts)
      .toString('base64url')
      .slice(0, 22)
  const addressOf = ({ email }: Pick<Requester, 'email'>) => counterTraceOf('direccion', email)
  const networkReputation = createNetworkReputation(counterTraceOf)
  const { levelOf } = networkReputation

  /** Adds to the current minute's row. Callers do so last in a transaction, since every process locks that row. */
  const countMinute = (tx: Services['db'], { enviados, usados, fallos }: CodeCounts) =>
    enviados + usados + fallos === 0
      ? undefined
      : sql`
        insert into codigos_por_minuto (minuto, enviados, usados, fallos)
        values (date_trunc('minute', now()), ${enviados}, ${usados}, ${fallos})
        on conflict (minuto) do update set enviados = codigos_por_minuto.enviados + excluded.enviados,
          usados = codigos_por_minuto.usados + excluded.usados,
          fallos = codigos_por_minuto.fallos + excluded.fallos`.execute(tx)

  interface Sending {
    sendingId: string
    sentAt: Date | null
  }
  /** Finds the newest message to each address whose code is still valid. @returns hash of the address → message */
  async function findSendings(tx: Services['db'], addresses: string[]): Promise<Map<string, Sending>> {
    if (addresses.length === 0) return new Map()
    const { rows } = await sql<{ direccion: string; envio: string; enviado_at: Date }>`
      select distinct on (direccion) direccion, envio, enviado_at from codigos
      where direccion = any(${addresses}::text[]) and enviado_at > now() - make_interval(mins => ${CODE_MINUTES})
      order by direccion, enviado_at desc`.execute(tx)
    return new Map(
      rows.map(({ direccion, envio, enviado_at }) => [direccion, { sendingId: envio, sentAt: enviado_at }]),
    )
  }

  /** Puts codes in force. A code with `sentAt` null belongs to a message that this very transaction queues. */
  async function putInForce(tx: Services['db'], codes: (CodeRequest & Sending)[]): Promise<void> {
    const column = <T>(readCell: (one: CodeRequest & Sending) => T) => codes.map(readCell)
    await sql`
      insert into codigos (navegador, direccion, envio, enviado_at, valor, red, vence_at)
      select navegador, direccion, envio, coalesce(enviado_at, now()), valor, red,
        now() + make_interval(mins => ${CODE_MINUTES})
      from unnest(${column(browserIdOf)}::text[], ${column(addressOf)}::text[], ${column(({ sendingId }) => sendingId)}::uuid[],
        ${column(({ sentAt }) => sentAt)}::timestamptz[],
        ${column((one) => codeHashOf(one, codeOf(one.email, one.sendingId)))}::text[], ${column(({ neighbourhood }) => levelOf(neighbourhood))}::text[])
        as c (navegador, direccion, envio, enviado_at, valor, red)
      order by navegador
      on conflict (navegador) do update
        set envio = excluded.envio, enviado_at = excluded.enviado_at, valor = excluded.valor, intentos = 0,
          red = excluded.red, vence_at = excluded.vence_at`.execute(tx)
  }

  /**
   * Queues the messages of requests and puts their codes in force.
   * @param isForeign whether the neighbourhood or the mail domain of a request has not been seen to use its codes
   */
  async function send(
    tx: Services['db'],
    requests: CodeRequest[],
    isForeign: (one: CodeRequest) => boolean,
  ): Promise<void> {
    const waits = await countByRate(
      tx,
      requests.map((one) => counterTraceOf('mensajes', one.email)),
      LIMITS.codeMail,
    )
    const mayMail = new Set(requests.filter((_, at) => waits[at] === 0))
    const { rows } = await sql<{ email: string }>`
      select email from profiles
      where email = any(${requests.map(({ email }) => email)}::text[]) and role is not null`.execute(tx)
    const passwordAddresses = new Set(rows.map(({ email }) => email))
    const voters = requests.filter(({ email }) => !passwordAddresses.has(email))
    // An address over the limit gets no further message: its browser shares the code of the newest one.
    const sendings = await findSendings(tx, voters.filter((one) => !mayMail.has(one)).map(addressOf))
    const codes = voters.map((one) => ({
      ...one,
      ...(sendings.get(addressOf(one)) ?? { sendingId: randomUUID(), sentAt: null }),
    }))
    if (codes.length > 0) await putInForce(tx, codes)
    for (const one of requests)
      if (passwordAddresses.has(one.email) && mayMail.has(one))
        await queueMail(tx, {
          ...passwordSignInLetter(),
          to: one.email,
          sender,
          idempotencyKey: `puerta:${randomUUID()}`,
        })
    const newCodes = codes.filter(({ sentAt }) => sentAt === null)
    const queued = newCodes.map((one) => ({
      idempotencyKey: `codigo:${one.sendingId}`,
      to: one.deliveryAddress,
      ownPart: codeOf(one.email, one.sendingId),
      isForeign: isForeign(one),
    }))
    await queueMailBatch(tx, codeLetter(CODE_PLACEHOLDER, CODE_MINUTES), sender, CODE_PLACEHOLDER, queued)
    await addLevels(
      tx,
      requests.map(({ neighbourhood }) => levelOf(neighbourhood)),
      UNUSED_LEAK_PER_SECOND,
    )
    await countMinute(tx, { enviados: newCodes.length, usados: 0, fallos: 0 })
  }

  async function requestAll(tx: Services['db'], requests: CodeRequest[]): Promise<CodeRequestResponse[]> {
    const reputations = await networkReputation.read(tx, requests)
    const isForeign = (one: CodeRequest) => reputations.get(one.email)!.isForeign
    const codes = await recentCodeCounts()
    const answers = new Map<CodeRequest, CodeRequestResponse>()
    const listUnanswered = () => requests.filter((one) => !answers.has(one))
    const attemptsNeededFor = (one: CodeRequest) => workForCode(reputations.get(one.email)!.neighbourhood, codes)
    const askForWork = (one: CodeRequest, retrySeconds: number) =>
      answers.set(one, { ok: false, reason: 'trabajo', retrySeconds, attempts: attemptsNeededFor(one) })

    // Proven requests go first within a batch, so that they get the last codes of the day's mail quota.
    const remaining = await readRemainingCodes(tx)
    const roomByNeighbourhood = new Map<string, number>()
    for (const one of requests.toSorted((a, b) => Number(isForeign(a)) - Number(isForeign(b)))) {
      const room = roomByNeighbourhood.get(one.neighbourhood) ?? codeRoomIn(reputations.get(one.email)!.neighbourhood)
      roomByNeighbourhood.set(one.neighbourhood, room - 1)
      if (room <= 0) answers.set(one, { ok: false, reason: 'red-llena', retrySeconds: NETWORK_FULL_RETRY_SECONDS })
      else if (remaining.codes <= 0 || (isForeign(one) && remaining.unprovenCodes <= 0))
        answers.set(one, { ok: false, reason: 'cuota', retrySeconds: QUOTA_RETRY_SECONDS })
      else {
        remaining.codes--
        if (isForeign(one)) remaining.unprovenCodes--
      }
    }

    // Requests without work count against the limit of their network first, so that no network uses up the limit of all.
    for (const [traceOfRequest, limit] of [
      [
        ({ subscriberNetwork }: CodeRequest) => counterTraceOf('sin-trabajo', subscriberNetwork),
        LIMITS.worklessNetwork,
      ],
      [() => counterTraceOf('sin-trabajo'), LIMITS.workless],
    ] as const) {
      const requestsWithoutWork = listUnanswered().filter((one) => !isEnoughWork(one.doneWork, attemptsNeededFor(one)))
      const waits = await countByRate(tx, requestsWithoutWork.map(traceOfRequest), limit)
      for (const [at, one] of requestsWithoutWork.entries()) if (waits[at]! > 0) askForWork(one, waits[at]!)
    }

    const unanswered = listUnanswered()
    const waitSeconds = await countByRate(
      tx,
      unanswered.map(({ network }) => counterTraceOf('envio-red', network)),
      LIMITS.codeRequestNetwork,
    )
    for (const [at, one] of unanswered.entries())
      if (waitSeconds[at]! > 0) answers.set(one, { ok: false, reason: 'espera', retrySeconds: waitSeconds[at]! })

    const requestByTrace = new Map(listUnanswered().map((one) => [`envio:${browserIdOf(one)}`, one]))
    for (const [trace, retrySeconds] of await countByLimit(tx, [...requestByTrace.keys()], LIMITS.codeRequest))
      answers.set(requestByTrace.get(trace)!, { ok: false, reason: 'espera', retrySeconds })

    const requestsWithWork = listUnanswered().filter((one) => isEnoughWork(one.doneWork, attemptsNeededFor(one)))
    const works = requestsWithWork.map(({ doneWork }) => doneWork!)
    const unspentFingerprints = await spendWork(tx, works)
    // A piece of work serves one request, also when two requests bring it at once.
    for (const one of requestsWithWork) if (!unspentFingerprints.delete(one.doneWork!.fingerprint)) askForWork(one, 1)

    const free = listUnanswered()
    if (free.length > 0) await send(tx, free, isForeign)
    return requests.map((one) => answers.get(one) ?? { ok: true })
  }

  type Attempt = Parameters<SignInCodes['check']>[0]
  async function checkAll(tx: Services['db'], attempts: Attempt[]): Promise<CodeAttemptResponse[]> {
    const answers = new Map<Attempt, CodeAttemptResponse>()
    const waits = await countByRate(
      tx,
      attempts.map(({ network }) => counterTraceOf('codigo-red', network)),
      LIMITS.codeAttemptNetwork,
    )
    for (const [at, one] of attempts.entries())
      if (waits[at]! > 0) answers.set(one, { ok: false, reason: 'espera', retrySeconds: waits[at]! })
    const requestByTrace = new Map<string, Attempt>(
      attempts.filter((one) => !answers.has(one)).map((one) => [`codigo:${browserIdOf(one)}`, one]),
    )
    for (const [trace, retrySeconds] of await countByLimit(tx, [...requestByTrace.keys()], LIMITS.codeAttempt))
      answers.set(requestByTrace.get(trace)!, { ok: false, reason: 'espera', retrySeconds })

    const free = new Map(attempts.filter((one) => !answers.has(one)).map((one) => [browserIdOf(one), one]))
    // Rows are locked in one order, those of other browsers with the same message included, to avoid deadlocks.
    const { rows } = await sql<{ navegador: string; valor: string; envio: string }>`
      with held as materialized (
        select navegador from codigos
        where (direccion, envio) in
          (select direccion, envio from codigos where navegador = any(${[...free.keys()]}::text[]))
        order by navegador for update)
      update codigos c set intentos = c.intentos + 1 from held
      where c.navegador = held.navegador and c.navegador = any(${[...free.keys()]}::text[])
        and c.vence_at > now() and c.intentos < ${MAX_CODE_ATTEMPTS}
      returning c.navegador, c.valor, c.envio`.execute(tx)
    const rightRows = rows.filter(({ navegador, valor }) => {
      const one = free.get(navegador)!
      return one.code !== undefined && isSameText(valor, codeHashOf(one, one.code))
    })
    const used = await sql<{ navegador: string; envio: string; red: string }>`
      delete from codigos where direccion = any(${rightRows.map(({ navegador }) => addressOf(free.get(navegador)!))}::text[])
        and envio = any(${rightRows.map(({ envio }) => envio)}::uuid[])
      returning navegador, envio, red`.execute(tx)
    // Of two browsers that bring the code of one message at once, one signs in.
    const browserByMessage = new Map(rightRows.map(({ navegador, envio }) => [envio, navegador]))
    for (const browser of browserByMessage.values()) answers.set(free.get(browser)!, { ok: true })
    await refundByRate(
      tx,
      used.rows.map(({ red }) => red),
      { perSecond: UNUSED_LEAK_PER_SECOND },
    )
    const signedInRows = used.rows.filter(({ envio, navegador }) => browserByMessage.get(envio) === navegador)
    await networkReputation.addUsed(
      tx,
      signedInRows.map(({ red, navegador }) => ({ level: red, email: free.get(navegador)!.email })),
    )
    await countMinute(tx, { enviados: 0, usados: browserByMessage.size, fallos: free.size - browserByMessage.size })
    return attempts.map((one) => answers.get(one) ?? { ok: false, reason: 'credenciales' })
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
    recordSignIn: inSharedTransaction(async (tx, hits: (Requester & { userId: string; clientTrace: string })[]) => {
      await refundByRate(
        tx,
        hits.map(({ network }) => counterTraceOf('codigo-red', network)),
        LIMITS.codeAttemptNetwork,
      )
      await forgetAttempts(
        tx,
        hits.flatMap((one) => [`codigo:${browserIdOf(one)}`, `envio:${browserIdOf(one)}`]),
      )
      await bulkWriteAuditLog(
        tx,
        hits.map((hit) => ({ actor: { quien: hit.userId, desde: hit.clientTrace }, event: { que: 'acceso.codigo' } })),
      )
      return hits.map(() => undefined)
    }),
    neighbourhoodOf: (neighbourhood) => networkReputation.readOne(db, neighbourhood),
  }
}
