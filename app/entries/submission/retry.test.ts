import { expect, test } from 'vitest'
import {
  isBlockedOnTheWay,
  judgeOutcome as judgeBy,
  mustShowFault,
  NO_FAULTS,
  parseRetryAfter,
  type RequestOutcome,
  withFault,
} from '#app/core/uploads/retry-policy.ts'
import { retryWaitMs, WAIT_MESSAGES } from '#app/core/uploads/retry-wait.ts'
import {
  faultMessageOf,
  REGISTRATION_MESSAGES,
  type RefusalReason,
  statusOf,
  UNNUMBERED_FAULT_MESSAGE,
} from './schema.ts'

const judge = (outcome: RequestOutcome) => judgeBy(outcome, faultMessageOf)
const refusal = (reason: RefusalReason, message = 'Así lo dice el servidor.') => ({ reason, message })

test.each<[string, RequestOutcome]>([
  ['a line that is cut, or silent', { status: 0 }],
  ['a timeout of the request', { status: 408 }],
  ['an upload that another request holds', { status: 423 }],
  ['an offset that went on elsewhere', { status: 409, refusal: refusal('subidaDesfasada') }],
  ['a conflict without a reason', { status: 409 }],
  ['the site starting', { status: 503, retryAfterSeconds: 2 }],
  ['a proxy of ours that finds no site', { status: 502, retryAfterSeconds: 30 }],
  ['a site that said nothing more', { status: 504, retryAfterSeconds: 30 }],
  ['another process that has it in hand', { status: 503, refusal: refusal('guardando') }],
])('%s is tried again without end', (_, outcome) => {
  expect(judge(outcome)).toEqual({ kind: 'wait', waitReason: 'retrying' })
})

test.each([
  200, 201, 204, 302,
])('an answer %i that is none of ours, as a hotel’s network gives, says so and is tried again without end', (status) => {
  expect(judge({ status })).toEqual({ kind: 'wait', waitReason: 'blocked' })
  expect(WAIT_MESSAGES.blocked).toMatch(/Tu red.*datos de tu teléfono/)
})

test.each([400, 403, 404, 405, 411, 413, 451, 501, 505])('a filter’s %i names the cause and the way out', (status) => {
  expect(judge({ status })).toEqual({ kind: 'refusal', reason: 'filtro', message: REGISTRATION_MESSAGES.filtro })
  expect(REGISTRATION_MESSAGES.filtro).toMatch(
    /filtro de la escuela.*Lo que escribiste y elegiste sigue aquí.*datos de tu teléfono/,
  )
})

test('another way is tried after a filter’s answer or a request it took apart; other refusals are reported or waited for', () => {
  for (const status of [200, 403, 405, 501]) expect(isBlockedOnTheWay(judge({ status })), String(status)).toBe(true)
  for (const reason of ['peticion', 'metodo', 'entrega'] as const)
    expect(isBlockedOnTheWay(judge({ status: statusOf(reason), refusal: refusal(reason) })), reason).toBe(true)
  for (const reason of ['archivoTipo', 'cerrado', 'sinEspacio', 'limite', 'subidaDesfasada'] as const)
    expect(isBlockedOnTheWay(judge({ status: statusOf(reason), refusal: refusal(reason) })), reason).toBe(false)
  for (const status of [0, 408, 502]) expect(isBlockedOnTheWay(judge({ status })), String(status)).toBe(false)
})

test('too much at once waits, and says that the site is busy', () => {
  for (const outcome of [
    { status: 429 },
    { status: 429, refusal: refusal('saturado'), retryAfterSeconds: 300 },
  ] satisfies RequestOutcome[])
    expect(judge(outcome)).toEqual({ kind: 'wait', waitReason: 'busy' })
  // For a network's limit, another connection would help.
  expect(judge({ status: 429, refusal: refusal('limite') })).toEqual({ kind: 'wait', waitReason: 'limit' })
})

test('a fault of ours says its number: in the site’s own words, or by the header of its answer', () => {
  const message = REGISTRATION_MESSAGES.falla('abcd-efgh')
  expect(judge({ status: 500, refusal: refusal('falla', message), requestId: 'xxxx-yyyy' })).toEqual({
    kind: 'fault',
    message,
    isOfTheSite: true,
  })
  for (const status of [500, 502, 503, 504, 520])
    expect(judge({ status, requestId: 'abcd-efgh' }), String(status)).toEqual({
      kind: 'fault',
      message,
      isOfTheSite: true,
    })
})

test('an answer by a proxy alone has no fault number, and none is invented', () => {
  for (const status of [500, 502, 503, 504])
    expect(judge({ status }), String(status)).toEqual({
      kind: 'fault',
      message: UNNUMBERED_FAULT_MESSAGE,
      isOfTheSite: false,
    })
  expect(UNNUMBERED_FAULT_MESSAGE).not.toMatch(/número|undefined/)
})

test('a refusal of the server is reported at once, a full disk included', () => {
  for (const reason of ['archivoTipo', 'cerrado', 'sinEspacio', 'yaRecibido', 'peticion'] as const)
    expect(judge({ status: statusOf(reason), refusal: refusal(reason) }), reason).toEqual({
      kind: 'refusal',
      ...refusal(reason),
    })
  // A full disk that a proxy alone reports is a fault like any other.
  expect(judge({ status: 507 }).kind).toBe('fault')
})

test('a fault is tried three times, and reported at the third', () => {
  const first = withFault(NO_FAULTS, 1_000)
  const second = withFault(first, 4_000)
  const third = withFault(second, 13_000)
  expect([first, second, third].map((faults) => mustShowFault(faults, 13_000))).toEqual([false, false, true])
  expect(third).toEqual({ count: 3, sinceMs: 1_000 })
})

test('a fault is reported after half a minute at the latest', () => {
  const second = withFault(withFault(NO_FAULTS, 0), 30_000)
  expect(mustShowFault(second, 29_999)).toBe(false)
  expect(mustShowFault(second, 30_000)).toBe(true)
})

test('the pauses between the three tries stay within the half minute, with any random share', () => {
  const longest = [0, 1].map((attempt) => retryWaitMs(attempt, 'fault', undefined, 1))
  expect(longest.reduce((sum, ms) => sum + ms)).toBeLessThan(30_000)
  expect(retryWaitMs(0, 'fault', undefined, 0)).toBeGreaterThan(1_000)
})

test('a cut line is tried at once, then ever more rarely, but at least every 20 seconds', () => {
  const pauses = Array.from({ length: 9 }, (_, attempt) => retryWaitMs(attempt, 'retrying', undefined, 0.5))
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000, 15_000])
  expect(retryWaitMs(99, 'retrying', undefined, 1)).toBeLessThan(20_000)
})

test('the server’s retry-after is respected; a header without seconds is ignored', () => {
  expect(retryWaitMs(0, 'busy', parseRetryAfter('300'), 0)).toBe(300_000)
  for (const header of [undefined, null, '', 'Wed, 21 Oct 2026 07:28:00 GMT', '-3'])
    expect(retryWaitMs(0, 'busy', parseRetryAfter(header), 0.5), String(header)).toBe(500)
})
