import { useCallback, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate, useNavigationType } from 'react-router'
import type { CurrentSession } from '#app/accounts/schema.ts'
import { announceSession } from '#app/accounts/sessions/browser-signals.ts'
import { newUuid } from '#app/core/text/uuid.ts'
import { afterPaint } from '#app/ui/deferred/after-paint.ts'
import { NO_GOOGLE_PARAM, type Places, readPlace } from '#app/voting/election/rules.ts'
import { VOTE_WINDOW } from './load-vote-window.ts'
import { recallVote } from './remembered-vote.ts'
import type { Step, Votable, VoteAnswer, WindowStep } from './schema.ts'
import { stepAfter } from './step-after.ts'

interface Options {
  /** Whether the vote was open when the page was rendered. */
  isVoteOpen: boolean
  /** Whether the visitor followed a link on another site. */
  isCrossSite: boolean
  /** The candidates' places in the vote's order. */
  places: Places
  candidates: readonly Pick<Votable, 'votePlace' | 'id'>[]
  /** The step after a form that was sent without the page's script. */
  initialStep: WindowStep | undefined
  /** Called when the vote turns out to have closed since the page was rendered. */
  onClosed: () => void
}

/** Drives a vote as a state machine, from an arrival with `?vote=` to the receipt (§4, D24, D25). */
export function useVote({ isVoteOpen, isCrossSite, places, candidates, initialStep, onClosed }: Options) {
  const { search, key } = useLocation()
  const navigationType = useNavigationType()
  const navigate = useNavigate()
  const [state, setState] = useState<Step>({ name: 'idle' })
  /**
   * `attempts` maps a candidate's place to an idempotency key, kept until its answer is known, so that a retry is the same vote.
   */
  const attempts = useRef(new Map<number, string>())

  /** The reference holds the key of the navigation that was handled last. */
  const handledKey = useRef<string>(undefined)
  /**
   * `turn` is incremented to cancel the work under way: by another arrival, a closed window or an unmount. A vote already sent
   * still counts.
   */
  const latestTurn = useRef(0)
  useEffect(
    () => () => {
      latestTurn.current++
    },
    [],
  )

  /** Removes `?vote=` from the address, and from the history entry that Back would lead to. */
  const clear = useCallback(() => navigate('/misspopularidad', { replace: true, preventScrollReset: true }), [navigate])
  const end = useCallback(
    (step: WindowStep) => {
      setState(step)
      clear()
    },
    [clear],
  )

  const cast = useCallback(
    async (vote: number) => {
      if (!attempts.current.has(vote)) attempts.current.set(vote, newUuid())
      const shownCandidate = candidates.find(({ votePlace }) => votePlace === vote)
      const body = new URLSearchParams({
        vote: String(vote),
        intento: attempts.current.get(vote)!,
        ...(shownCandidate && { candidata: shownCandidate.id }),
      })
      setState({ name: 'sending', vote, isWorking: false })
      for (;;) {
        const answer = await fetchJson<VoteAnswer>('/misspopularidad/voto', { method: 'POST', body })
        if (!answer) return setState({ name: 'no-answer', vote })
        if (answer.ok || !answer.reto) {
          const next = stepAfter(answer, vote)
          if (next.name === 'sign-in' || next.name === 'work-failed') return setState(next)
          // The next press after an answer is a new attempt.
          attempts.current.delete(vote)
          if (next.name !== 'closed') return end(next)
          setState(next)
          // The navigation goes first, since it would cancel a revalidation that runs beside it.
          await clear()
          return onClosed()
        }
        setState({ name: 'sending', vote, isWorking: true })
        const proof = await import('#app/core/http/proof-of-work.client.ts').catch(() => undefined)
        if (proof === undefined) return setState({ name: 'no-answer', vote })
        const solution = await proof.solveWork(answer.reto)
        if (solution === undefined) return setState({ name: 'work-failed', vote })
        body.set('reto', JSON.stringify(answer.reto))
        body.set('respuesta', solution)
      }
    },
    [end, clear, onClosed, candidates],
  )

  /** Loads the window, before which no vote begins. @returns false if the window cannot be loaded or another arrival came */
  const open = useCallback(async () => {
    if (VOTE_WINDOW.now()) return true
    const startTurn = latestTurn.current
    setState({ name: 'opening' })
    const voteWindow = await VOTE_WINDOW.fetch()
    if (latestTurn.current !== startTurn) return false
    if (!voteWindow) setState({ name: 'window-missing' })
    return voteWindow !== undefined
  }, [])

  /**
   * Handles an arrival with a vote.
   * @param mustConfirm whether the visitor must confirm the vote first; false after the page's own buttons
   */
  const arrive = useCallback(
    async (vote: number, mustConfirm: boolean) => {
      const startTurn = latestTurn.current
      const [session, isOpen] = await Promise.all([
        fetchJson<CurrentSession | null>('/sesion', { cache: 'no-store' }),
        open(),
      ])
      // A cancelled arrival casts no vote.
      if (!isOpen || latestTurn.current !== startTurn) return
      // Marks the device as signed in, also after a sign-in with Google, so that every footer offers to sign out.
      if (session) announceSession()
      if (session === undefined) setState({ name: 'no-answer', vote })
      else if (session === null) setState({ name: 'sign-in', vote })
      else if (mustConfirm) setState({ name: 'confirm', vote })
      else await cast(vote)
    },
    [cast, open],
  )

  /** Begins a vote by a button of the page, which looks pressed until the navigation. */
  const choose = (vote: number, pressed: HTMLElement | null = null) =>
    afterPaint(() => navigate(`/misspopularidad?vote=${vote}`, { replace: true, preventScrollReset: true }), pressed)

  useEffect(() => {
    // Each navigation is handled once, whichever other dependency changes.
    if (handledKey.current === key) return
    handledKey.current = key
    latestTurn.current++
    const isFresh = takeArrival()
    const query = new URLSearchParams(search)
    const vote = readPlace(query, places)
    const endWith = async (step: WindowStep) => (await open()) && end(step)
    // The result of a form sent without the page's script outranks the address.
    if (initialStep) void open().then((isOpen) => isOpen && setState(initialStep))
    else if (query.has(NO_GOOGLE_PARAM) && isVoteOpen) void endWith({ name: 'google-failed', vote: recallVote(places) })
    else if (vote === 'withdrawn') void endWith({ name: 'withdrawn' })
    else if (vote !== undefined && !isVoteOpen) void endWith({ name: 'closed' })
    else if (vote === 'invalid') void endWith({ name: 'invalid' })
    else if (vote !== undefined) void arrive(vote, navigationType === 'POP' && (!isFresh || isCrossSite))
  }, [key, navigationType, search, isVoteOpen, isCrossSite, places, initialStep, arrive, end, open])

  return {
    step: state,
    cast,
    choose,
    close: () => {
      latestTurn.current++
      setState({ name: 'idle' })
      if (search) clear()
    },
  }
}

let hasArrived = false
/**
 * Returns whether a typed address, a link or a form led to this document, and this call is the first. A reload, Back or Forward
 * repeats an earlier arrival, though browsers report it as begun on this site.
 */
function takeArrival(): boolean {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const isFirst = !hasArrived
  hasArrived = true
  return isFirst && entry?.type === 'navigate'
}

/** Fetches JSON within 20 seconds. @returns undefined when no answer came, or the answer is not JSON */
async function fetchJson<Answer>(path: string, init: RequestInit): Promise<Answer | undefined> {
  try {
    const answer = await fetch(path, { ...init, signal: AbortSignal.timeout(20_000) })
    return answer.headers.get('content-type')?.startsWith('application/json')
      ? ((await answer.json()) as Answer)
      : undefined
  } catch {
    return undefined
  }
}
