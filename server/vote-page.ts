import { createHash, randomInt } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Session } from '#app/accounts/sessions/store.server.ts'
import { displayedEdition, loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { ORDER_HEADER, pathOfNamedCandidate, placesOfVote, visitOf } from '#app/voting/ballot/vote-request.server.ts'
import { readWinnerVersion } from '#app/voting/election/data.server.ts'
import { GOOGLE_FAILURE_PARAM, orderCount, placeCount, readVote } from '#app/voting/election/rules.ts'
import { clientAddress } from './client-address.ts'
import { type Ready, readyToSend, send } from './pages.ts'
import { renderDynamic } from './render.ts'
import type { Site } from './services.ts'

/** A shared page, and the countdown in it, may be this many milliseconds old; a hydrated page asks for the time itself. */
const FRESH_MS = 30_000
const MAX_CACHED = 600

interface CachedPage {
  ready: Promise<Ready | undefined>
  untilMs: number
}

/**
 * Returns whether a query asks for a personal answer: the outcome of Google's sign-in, or a part of the page that the router asks
 * for.
 */
const isPersonal = (query: URLSearchParams): boolean =>
  [...query.keys()].some((name) => name === GOOGLE_FAILURE_PARAM || name.startsWith('_'))

/** A page for all signed-in visitors is rendered under this session, so that nothing personal can get into the page. */
const ANYONE: Session = {
  userId: '',
  email: '',
  name: '',
  role: null,
  expiresAt: new Date(0),
  remainingMs: 0,
  resultsAccessMs: 0,
  isRecentlyAuthenticated: false,
  secondFactor: null,
}

/**
 * Creates a handler that answers the vote's page from memory in a rush, like the prerendered pages: the page differs only by the
 * result of `visitOf` and by whether the visitor is signed in.
 */
export function shareVotePage(site: Site) {
  const { services, accounts } = site
  const cachedPages = new Map<string, CachedPage>()
  const { publicUrl, hsts } = services.settings
  const tls = { secure: publicUrl.startsWith('https:'), hsts }

  // Any process may seal the record, or proclaim a winner, change or take back the proclamation; the next visitor must see it. A
  // visitor who comes during a reading waits for the next one, shared with all who come: the current reading may have started too
  // early.
  let latestResult = ''
  let reading: Promise<string> | undefined
  let next: Promise<string> | undefined
  const readProclaimed = (): Promise<string> => {
    if (reading) {
      next ??= reading.then(() => {
        next = undefined
        return readProclaimed()
      })
      return next
    }
    reading = readWinnerVersion(services.db)
      .then((result) => {
        latestResult = result
      })
      // While the database does not answer, the page stays as it was.
      .catch((error: unknown) => services.log.warn({ err: error }, 'the winner could not be read'))
      .then(() => {
        reading = undefined
        return latestResult
      })
    return reading
  }

  async function render(
    url: string,
    headers: Headers,
    client: string,
    session: Session | undefined,
  ): Promise<Ready | undefined> {
    const request = new Request(new URL(url, publicUrl), { headers })
    const anyone = { ...site, accounts: { ...accounts, getSession: async () => session } }
    const answer = await renderDynamic(request, anyone, { id: '', nonce: '', client })
    if (answer.status !== 200) return undefined
    const type = answer.headers.get('content-type') ?? ''
    return readyToSend(Buffer.from(await answer.arrayBuffer()), { 'content-type': type }, tls, 'quick')
  }

  /**
   * Answers a request. @returns false when the request is for another page; `otherwise` is called when this page cannot be shared
   */
  return (request: IncomingMessage, response: ServerResponse, otherwise: () => void): boolean => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false
    const [, path, query = ''] = /^(\/misspopularidad(?:\.data)?)(?:\?(.*))?$/.exec(request.url ?? '') ?? []
    if (path === undefined) return false
    const params = new URLSearchParams(query)
    if (isPersonal(params)) return false
    const headers = new Headers()
    for (const name of ['user-agent', 'sec-fetch-site', 'referer', 'host'] as const) {
      const value = request.headers[name]
      if (typeof value === 'string') headers.set(name, value)
    }
    const forwarded = request.headers['x-forwarded-for']
    const client = clientAddress(
      request.socket.remoteAddress,
      Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
      services.settings.trustedProxies,
    )
    const { cookie } = request.headers
    const findSession = async () =>
      cookie?.includes('certamen.')
        ? accounts.getSession(new Request(services.settings.publicUrl, { headers: { cookie } }))
        : undefined
    const answer = async () => {
      const now = services.clock.now()
      const edition = await loadEdition()
      if (pathOfNamedCandidate(params, edition)) return otherwise()
      // The page depends on `vote` alone; other parameters, which social networks add to links, are dropped.
      const votePlace = readVote(params, placeCount(placesOfVote(edition)))
      const url = votePlace === undefined ? path : `${path}?vote=${votePlace}`
      const ownSession = await findSession()
      const session = ownSession && ANYONE
      // A signed-in visitor always gets the same order of candidates.
      const order = ownSession
        ? createHash('sha256').update(ownSession.userId).digest().readUInt32BE(0)
        : randomInt(2 ** 32)
      headers.set(ORDER_HEADER, String(order % orderCount(edition.candidatas.length)))
      const pageRequest = new Request(new URL(url, publicUrl), { headers })
      const { isVoteOpen, vote, isCrossSite, order: shownOrder } = visitOf(pageRequest, { client }, edition, now)
      const winner = isVoteOpen ? '' : await readProclaimed()
      const { publicationId } = displayedEdition() ?? {}
      const phase = JSON.stringify(site.phases.at(now))
      const key = [publicationId, url, isVoteOpen, vote, isCrossSite, shownOrder, Boolean(session), winner, phase].join(
        ' ',
      )
      let found = cachedPages.get(key)
      if (!found || found.untilMs < performance.now()) {
        const before = found?.ready
        const ready = render(url, headers, client, session).then((made) => made ?? before)
        const entry = { ready, untilMs: performance.now() + FRESH_MS }
        found = entry
        cachedPages.delete(key)
        cachedPages.set(key, entry)
        // The winner may have changed between the reading and the rendering. The page then does not fit its key, and is dropped.
        const isAsKept = async () => {
          await ready
          return isVoteOpen || (await readProclaimed()) === winner
        }
        isAsKept()
          .catch(() => false)
          .then((is) => !is && cachedPages.get(key) === entry && cachedPages.delete(key))
        if (cachedPages.size > MAX_CACHED) cachedPages.delete(cachedPages.keys().next().value!)
      }
      const ready = await found.ready
      if (ready) send(ready, request, response)
      else {
        cachedPages.delete(key)
        otherwise()
      }
    }
    answer().catch((error: unknown) => {
      services.log.warn({ err: error }, 'the vote’s page could not be answered from memory')
      if (!response.headersSent) otherwise()
    })
    return true
  }
}
