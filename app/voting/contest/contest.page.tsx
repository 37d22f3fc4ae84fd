import { randomUUID } from 'node:crypto'
import { useEffect, useState } from 'react'
import { data, redirect, type ShouldRevalidateFunctionArgs, useLocation, useRevalidator } from 'react-router'
import { accountsOf, getSession } from '#app/accounts/guards.server.ts'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { originOf, servicesOf } from '#app/core/http/services.server.ts'
import { formatWeekdayAndTime } from '#app/core/time/mexico-dates.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { useAhead } from '#app/ui/loading/lazy-code.ts'
import { MessageScreen } from '#app/ui/primitives/message-screen.tsx'
import { loadElection, loadWinner, readClosingMoves } from '#app/voting/election/data.server.ts'
import type { Route } from './+types/contest.page'
// Stylesheets of the vote window, whose code loads later. The document needs them for visitors without JavaScript.
import '#app/ui/forms/field.module.css'
import '#app/voting/ballot/sign-in.module.css'
import { Winner } from './winner.tsx'
import '#app/voting/ballot/thanks.module.css'
import { newestBlockContext, votingOf } from '#app/voting/ballot/guards.server.ts'
import { Vote } from '#app/voting/ballot/lazy-vote-window.tsx'
import { VOTE_WINDOW } from '#app/voting/ballot/load-vote-window.ts'
import { VOTER_SIGN_IN_MESSAGES, type VoterSignInAnswer, type WindowStep } from '#app/voting/ballot/schema.ts'
import { stepAfter } from '#app/voting/ballot/step-after.ts'
import { useVote } from '#app/voting/ballot/use-vote.ts'
import { castForm, placesOfVote, visitOf } from '#app/voting/ballot/vote-request.server.ts'
import styles from '#app/voting/ballot/vote-window.module.css'
import { NO_GOOGLE_PARAM, orderOf, placeCount, readVote } from '#app/voting/election/rules.ts'
import { Voting } from './open-vote.tsx'
import { Sponsors } from './sponsors-window.tsx'
import { useFinal } from './use-page-end.ts'

/** Milliseconds after hydration from which the vote window's code may be fetched ahead: the visitor may soon vote. */
const AHEAD_AFTER_MS = 2_000

/** No prefetching while a sign-in code is being typed (see ui/links/link.tsx). */
export const handle = { prefetch: false, voto: true }

