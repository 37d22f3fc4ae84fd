import { randomUUID } from 'node:crypto'
import { useEffect, useState } from 'react'
import { data, redirect, type ShouldRevalidateFunctionArgs, useLocation, useRevalidator } from 'react-router'
import { accountsOf, getSession } from '#app/accounts/guards.server.ts'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { originOf, servicesOf } from '#app/core/http/services.server.ts'
import { formatFullDateTimeWithZone } from '#app/core/time/mexico-dates.ts'
import { withoutMailPromise } from '#app/mail/data.server.ts'
import { MessageScreen } from '#app/ui/components/message-screen.tsx'
import { usePreload } from '#app/ui/deferred/lazy-code.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import { loadElection, loadWinner } from '#app/voting/election/data.server.ts'
import { listClosingMoves } from '#app/voting/sealing/moved-closing.server.ts'
import type { Route } from './+types/contest.page'
// The page imports the stylesheets of the vote window, whose code loads later, since visitors without JavaScript see the window
// in the document.
import '#app/ui/forms/field.module.css'
import '#app/voting/ballot/sign-in.module.css'
import { Winner } from './winner.tsx'
import '#app/voting/ballot/thanks.module.css'
import { newestBlockContext, votingOf } from '#app/voting/ballot/guards.server.ts'
import { LazyVoteWindow } from '#app/voting/ballot/lazy-vote-window.tsx'
import { lazyVoteWindow } from '#app/voting/ballot/load-vote-window.ts'
import { VOTER_SIGN_IN_MESSAGES, type VoterSignInAnswer, type VoteWindowStep } from '#app/voting/ballot/schema.ts'
import { stepAfter } from '#app/voting/ballot/step-after.ts'
import { useVote } from '#app/voting/ballot/use-vote.ts'
import {
  castFormVote,
  contestFactsOf,
  pathOfNamedCandidate,
  placesOfVote,
} from '#app/voting/ballot/vote-request.server.ts'
import styles from '#app/voting/ballot/vote-window.module.css'
import { GOOGLE_FAILURE_PARAM, orderOf, placeCount, readVote } from '#app/voting/election/rules.ts'
import { OpenVote } from './open-vote.tsx'
import { SponsorsWindow } from './sponsors-window.tsx'
import { useHasReachedEnd } from './use-page-end.ts'

/** Pause between the winner's confetti and the sponsors' window. */
const SPONSORS_DELAY_MS = 1_500
/** The vote window's code is preloaded once the page has been open for this time and the visitor uses it. */
const PRELOAD_AFTER_MS = 2_000

/** `prefetch: false` keeps the page from prefetching other screens while a visitor types (layout/prefetch-screen.ts). */
export const handle = { prefetch: false, isVote: true }

export async function loader({ request, context }: Route.LoaderArgs) {
  const { services, facts } = servicesOf(context)
  const [edition] = await Promise.all([loadEdition(), lazyVoteWindow.load()])
  const otherPath = pathOfNamedCandidate(new URL(request.url).searchParams, edition)
  if (otherPath) throw redirect(otherPath)
  const { popularidad, candidatas: candidates, fechas, anio: year, tarjetas } = edition
  const { patrocinadores: sponsors } = popularidad
  const now = services.clock.now()
  const { isVoteOpen, isOpeningAhead, votePlace, isCrossSite, order } = contestFactsOf(request, facts, edition, now)
  const { aperturaVotacion: opening, cierreVotacion: closing } = fechas
  const closingText = formatFullDateTimeWithZone(new Date(closing))
  const openingText = isOpeningAhead && formatFullDateTimeWithZone(new Date(opening!))
  // Sentences that depend on whether the vote is open come from the server, so that the page's code is smaller.
  const countdown = openingText
    ? {
        title: 'Pronto podrás votar',
        label: 'Tiempo para que abra la votación',
        until: opening!,
        text: `La votación abre el ${openingText}`,
        passedText: 'La votación ya abrió.',
      }
    : isVoteOpen && {
        title: 'Tu voto enciende la rueda',
        label: 'Tiempo para votar',
        until: closing,
        text: `Cierra el ${closingText}`,
        passedText: 'La votación ya cerró.',
      }
  const votePlaces = placesOfVote(edition)
  const { taken: places } = votePlaces
  const chosenCandidate = typeof votePlace === 'number' ? candidates[places.indexOf(votePlace)] : undefined
  const session = await getSession(request, context)
  const commonData = {
    year,
    sponsors,
    isVoteOpen,
    vote: votePlace,
    isCrossSite,
    hasGoogleFailed: new URL(request.url).searchParams.has(GOOGLE_FAILURE_PARAM),
    hasSession: session !== undefined,
    hasGoogle: accountsOf(context).hasGoogle,
    receiptNote: withoutMailPromise(
      'También va en tu correo. Con él podrás comprobar, cuando cierre la votación, que tu voto está en la cuenta.',
      services.settings,
    ),
    countdown,
    closingText,
    closedWindow: openingText
      ? { title: 'La votación todavía no abre', text: `Abre el ${openingText}. Tu voto sigue sin usarse.` }
      : { title: 'La votación ya cerró', text: `Cerró el ${closingText}. Desde entonces no se recibe ningún voto.` },
    serverNow: now.toISOString(),
    siteOrigin: originOf(context),
    idempotencyKey: randomUUID(),
    shareCard: isVoteOpen && chosenCandidate ? tarjetas[`candidata-${chosenCandidate.id}`] : tarjetas.misspopularidad,
    places: votePlaces,
    chosenName: isVoteOpen ? chosenCandidate?.nombre : undefined,
    shareQuery: chosenCandidate && `?vote=${votePlace}&candidata=${chosenCandidate.id}`,
    winner: undefined,
    candidates: orderOf(order, candidates.length).map((candidateIndex) => {
      const { id, nombre, origen, tono, galeria } = candidates[candidateIndex]!
      return {
        votePlace: places[candidateIndex]!,
        id,
        name: nombre,
        hometown: origen,
        tone: tono,
        photo: galeria[2] ?? galeria[0]!,
        portrait: galeria[0]!,
      }
    }),
  }
  if (!countdown)
    return { ...commonData, newestBlock: undefined, closingMove: undefined, winner: await loadWinner(services.db) }
  const newestBlock = await context
    .get(newestBlockContext)?.()
    .catch((error: unknown) => {
      services.log.warn({ err: error }, 'the published blocks could not be read; the page is shown without them')
      return undefined
    })
  const lastMove = (await listClosingMoves(services.db, year)).at(-1)
  return {
    ...commonData,
    countdown,
    newestBlock,
    closingMove: lastMove && {
      closingText: formatFullDateTimeWithZone(new Date(lastMove.ahora)),
      reason: lastMove.motivo,
    },
  }
}

