import { randomUUID } from 'node:crypto'
import { useEffect, useState } from 'react'
import { data, redirect, type ShouldRevalidateFunctionArgs, useLocation, useRevalidator } from 'react-router'
import { cuentasOf, getSession } from '#app/accounts/guards.server.ts'
import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { originOf, servicesOf } from '#app/core/http/services.server.ts'
import { conDia } from '#app/core/time/mexico-dates.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { useAhead } from '#app/ui/loading/lazy-code.ts'
import { Mensaje } from '#app/ui/primitives/message-screen.tsx'
import { loadEleccion, loadGanadora, readMovidos } from '#app/voting/election/data.server.ts'
import type { Route } from './+types/contest.page'
// The sheets of the vote's window, whose code comes later: the document has them for whoever reads it without JavaScript.
import '#app/ui/forms/field.module.css'
import '#app/voting/ballot/sign-in.module.css'
import { Ganadora } from './winner.tsx'
import '#app/voting/ballot/thanks.module.css'
import { ultimaCajaContext, votacionOf } from '#app/voting/ballot/guards.server.ts'
import { Voto } from '#app/voting/ballot/lazy-vote-window.tsx'
import { VENTANA } from '#app/voting/ballot/load-vote-window.ts'
import { type EntradaPedida, MENSAJES_DE_ENTRADA, type PasoAbierto } from '#app/voting/ballot/schema.ts'
import { stepAfter } from '#app/voting/ballot/step-after.ts'
import { useVoto } from '#app/voting/ballot/use-vote.ts'
import { castForm, lugaresDeVotacion, visitaDe } from '#app/voting/ballot/vote-request.server.ts'
import styles from '#app/voting/ballot/vote-window.module.css'
import { cuantosLugares, ordenDe, PARAMETRO_SIN_GOOGLE, readVoto } from '#app/voting/election/rules.ts'
import { Votacion } from './open-vote.tsx'
import { Patrocinadores } from './sponsors-window.tsx'
import { useFinal } from './use-page-end.ts'

/** So long after the screen is alive, whoever looks at it may be about to vote. */
const AHEAD_AFTER_MS = 2_000

/** Nothing is fetched ahead beside a code that is being typed (see Enlace). */
export const handle = { prefetch: false, voto: true }