/** Rendered per request, since the server's clock decides whether the contest is over. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { services, facts } = servicesOf(context)
  const [edition] = await Promise.all([loadEdition(), VOTE_WINDOW.load()])
  const { popularidad, candidatas, fechas, anio, tarjetas } = edition
  const { patrocinadores } = popularidad
  const { abierta, vote, ajena, suerte } = visitOf(request, facts, edition, services.clock.now())
  const where = placesOfVote(edition)
  const { lugares } = where
  const chosen = typeof vote === 'number' ? candidatas[lugares.indexOf(vote)] : undefined
  const session = await getSession(request, context)
  const shared = {
    anio,
    patrocinadores,
    abierta,
    vote,
    ajena,
    sinGoogle: new URL(request.url).searchParams.has(NO_GOOGLE_PARAM),
    conSesion: session !== undefined,
    google: accountsOf(context).hasGoogle,
    cierre: fechas.cierreVotacion,
    cierra: formatWeekdayAndTime(new Date(fechas.cierreVotacion)),
    ahora: services.clock.now().toISOString(),
    origen: originOf(context),
    intento: randomUUID(),
    tarjeta: abierta && chosen ? tarjetas[`candidata-${chosen.id}`] : tarjetas.misspopularidad,
    lugares: where,
    elegida: abierta ? chosen?.nombre : undefined,
    ganadora: undefined,
    candidatas: orderOf(suerte, candidatas.length).map((which) => {
      const { id, nombre, origen, tono, galeria } = candidatas[which]!
      return {
        indice: lugares[which]!,
        id,
        nombre,
        origen,
        tono,
        foto: galeria[2] ?? galeria[0]!,
        retrato: galeria[0]!,
      }
    }),
  }
  if (!abierta) return { ...shared, ultimaCaja: undefined, movido: undefined, ganadora: await loadWinner(services.db) }
  const newestBlock = await context
    .get(newestBlockContext)?.()
    .catch((error: unknown) => {
      // The vote goes on without the newest block.
      services.log.warn({ err: error }, 'the published links could not be read')
      return undefined
    })
  const moved = (await readClosingMoves(services.db, anio)).at(-1)
  return {
    ...shared,
    ultimaCaja: newestBlock,
    movido: moved && { ahora: formatWeekdayAndTime(new Date(moved.ahora)), motivo: moved.motivo },
  }
}

/**
 * Handles the steps of the vote for browsers without JavaScript: `hacer=pedir|codigo|votar`. `hacer=otro`, for every
 * browser, signs out, so that the next person of a shared phone can vote.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const { facts } = servicesOf(context)
  const accounts = accountsOf(context)
  const form = await request.formData()
  const [intent, givenEmail] = [form.get('hacer'), form.get('correo')]
  const email = typeof givenEmail === 'string' ? givenEmail.slice(0, 320) : ''
  const say = (requested: VoterSignInAnswer, status: number, headers = new Headers()) =>
    data({ pedida: requested, paso: undefined }, { status, headers })
  if (intent === 'pedir') {
    const requested = await accounts.requestCode(request, facts.client, email)
    const { headers } = requested
    if (requested.ok) return say({ correo: email, enviado: true }, 200, headers)
    const { reason, retrySeconds = 0 } = requested
    if (retrySeconds > 0) headers.set('retry-after', String(retrySeconds))
    return say(
      { correo: email, enviado: false, error: VOTER_SIGN_IN_MESSAGES[reason](retrySeconds) },
      reason === 'correo' || reason === 'cookies' ? 400 : 429,
      headers,
    )
  }
  if (intent === 'otro') {
    const where = placesOfVote(await loadElection())
    const vote = readVote(new URLSearchParams({ vote: String(form.get('vote')) }), placeCount(where))
    return redirect(typeof vote === 'number' ? `/misspopularidad?vote=${vote}` : '/misspopularidad', {
      headers: await accounts.signOut(request, facts.client),
    })
  }
  let session = await getSession(request, context)
  let headers = new Headers()
  if (intent === 'codigo') {
    const signInResult = await accounts.signInCode(request, facts.client, email, form.get('codigo'))
    if (!signInResult.ok) {
      const error = VOTER_SIGN_IN_MESSAGES[signInResult.reason](signInResult.retrySeconds ?? 0)
      return say(
        { correo: email, enviado: true, error },
        signInResult.reason === 'credenciales' || signInResult.reason === 'cookies' ? 401 : 429,
      )
    }
    session = signInResult.sesion
    headers = signInResult.headers
    form.set('vote', new URL(request.url).searchParams.get('vote') ?? '')
  }
  const answer = await castForm(votingOf(context), facts, session, form)
  const vote = Number(form.get('vote'))
  return data({ pedida: undefined, paso: stepAfter(answer, vote) }, { headers })
}

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders

export const meta: Route.MetaFunction = (args) => {
  const { ganadora, anio, tarjeta, elegida, vote } = args.loaderData ?? {}
  if (elegida)
    return pageMeta(
      {
        pantalla: `Vota por ${elegida}`,
        descripcion: `${elegida} quiere ser Señorita Popularidad ${anio}. Un voto por persona: el tuyo cuenta.`,
        tarjeta,
        consulta: `?vote=${vote}`,
      },
      args,
    )
  const description = ganadora && `${ganadora.nombre} es Señorita Popularidad ${anio}. ${ganadora.mensaje}`
  return pageMeta({ pantalla: 'Miss Popularidad', descripcion: description, tarjeta }, args)
}

/** `?vote=` leaves the address after the answer, when the page's data no longer depends on it. */
export const shouldRevalidate = ({ currentUrl, nextUrl, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) =>
  currentUrl.pathname === nextUrl.pathname && currentUrl.search !== nextUrl.search ? false : defaultShouldRevalidate

/** The popularity contest (§2.14): the vote while it is open, the winner once it is over. */
export default function Popularidad({ loaderData, actionData }: Route.ComponentProps) {
  const { ganadora, anio, patrocinadores, abierta, vote, ajena, sinGoogle, conSesion, candidatas, lugares, cierra } =
    loaderData
  const [showers, setShowers] = useState(0)
  const shower = () => setShowers((now) => now + 1)
  useEffect(shower, [])
  const [viva, setViva] = useState(false)
  useEffect(() => setViva(true), [])
  const { revalidate } = useRevalidator()
  const { estado, cast, choose, close } = useVote({
    ...{ abierta, ajena, lugares, candidatas },
    inicial: actionData?.paso,
    onCerrada: revalidate,
  })
  useAhead(VOTE_WINDOW, AHEAD_AFTER_MS, abierta)
  // A vote is under way while the address has `?vote=`. Other parameters, which social networks add, are ignored.
  const { search } = useLocation()
  const hasVoteParam = new URLSearchParams(search).has('vote')
  // The sponsors' window opens after the vote, after the confetti, or at the end of the page.
  const [viewed, setVisto] = useState(false)
  const hasReachedEnd = useFinal(abierta && candidatas.length > 0)
  const closeVoteWindow = () => {
    if (estado.paso === 'hecho') setVisto(true)
    close()
  }
  const still = actionData?.paso ?? stillStep({ abierta, vote, sinGoogle, conSesion })
  const wait = !ganadora && !abierta && candidatas.length > 0
  const sponsorsWindow = patrocinadores.length > 0 && (
    <Sponsors
      patrocinadores={patrocinadores}
      toca={viewed || hasReachedEnd}
      ocupada={estado.paso !== 'nada' || hasVoteParam}
      enRenglon={ganadora || wait ? true : undefined}
    />
  )
  return (
    <div className={styles.pagina}>
      {ganadora ? (
        <Winner
          ganadora={ganadora}
          anio={anio}
          sitio={loaderData.origen}
          lluvias={showers}
          onLluvia={shower}
          onCaida={() => setVisto(true)}
        >
          {sponsorsWindow}
        </Winner>
      ) : abierta ? (
        <Voting {...loaderData} onVotar={choose} onVencida={revalidate} />
      ) : candidatas.length === 0 ? (
        <MessageScreen rotulo={`Señorita Popularidad ${anio}`} titulo="Pronto conocerás a las candidatas">
          <p>
            La votación comienza cuando el comité las presente. Mientras tanto, mira las{' '}
            <Enlace to="/convocatoria">convocatorias</Enlace> de este año.
          </p>
        </MessageScreen>
      ) : (
        <MessageScreen
          rotulo={`Señorita Popularidad ${anio}`}
          titulo="Muy pronto sabremos quién es"
          ademas={sponsorsWindow}
        >
          <p>
            La votación cerró el {cierra}. El resultado llega con el <Enlace to="/misspopularidad/acta">acta</Enlace>,
            en cuanto se cuenten los votos: entonces conocerás aquí a la ganadora.
          </p>
        </MessageScreen>
      )}
      {!ganadora && !wait && sponsorsWindow}
      <Vote
        {...loaderData}
        estado={estado}
        quieto={still}
        viva={viva}
        candidatas={candidatas}
        pedida={actionData?.pedida}
        onCast={cast}
        onChoose={choose}
        onClose={closeVoteWindow}
      />
    </div>
  )
}

/** The step rendered in the document itself, for visitors without JavaScript. */
function stillStep({
  abierta,
  vote,
  sinGoogle,
  conSesion,
}: Pick<Route.ComponentProps['loaderData'], 'abierta' | 'vote' | 'sinGoogle' | 'conSesion'>): WindowStep | undefined {
  if (sinGoogle && abierta) return { paso: 'sin-google' }
  if (vote === undefined) return undefined
  if (vote === 'retirada') return { paso: 'retirada' }
  if (!abierta) return { paso: 'cerrada' }
  if (vote === 'invalido') return { paso: 'invalido' }
  return { paso: conSesion ? 'confirmar' : 'entrar', vote }
}