/**
 * Handles the forms of the vote window. `hacer=pedir|codigo|votar` comes from browsers without JavaScript. `hacer=otro` comes
 * from all browsers, and signs out, so that the next person at a shared phone can vote.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const { facts } = servicesOf(context)
  const accounts = accountsOf(context)
  const form = await request.formData()
  const [intent, givenEmail] = [form.get('hacer'), form.get('correo')]
  const email = typeof givenEmail === 'string' ? givenEmail.slice(0, 320) : ''
  const answerSignIn = (formAnswer: VoterSignInAnswer, status: number, headers = new Headers()) =>
    data({ formAnswer, step: undefined }, { status, headers })
  if (intent === 'pedir') {
    const codeRequest = await accounts.requestCode(request, facts.client, email)
    const { headers } = codeRequest
    if (codeRequest.ok) return answerSignIn({ email, isSent: true }, 200, headers)
    const { reason, retrySeconds = 0, mensaje } = codeRequest
    if (retrySeconds > 0) headers.set('retry-after', String(retrySeconds))
    return answerSignIn(
      { email, isSent: false, error: mensaje ?? VOTER_SIGN_IN_MESSAGES[reason](retrySeconds) },
      reason === 'correo' || reason === 'cookies' ? 400 : 429,
      headers,
    )
  }
  if (intent === 'otro') {
    const votePlaces = placesOfVote(await loadElection())
    const votePlace = readVote(new URLSearchParams({ vote: String(form.get('vote')) }), placeCount(votePlaces))
    return redirect(typeof votePlace === 'number' ? `/misspopularidad?vote=${votePlace}` : '/misspopularidad', {
      headers: await accounts.signOut(request, facts.client),
    })
  }
  let session = await getSession(request, context)
  let headers = new Headers()
  if (intent === 'codigo') {
    const signInResult = await accounts.signInCode(request, facts.client, email, form.get('codigo'))
    if (!signInResult.ok) {
      const error = VOTER_SIGN_IN_MESSAGES[signInResult.reason](signInResult.retrySeconds ?? 0)
      return answerSignIn(
        { email, isSent: true, error },
        signInResult.reason === 'credenciales' || signInResult.reason === 'cookies' ? 401 : 429,
      )
    }
    session = signInResult.session
    headers = signInResult.headers
    form.set('vote', new URL(request.url).searchParams.get('vote') ?? '')
  }
  const answer = await castFormVote(votingOf(context), facts, session, form)
  const votePlace = Number(form.get('vote'))
  return data({ formAnswer: undefined, step: stepAfter(answer, votePlace) }, { headers })
}

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders

export const meta: Route.MetaFunction = (args) => {
  const { winner, year, shareCard, chosenName, shareQuery } = args.loaderData ?? {}
  if (chosenName)
    return pageMeta(
      {
        screen: `Vota por ${chosenName}`,
        description: `${chosenName} quiere ser Señorita Popularidad ${year}. Un voto por persona: el tuyo cuenta.`,
        shareCard,
        query: shareQuery,
      },
      args,
    )
  const description = winner && `${winner.nombre} es Señorita Popularidad ${year}. ${winner.mensaje}`
  return pageMeta({ screen: 'Miss Popularidad', description, shareCard }, args)
}

/** Keeps the page's data when only the query changes, as when `?vote=` leaves the URL after a vote. */
export const shouldRevalidate = ({ currentUrl, nextUrl, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) =>
  currentUrl.pathname === nextUrl.pathname && currentUrl.search !== nextUrl.search ? false : defaultShouldRevalidate

/** Renders the popularity contest (§2.14): the candidates and the vote, the winner, or a message if there is neither. */
export default function ContestPage({ loaderData, actionData }: Route.ComponentProps) {
  const {
    winner,
    year,
    sponsors,
    isVoteOpen,
    vote,
    isCrossSite,
    hasGoogleFailed,
    hasSession,
    candidates,
    places,
    countdown,
    closingText,
  } = loaderData
  const [confettiCount, setConfettiCount] = useState(0)
  const throwConfetti = () => setConfettiCount((count) => count + 1)
  useEffect(throwConfetti, [])
  const [isHydrated, setIsHydrated] = useState(false)
  useEffect(() => setIsHydrated(true), [])
  const { revalidate } = useRevalidator()
  const { step, cast, startVote, close } = useVote({
    isVoteOpen,
    isCrossSite,
    places,
    candidates,
    initialStep: actionData?.step,
    onClosed: revalidate,
  })
  usePreload(lazyVoteWindow, PRELOAD_AFTER_MS, isVoteOpen)
  // While the URL has `?vote=`, a vote is under way. Other parameters, which social networks add, do not matter.
  const { search } = useLocation()
  const hasVoteParam = new URLSearchParams(search).has('vote')
  /** Whether the visitor has voted and closed the vote window, or has seen the winner's confetti fall. */
  const [hasFinished, setHasFinished] = useState(false)
  const hasReachedEnd = useHasReachedEnd(isVoteOpen)
  const closeVoteWindow = () => {
    if (step.name === 'done') setHasFinished(true)
    close()
  }
  const staticStep = actionData?.step ?? staticStepOf({ isVoteOpen, vote, hasGoogleFailed, hasSession })
  const hasCandidates = candidates.length > 0
  const sponsorsWindow = sponsors.length > 0 && (
    <SponsorsWindow
      sponsors={sponsors}
      isDue={hasFinished || hasReachedEnd}
      isBusy={step.name !== 'idle' || hasVoteParam}
      isInRow={countdown ? undefined : true}
    />
  )
  return (
    <div className={styles.page}>
      {winner ? (
        <Winner
          winner={winner}
          year={year}
          siteOrigin={loaderData.siteOrigin}
          showers={confettiCount}
          onShower={throwConfetti}
          onFallen={() => setTimeout(setHasFinished, SPONSORS_DELAY_MS, true)}
        >
          {sponsorsWindow}
        </Winner>
      ) : countdown ? (
        <OpenVote {...loaderData} countdown={countdown} onVote={startVote} onExpired={revalidate} />
      ) : (
        <MessageScreen
          kicker={`Señorita Popularidad ${year}`}
          title={hasCandidates ? 'Muy pronto sabremos quién es' : 'Pronto conocerás a las candidatas'}
          mainLink={hasCandidates ? undefined : ['/convocatoria', 'Ver convocatorias']}
          extraLink={sponsorsWindow}
        >
          {hasCandidates ? (
            <p>
              La votación cerró el {closingText}. El resultado llega con el <Link to="/misspopularidad/acta">acta</Link>
              , en cuanto se cuenten los votos: entonces conocerás aquí a la ganadora.
            </p>
          ) : (
            <p>La votación comienza cuando el comité las presente.</p>
          )}
        </MessageScreen>
      )}
      {countdown && sponsorsWindow}
      <LazyVoteWindow
        {...loaderData}
        step={step}
        staticStep={staticStep}
        isHydrated={isHydrated}
        candidates={candidates}
        formAnswer={actionData?.formAnswer}
        onCast={cast}
        onChoose={startVote}
        onClose={closeVoteWindow}
      />
    </div>
  )
}

/** Returns the step that the document itself shows, for visitors without JavaScript; undefined if it shows no window. */
function staticStepOf({
  isVoteOpen,
  vote: votePlace,
  hasGoogleFailed,
  hasSession,
}: Pick<Route.ComponentProps['loaderData'], 'isVoteOpen' | 'vote' | 'hasGoogleFailed' | 'hasSession'>):
  | VoteWindowStep
  | undefined {
  if (hasGoogleFailed && isVoteOpen) return { name: 'google-failed' }
  if (votePlace === undefined) return undefined
  if (votePlace === 'withdrawn') return { name: 'withdrawn' }
  if (!isVoteOpen) return { name: 'closed' }
  if (votePlace === 'invalid') return { name: 'invalid' }
  return { name: hasSession ? 'confirm' : 'sign-in', votePlace }
}
