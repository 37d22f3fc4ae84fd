import { useCallback, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate, useNavigationType } from 'react-router'
import type { CurrentSession } from '#app/accounts/schema.ts'
import { announceSession } from '#app/accounts/sessions/browser-signals.ts'
import { newUuid } from '#app/core/text/uuid.ts'
import { afterPaint } from '#app/ui/deferred/after-paint.ts'
import { GOOGLE_FAILURE_PARAM, readPlace, type VotePlaces } from '#app/voting/election/rules.ts'
import { lazyVoteWindow } from './load-vote-window.ts'
import { recallVote } from './remembered-vote.ts'
import type { VotableCandidate, VoteAnswer, VoteStep, VoteWindowStep } from './schema.ts'
import { stepAfter } from './step-after.ts'

interface VoteOptions {
  /** Whether the vote was open when the page was rendered. */
  isVoteOpen: boolean
  /** Whether the visitor followed a link on another site. */
  isCrossSite: boolean
  places: VotePlaces
  candidates: readonly Pick<VotableCandidate, 'votePlace' | 'id'>[]
  /** Answer to a form that was sent without the page's script. */
  initialStep: VoteWindowStep | undefined
  /** Is called when the server refuses a vote because the vote is not open, as after its closing. */
  onClosed: () => void
}

