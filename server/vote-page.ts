import { createHash, randomInt } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Session } from '#app/accounts/sessions/store.server.ts'
import { displayedEdition, loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import {
  contestFactsOf,
  ORDER_HEADER,
  pathOfNamedCandidate,
  placesOfVote,
} from '#app/voting/ballot/vote-request.server.ts'
import { readWinnerVersion } from '#app/voting/election/data.server.ts'
import { GOOGLE_FAILURE_PARAM, orderCount, placeCount, readVote } from '#app/voting/election/rules.ts'
import { clientOf } from './client-address.ts'
import { type CompressedResponse, compressResponse, sendCompressed } from './pages.ts'
import { renderDynamic } from './render.ts'
import type { Site } from './services.ts'

/** Age at which a shared page, with its countdown, is rendered anew; a hydrated page fetches the time itself. */
const MAX_AGE_MS = 30_000
/** Beyond this number, the page that was rendered longest ago is dropped. */
const MAX_CACHED_PAGES = 600

interface CachedPage {
  /** If the page cannot be shared, resolves to the response before it, or to undefined if there is none. */
  response: Promise<CompressedResponse | undefined>
  expiresAtMs: number
}

/** Returns whether a query needs a personal response: the outcome of Google's sign-in, or a part of the page for the router. */
const isPersonal = (query: URLSearchParams): boolean =>
  [...query.keys()].some((name) => name === GOOGLE_FAILURE_PARAM || name.startsWith('_'))

/** Replaces every signed-in visitor's session in a shared page, so that the page cannot contain personal data. */
const ANONYMOUS_SESSION: Session = {
  userId: '',
  email: '',
  name: '',
  role: null,
  expiresAt: new Date(0),
  remainingMs: 0,
  remainingResultsAccessMs: 0,
  isRecentlyAuthenticated: false,
  secondFactor: null,
}

/**
 * Creates a handler that serves the vote's page from memory, like the prerendered pages, since of a request the page depends only
 * on the result of `contestFactsOf` and on whether the visitor is signed in.
 */
export function shareVotePage(site: Site) {
  const { services, accounts, visits } = site
  const cachedPages = new Map<string, CachedPage>()
  const { publicUrl, hsts } = services.settings
  const security = { isHttps: publicUrl.startsWith('https:'), hsts }

  // Any process may seal the record, or change the proclamation of the winner, and the next visitor must see the change. So a
  // visitor who comes while the winner is being read waits for the next reading, since the current one may have begun before the
  // change; all visitors who come in the meantime share the next reading.
  let latestWinnerVersion = ''
  let reading: Promise<string> | undefined
  let nextReading: Promise<string> | undefined
  const readSharedWinnerVersion = (): Promise<string> => {
    if (reading) {
      nextReading ??= reading.then(() => {
        nextReading = undefined
        return readSharedWinnerVersion()
      })
      return nextReading
    }
    reading = readWinnerVersion(services.db)
      .then((winnerVersion) => {
        latestWinnerVersion = winnerVersion
      })
      // If the database does not answer, the page keeps the latest known winner.
      .catch((error: unknown) => services.log.warn({ err: error }, 'the winner could not be read'))
      .then(() => {
        reading = undefined
        return latestWinnerVersion
      })
    return reading
  }

  async function render(
    url: string,
    headers: Headers,
    client: string,
    session: Session | undefined,
  ): Promise<CompressedResponse | undefined> {
    const request = new Request(new URL(url, publicUrl), { headers })
    const siteWithSession = { ...site, accounts: { ...accounts, getSession: async () => session } }
    const renderedPage = await renderDynamic(request, siteWithSession, { id: '', nonce: '', client })
    if (renderedPage.status !== 200) return undefined
    const type = renderedPage.headers.get('content-type') ?? ''
    return compressResponse(Buffer.from(await renderedPage.arrayBuffer()), { 'content-type': type }, security, 'quick')
  }

  /**
   * Answers from memory, and counts the visit.
   * @param answerDynamically is called when the page cannot be shared
   * @returns false if the request does not read the vote's page, or needs a personal response
   */
  return (request: IncomingMessage, response: ServerResponse, answerDynamically: () => void): boolean => {
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
    const client = clientOf(request, services.settings.trustedProxies)
    const { cookie } = request.headers
    const findSession = async () =>
      cookie?.includes('certamen.')
        ? accounts.getSession(new Request(services.settings.publicUrl, { headers: { cookie } }))
        : undefined
    const answerFromMemory = async () => {
      const now = services.clock.now()
      const edition = await loadEdition()
      // A redirected visit is counted at the page that it leads to.
      if (pathOfNamedCandidate(params, edition)) return answerDynamically()
      visits.countScreen(request)
      // The page depends on `vote` alone; other parameters, which social networks add to links, are dropped.
      const votePlace = readVote(params, placeCount(placesOfVote(edition)))
      const url = votePlace === undefined ? path : `${path}?vote=${votePlace}`
      const ownSession = await findSession()
      const session = ownSession && ANONYMOUS_SESSION
      // A signed-in visitor always gets the same order of candidates.
      const order = ownSession
        ? createHash('sha256').update(ownSession.userId).digest().readUInt32BE(0)
        : randomInt(2 ** 32)
      headers.set(ORDER_HEADER, String(order % orderCount(edition.candidatas.length)))
      const pageRequest = new Request(new URL(url, publicUrl), { headers })
      const {
        isVoteOpen,
        isOpeningAhead,
        votePlace: checkedPlace,
        isCrossSite,
        order: shownOrder,
      } = contestFactsOf(pageRequest, { client }, edition, now)
      const winnerVersion = isVoteOpen ? '' : await readSharedWinnerVersion()
      const { publicationId } = displayedEdition() ?? {}
      const phase = JSON.stringify(site.phases.at(now))
      const flags = [isVoteOpen, isOpeningAhead, isCrossSite, Boolean(session)]
      const key = [publicationId, url, ...flags, checkedPlace, shownOrder, winnerVersion, phase].join(' ')
      let cachedPage = cachedPages.get(key)
      if (!cachedPage || cachedPage.expiresAtMs < performance.now()) {
        const previousResponse = cachedPage?.response
        const renderedPage = render(url, headers, client, session).then((page) => page ?? previousResponse)
        const entry = { response: renderedPage, expiresAtMs: performance.now() + MAX_AGE_MS }
        cachedPage = entry
        cachedPages.delete(key)
        cachedPages.set(key, entry)
        // The winner may have changed between the reading and the rendering. Then the page does not match its key, and is dropped.
        const matchesKey = async () => {
          await renderedPage
          return isVoteOpen || (await readSharedWinnerVersion()) === winnerVersion
        }
        matchesKey()
          .catch(() => false)
          .then((isMatch) => !isMatch && cachedPages.get(key) === entry && cachedPages.delete(key))
        if (cachedPages.size > MAX_CACHED_PAGES) cachedPages.delete(cachedPages.keys().next().value!)
      }
      const sharedPage = await cachedPage.response
      if (sharedPage) sendCompressed(sharedPage, request, response)
      else {
        cachedPages.delete(key)
        answerDynamically()
      }
    }
    answerFromMemory().catch((error: unknown) => {
      services.log.warn({ err: error }, 'the vote’s page could not be answered from memory')
      if (!response.headersSent) answerDynamically()
    })
    return true
  }
}
