import { useCallback, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate, useNavigationType } from 'react-router'
import type { CurrentSession } from '#app/accounts/schema.ts'
import { announceSession } from '#app/accounts/sessions/browser-signals.ts'
import { newUuid } from '#app/core/text/uuid.ts'
import { afterPaint } from '#app/ui/deferred/after-paint.ts'
import { GOOGLE_FAILURE_PARAM, type Places, readPlace } from '#app/voting/election/rules.ts'
import { lazyVoteWindow } from './load-vote-window.ts'
import { recallVote } from './remembered-vote.ts'
import type { Step, Votable, VoteAnswer, WindowStep } from './schema.ts'
import { stepAfter } from './step-after.ts'

interface VoteOptions {
  /** Whether the vote was open when the page was rendered. */
  isVoteOpen: boolean
  /** Whether the visitor followed a link on another site. */
  isCrossSite: boolean
  /** The candidates' places in the vote's order. */
  places: Places
  candidates: readonly Pick<Votable, 'votePlace' | 'id'>[]
  /** The step that answers a form sent without the page's script. */
  initialStep: WindowStep | undefined
  /** Called when the vote turns out to have closed since the page was rendered. */
  onClosed: () => void
}

/** Drives a vote as a state machine, from an arrival with `?vote=` to the receipt (§4). */
export function useVote({ isVoteOpen, isCrossSite, places, candidates, initialStep, onClosed }: VoteOptions) {
  const { search, key } = useLocation()
  const navigationType = useNavigationType()
  const navigate = useNavigate()
  const [state, setState] = useState<Step>({ name: 'idle' })
  /** Idempotency keys by candidate's place. A key is kept until its answer is known, so that a retry is the same attempt. */
  const idempotencyKeys = useRef(new Map<number, string>())

  /** Router key of the navigation that was handled last. */
  const handledKey = useRef<string>(undefined)
  /**
   * Incremented by another arrival, a closed window or an unmount: work that began under an older number stops. A vote already
   * sent still counts.
   */
  const latestTurn = useRef(0)
  useEffect(
    () => () => {
      latestTurn.current++
    },
    [],
  )

  /** Removes `?vote=` from the URL and from the current history entry, so that Back does not vote again. */
  const clearVoteParam = useCallback(
    () => navigate('/misspopularidad', { replace: true, preventScrollReset: true }),
    [navigate],
  )
  const endWith = useCallback(
    (step: WindowStep) => {
      setState(step)
      clearVoteParam()
    },
    [clearVoteParam],
  )

  const cast = useCallback(
    async (vote: number) => {
      if (!idempotencyKeys.current.has(vote)) idempotencyKeys.current.set(vote, newUuid())
      const shownCandidate = candidates.find(({ votePlace }) => votePlace === vote)
      const body = new URLSearchParams({
        vote: String(vote),
        intento: idempotencyKeys.current.get(vote)!,
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
          idempotencyKeys.current.delete(vote)
          if (next.name !== 'closed') return endWith(next)
          setState(next)
          // `onClosed` revalidates the page, which a navigation started later would cancel.
          await clearVoteParam()
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
    [endWith, clearVoteParam, onClosed, candidates],
  )

  /** Loads the vote window's code. @returns false if it cannot be loaded or another arrival came meanwhile */
  const loadWindow = useCallback(async () => {
    if (lazyVoteWindow.now()) return true
    const startTurn = latestTurn.current
    setState({ name: 'opening' })
    const voteWindow = await lazyVoteWindow.fetch()
    if (latestTurn.current !== startTurn) return false
    if (!voteWindow) setState({ name: 'window-missing' })
    return voteWindow !== undefined
  }, [])

  /**
   * Handles an arrival with `?vote=`: asks for the session, then shows the sign-in or the confirmation, or casts the vote.
   * @param mustConfirm whether the visitor must confirm the vote first; false after the page's own buttons
   */
  const handleArrival = useCallback(
    async (vote: number, mustConfirm: boolean) => {
      const startTurn = latestTurn.current
      const [session, isOpen] = await Promise.all([
        fetchJson<CurrentSession | null>('/sesion', { cache: 'no-store' }),
        loadWindow(),
      ])
      // A cancelled arrival casts no vote.
      if (!isOpen || latestTurn.current !== startTurn) return
      // Marks the device as signed in, also after a sign-in with Google, so that the footer offers to sign out.
      if (session) announceSession()
      if (session === undefined) setState({ name: 'no-answer', vote })
      else if (session === null) setState({ name: 'sign-in', vote })
      else if (mustConfirm) setState({ name: 'confirm', vote })
      else await cast(vote)
    },
    [cast, loadWindow],
  )

  /** Begins a vote from one of the page's buttons, which looks pressed until the navigation. */
  const choose = (vote: number, pressed: HTMLElement | null = null) =>
    afterPaint(() => navigate(`/misspopularidad?vote=${vote}`, { replace: true, preventScrollReset: true }), pressed)

  useEffect(() => {
    // A change of another dependency does not handle the navigation again.
    if (handledKey.current === key) return
    handledKey.current = key
    latestTurn.current++
    const isFresh = takeArrival()
    const query = new URLSearchParams(search)
    const vote = readPlace(query, places)
    const loadAndEndWith = async (step: WindowStep) => (await loadWindow()) && endWith(step)
    // The result of a form sent without the page's script outranks the address.
    if (initialStep) void loadWindow().then((isOpen) => isOpen && setState(initialStep))
    else if (query.has(GOOGLE_FAILURE_PARAM) && isVoteOpen)
      void loadAndEndWith({ name: 'google-failed', vote: recallVote(places) })
    else if (vote === 'withdrawn') void loadAndEndWith({ name: 'withdrawn' })
    else if (vote !== undefined && !isVoteOpen) void loadAndEndWith({ name: 'closed' })
    else if (vote === 'invalid') void loadAndEndWith({ name: 'invalid' })
    else if (vote !== undefined) void handleArrival(vote, navigationType === 'POP' && (!isFresh || isCrossSite))
  }, [key, navigationType, search, isVoteOpen, isCrossSite, places, initialStep, handleArrival, endWith, loadWindow])

  return {
    step: state,
    cast,
    choose,
    close: () => {
      latestTurn.current++
      setState({ name: 'idle' })
      if (search) clearVoteParam()
    },
  }
}

let hasArrived = false
/**
 * Returns true once per document, if a typed URL, a link or a form led to it. A reload, Back or Forward only repeats an earlier
 * arrival, and browsers report its Sec-Fetch-Site as that of this site.
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