/** Leads a visitor through the steps of a vote, from a URL with `?vote=` to the receipt (§4). */
export function useVote({ isVoteOpen, isCrossSite, places, candidates, initialStep, onClosed }: VoteOptions) {
  const { search, key } = useLocation()
  const navigationType = useNavigationType()
  const navigate = useNavigate()
  const [step, setStep] = useState<VoteStep>({ name: 'idle' })
  /** Idempotency keys by candidate's place. Each is kept until an answer ends the attempt, so that a retry is the same attempt. */
  const idempotencyKeys = useRef(new Map<number, string>())

  /** Router key of the navigation that was handled last. */
  const handledKey = useRef<string>(undefined)
  /**
   * Number of the latest run of the vote window. Another navigation or a closed window increments the number, an unmount makes it
   * negative, and `loadWindow` and `handleVoteLink` ignore what they load for an older run. `cast` goes on, so that a sent vote
   * shows its receipt.
   */
  const latestRun = useRef(0)
  useEffect(
    () => () => {
      latestRun.current = -1
    },
    [],
  )

  /**
   * Removes `?vote=` from the URL and from the current history entry, so that Back does not vote again. A visitor who has left the
   * page stays where she is.
   */
  const clearVoteParam = useCallback(
    () => latestRun.current < 0 || navigate('/misspopularidad', { replace: true, preventScrollReset: true }),
    [navigate],
  )
  const endWith = useCallback(
    (lastStep: VoteWindowStep) => {
      setStep(lastStep)
      return clearVoteParam()
    },
    [clearVoteParam],
  )

  const cast = useCallback(
    async (votePlace: number) => {
      if (!idempotencyKeys.current.has(votePlace)) idempotencyKeys.current.set(votePlace, newUuid())
      const shownCandidate = candidates.find((candidate) => candidate.votePlace === votePlace)
      const body = new URLSearchParams({
        vote: String(votePlace),
        intento: idempotencyKeys.current.get(votePlace)!,
        ...(shownCandidate && { candidata: shownCandidate.id }),
      })
      setStep({ name: 'sending', votePlace, isWorking: false })
      for (;;) {
        const answer = await fetchJson<VoteAnswer>('/misspopularidad/voto', { method: 'POST', body })
        if (!answer) return setStep({ name: 'no-answer', votePlace })
        if (answer.ok || !answer.reto) {
          const nextStep = stepAfter(answer, votePlace)
          if (nextStep.name === 'sign-in' || nextStep.name === 'work-failed') return setStep(nextStep)
          // Every other answer ends the attempt, so that the next press of a button is a new one.
          idempotencyKeys.current.delete(votePlace)
          // `onClosed` revalidates the page. A navigation that starts later would cancel the revalidation.
          await endWith(nextStep)
          if (nextStep.name === 'closed') onClosed()
          return
        }
        setStep({ name: 'sending', votePlace, isWorking: true })
        const solver = await import('#app/core/http/proof-of-work.client.ts').catch(() => undefined)
        if (solver === undefined) return setStep({ name: 'no-answer', votePlace })
        const solution = await solver.solveWork(answer.reto)
        if (solution === undefined) return setStep({ name: 'work-failed', votePlace })
        body.set('reto', JSON.stringify(answer.reto))
        body.set('respuesta', solution)
      }
    },
    [endWith, onClosed, candidates],
  )

  /**
   * Loads the vote window's code, and shows that it loads or is missing.
   * @returns false if the code cannot be loaded, or another run has begun
   */
  const loadWindow = useCallback(async () => {
    if (lazyVoteWindow.loaded()) return true
    const run = latestRun.current
    setStep({ name: 'opening' })
    const voteWindow = await lazyVoteWindow.fetch()
    if (latestRun.current !== run) return false
    if (!voteWindow) setStep({ name: 'window-missing' })
    return voteWindow !== undefined
  }, [])

  /**
   * Handles a URL with `?vote=`: loads the window and reads the session, then shows the sign-in or the confirmation, casts the
   * vote, or says that no answer came.
   * @param mustConfirm whether to ask before the vote is cast, as after a reload, Back or a link on another site
   */
  const handleVoteLink = useCallback(
    async (votePlace: number, mustConfirm: boolean) => {
      const run = latestRun.current
      const [session, isLoaded] = await Promise.all([
        fetchJson<CurrentSession | null>('/sesion', { cache: 'no-store' }),
        loadWindow(),
      ])
      if (!isLoaded || latestRun.current !== run) return
      // The announced session makes the footer offer to sign out, also after a sign-in with Google.
      if (session) announceSession()
      if (session === undefined) setStep({ name: 'no-answer', votePlace })
      else if (session === null) setStep({ name: 'sign-in', votePlace })
      else if (mustConfirm) setStep({ name: 'confirm', votePlace })
      else await cast(votePlace)
    },
    [cast, loadWindow],
  )

  /** Starts a vote. @param pressedButton looks pressed until the navigation */
  const startVote = (votePlace: number, pressedButton: HTMLElement | null = null) =>
    afterPaint(
      () => navigate(`/misspopularidad?vote=${votePlace}`, { replace: true, preventScrollReset: true }),
      pressedButton,
    )

  useEffect(() => {
    // The effect also runs when another dependency changes.
    if (handledKey.current === key) return
    handledKey.current = key
    latestRun.current++
    const isFirstNavigation = consumeFirstNavigation()
    const query = new URLSearchParams(search)
    const votePlace = readPlace(query, places)
    const loadAndEndWith = async (lastStep: VoteWindowStep) => (await loadWindow()) && endWith(lastStep)
    // The answer to a form that was sent without the page's script is shown, even if the URL names another step.
    if (initialStep) void loadWindow().then((isLoaded) => isLoaded && setStep(initialStep))
    else if (query.has(GOOGLE_FAILURE_PARAM) && isVoteOpen)
      void loadAndEndWith({ name: 'google-failed', votePlace: recallVote(places) })
    else if (votePlace === 'withdrawn') void loadAndEndWith({ name: 'withdrawn' })
    else if (votePlace !== undefined && !isVoteOpen) void loadAndEndWith({ name: 'closed' })
    else if (votePlace === 'invalid') void loadAndEndWith({ name: 'invalid' })
    else if (votePlace !== undefined)
      void handleVoteLink(votePlace, navigationType === 'POP' && (!isFirstNavigation || isCrossSite))
  }, [key, navigationType, search, isVoteOpen, isCrossSite, places, initialStep, handleVoteLink, endWith, loadWindow])

  return {
    step,
    cast,
    startVote,
    close: () => {
      latestRun.current++
      setStep({ name: 'idle' })
      if (search) clearVoteParam()
    },
  }
}

let hasNavigated = false
/**
 * Returns true at its first call in a document that a typed URL, a link or a form led to. A reload, Back or Forward repeats an
 * earlier navigation, for which browsers may send `Sec-Fetch-Site: same-origin` even if a link on another site came first.
 */
function consumeFirstNavigation(): boolean {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const isFirst = !hasNavigated
  hasNavigated = true
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