/** The page is rendered when asked for, since the server's clock says whether the contest is over. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { services, facts } = servicesOf(context)
  const [edicion] = await Promise.all([loadEdicion(), VENTANA.load()])
  const { popularidad, candidatas, fechas, anio, tarjetas } = edicion
  const { patrocinadores } = popularidad
  const { abierta, vote, ajena, suerte } = visitaDe(request, facts, edicion, services.clock.now())
  const donde = lugaresDeVotacion(edicion)
  const { lugares } = donde
  const chosen = typeof vote === 'number' ? candidatas[lugares.indexOf(vote)] : undefined
  const sesion = await getSession(request, context)
  const comun = {
    anio,
    patrocinadores,
    abierta,
    vote,
    ajena,
    sinGoogle: new URL(request.url).searchParams.has(PARAMETRO_SIN_GOOGLE),
    conSesion: sesion !== undefined,
    google: cuentasOf(context).hasGoogle,
    cierre: fechas.cierreVotacion,
    cierra: conDia(new Date(fechas.cierreVotacion)),
    ahora: services.clock.now().toISOString(),
    origen: originOf(context),
    intento: randomUUID(),
    tarjeta: abierta && chosen ? tarjetas[`candidata-${chosen.id}`] : tarjetas.misspopularidad,
    lugares: donde,
    elegida: abierta ? chosen?.nombre : undefined,
    ganadora: undefined,
    candidatas: ordenDe(suerte, candidatas.length).map((which) => {
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
  if (!abierta) return { ...comun, ultimaCaja: undefined, movido: undefined, ganadora: await loadGanadora(services.db) }
  const ultimaCaja = await context
    .get(ultimaCajaContext)?.()
    .catch((error: unknown) => {
      // The vote goes on without it.
      services.log.warn({ err: error }, 'the published links could not be read')
      return undefined
    })
  const movido = (await readMovidos(services.db, anio)).at(-1)
  return {
    ...comun,
    ultimaCaja,
    movido: movido && { ahora: conDia(new Date(movido.ahora)), motivo: movido.motivo },
  }
}

/**
 * Does the steps of the page's script for browsers without it: `hacer=pedir|codigo|votar`. `hacer=otro`, for everybody,
 * lets the next person of a shared phone in.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const { facts } = servicesOf(context)
  const cuentas = cuentasOf(context)
  const form = await request.formData()
  const [hacer, correoGiven] = [form.get('hacer'), form.get('correo')]
  const correo = typeof correoGiven === 'string' ? correoGiven.slice(0, 320) : ''
  const say = (pedida: EntradaPedida, status: number, headers = new Headers()) =>
    data({ pedida, paso: undefined }, { status, headers })
  if (hacer === 'pedir') {
    const pedido = await cuentas.requestCode(request, facts.client, correo)
    const { headers } = pedido
    if (pedido.ok) return say({ correo, enviado: true }, 200, headers)
    const { reason, retrySeconds = 0 } = pedido
    if (retrySeconds > 0) headers.set('retry-after', String(retrySeconds))
    return say(
      { correo, enviado: false, error: MENSAJES_DE_ENTRADA[reason](retrySeconds) },
      reason === 'correo' || reason === 'cookies' ? 400 : 429,
      headers,
    )
  }
  if (hacer === 'otro') {
    const donde = lugaresDeVotacion(await loadEleccion())
    const vote = readVoto(new URLSearchParams({ vote: String(form.get('vote')) }), cuantosLugares(donde))
    return redirect(typeof vote === 'number' ? `/misspopularidad?vote=${vote}` : '/misspopularidad', {
      headers: await cuentas.signOut(request, facts.client),
    })
  }
  let sesion = await getSession(request, context)
  let headers = new Headers()
  if (hacer === 'codigo') {
    const acceso = await cuentas.signInCode(request, facts.client, correo, form.get('codigo'))
    if (!acceso.ok) {
      const error = MENSAJES_DE_ENTRADA[acceso.reason](acceso.retrySeconds ?? 0)
      return say(
        { correo, enviado: true, error },
        acceso.reason === 'credenciales' || acceso.reason === 'cookies' ? 401 : 429,
      )
    }
    sesion = acceso.sesion
    headers = acceso.headers
    form.set('vote', new URL(request.url).searchParams.get('vote') ?? '')
  }
  const answer = await castForm(votacionOf(context), facts, sesion, form)
  const vote = Number(form.get('vote'))
  return data({ pedida: undefined, paso: stepAfter(answer, vote) }, { headers })
}

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders

export const meta: Route.MetaFunction = (args) => {
  const { ganadora, anio, tarjeta, elegida, vote } = args.loaderData ?? {}
  if (elegida)
    return cabeza(
      {
        pantalla: `Vota por ${elegida}`,
        descripcion: `${elegida} quiere ser Señorita Popularidad ${anio}. Un voto por persona: el tuyo cuenta.`,
        tarjeta,
        consulta: `?vote=${vote}`,
      },
      args,
    )
  const descripcion = ganadora && `${ganadora.nombre} es Señorita Popularidad ${anio}. ${ganadora.mensaje}`
  return cabeza({ pantalla: 'Miss Popularidad', descripcion, tarjeta }, args)
}

/** `?vote=` leaves the address once it is answered; the page's data does not depend on it then. */
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
  const { estado, cast, choose, close } = useVoto({
    ...{ abierta, ajena, lugares, candidatas },
    inicial: actionData?.paso,
    onCerrada: revalidate,
  })
  useAhead(VENTANA, AHEAD_AFTER_MS, abierta)
  // A link's vote is under way from its arrival on; other parts of the address (networks add theirs) tell of nothing.
  const { search } = useLocation()
  const llega = new URLSearchParams(search).has('vote')
  // The sponsors' turn comes once what the visitor came for is over.
  const [visto, setVisto] = useState(false)
  const pasadas = useFinal(abierta && candidatas.length > 0)
  const closeVoto = () => {
    if (estado.paso === 'hecho') setVisto(true)
    close()
  }
  const quieto = actionData?.paso ?? stillStep({ abierta, vote, sinGoogle, conSesion })
  const espera = !ganadora && !abierta && candidatas.length > 0
  const patrocinio = patrocinadores.length > 0 && (
    <Patrocinadores
      patrocinadores={patrocinadores}
      toca={visto || pasadas}
      ocupada={estado.paso !== 'nada' || llega}
      enRenglon={ganadora || espera ? true : undefined}
    />
  )
  return (
    <div className={styles.pagina}>
      {ganadora ? (
        <Ganadora
          ganadora={ganadora}
          anio={anio}
          sitio={loaderData.origen}
          lluvias={showers}
          onLluvia={shower}
          onCaida={() => setVisto(true)}
        >
          {patrocinio}
        </Ganadora>
      ) : abierta ? (
        <Votacion {...loaderData} onVotar={choose} onVencida={revalidate} />
      ) : candidatas.length === 0 ? (
        <Mensaje rotulo={`Señorita Popularidad ${anio}`} titulo="Pronto conocerás a las candidatas">
          <p>
            La votación comienza cuando el comité las presente. Mientras tanto, mira las{' '}
            <Enlace to="/convocatoria">convocatorias</Enlace> de este año.
          </p>
        </Mensaje>
      ) : (
        <Mensaje rotulo={`Señorita Popularidad ${anio}`} titulo="Muy pronto sabremos quién es" ademas={patrocinio}>
          <p>
            La votación cerró el {cierra}. El resultado llega con el <Enlace to="/misspopularidad/acta">acta</Enlace>,
            en cuanto se cuenten los votos: entonces conocerás aquí a la ganadora.
          </p>
        </Mensaje>
      )}
      {!ganadora && !espera && patrocinio}
      <Voto
        {...loaderData}
        estado={estado}
        quieto={quieto}
        viva={viva}
        candidatas={candidatas}
        pedida={actionData?.pedida}
        onCast={cast}
        onChoose={choose}
        onClose={closeVoto}
      />
    </div>
  )
}

/** The step that the document itself shows to visitors without JavaScript. */
function stillStep({
  abierta,
  vote,
  sinGoogle,
  conSesion,
}: Pick<Route.ComponentProps['loaderData'], 'abierta' | 'vote' | 'sinGoogle' | 'conSesion'>): PasoAbierto | undefined {
  if (sinGoogle && abierta) return { paso: 'sin-google' }
  if (vote === undefined) return undefined
  if (vote === 'retirada') return { paso: 'retirada' }
  if (!abierta) return { paso: 'cerrada' }
  if (vote === 'invalido') return { paso: 'invalido' }
  return { paso: conSesion ? 'confirmar' : 'entrar', vote }
}
