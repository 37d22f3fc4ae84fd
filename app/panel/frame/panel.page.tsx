import { useEffect, useState } from 'react'
import { Outlet, redirect, useLocation, useRevalidator } from 'react-router'
import { codigosSinUsar, readQuedan } from '#app/accounts/data.server.ts'
import { cuentasOf, mustHaveSegundo } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { announceSesion, onFin, useSesionAbierta } from '#app/accounts/sessions/browser-signals.ts'
import { abrirPuerta, accionDePuerta } from '#app/accounts/sign-in/login-wall.server.ts'
import { Puerta } from '#app/accounts/sign-in/login-wall.tsx'
import { entrarOrRechazo } from '#app/accounts/sign-in/refusal.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { proxySinContar } from '#app/core/http/proxy-check.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { readEspacio } from '#app/core/uploads/disk-space.server.ts'
import { SIN_SERVIDOR } from '#app/entries/messages/schema.ts'
import { countFallas, listBorradosPrevistos } from '#app/ops/health/data.server.ts'
import { avisoDeEspacio, avisoDeFallas, avisoDePrevisto } from '#app/ops/health/rules.ts'
import { Warning } from '#app/ui/primitives/banner.tsx'
import type { Route } from './+types/panel.page'
import styles from './frame.module.css'
import { readMarco } from './frame.server.ts'
import { Marco } from './frame.tsx'
import { Consejo } from './second-factor-hint.tsx'
import { CUENTA, seccionesDe } from './sections.ts'
import { Encima } from './session-ended-dialog.tsx'

// Screens are changed without another document: what one of them frames, the policy of all allows.
export const handle = { noindex: true, prefetch: false, sesion: true, sigue: true, marcos: true }

/** The door of the whole panel, and what its frame says. Every screen behind it asks again. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const pathname = new URL(request.url).pathname.replace(/\.data$/, '')
  const esCuenta = pathname === CUENTA
  const entrada = await abrirPuerta(request, context, 'organizadores', { sinSegundo: esCuenta })
  if (!entrada.abierta) {
    // At the panel's first screen there is nothing to see before that.
    if (entrada.puerta.estado === 'sin-segundo' && !esCuenta) throw redirect(CUENTA)
    return entrada
  }
  const { sesion } = entrada
  await cuentasOf(context).useSesion(request)
  // Whoever does only a part begins at that part.
  if (pathname === '/organizadores' && !may(sesion.rol, 'inscripciones'))
    throw redirect(seccionesDe(sesion.rol, false)[0]!.a)
  const { marco, conteo } = await readMarco(request, context, sesion.rol)
  // Where the site asks for a second step, whoever has none sees the own account and nothing else.
  if (mustHaveSegundo(cuentasOf(context), sesion)) {
    const bare = { ...marco, inscripciones: undefined, soloCuenta: true }
    return { abierta: true as const, marco: bare, conteo: undefined, avisos: [], consejo: false }
  }
  const { services, facts } = servicesOf(context)
  const { db, settings } = services
  const cuida = may(sesion.rol, 'privacidad')
  const [espacio, sinUsar, previstos, fallas, quedan] = await Promise.all([
    readEspacio(settings.dataDir, settings.piso),
    codigosSinUsar(db),
    cuida ? listBorradosPrevistos(db) : [],
    cuida ? countFallas(db) : 0,
    readQuedan(db),
  ])
  const avisos = [
    quedan.codigos <= 0 && SIN_CODIGOS,
    avisoDeEspacio(espacio),
    proxySinContar(settings, facts.isForwarded),
    settings.smtpUrl === undefined && SIN_SERVIDOR,
    sinUsar && avisoDeCodigos(sinUsar),
    ...previstos.filter(({ detenidoAt }) => detenidoAt === undefined).map(avisoDePrevisto),
    fallas > 0 && avisoDeFallas(fallas),
  ].filter((aviso) => aviso !== undefined && aviso !== false)
  const consejo = sesion.segundo === 'sin' && !esCuenta
  return { abierta: true as const, marco, conteo, avisos, consejo }
}

const SIN_CODIGOS =
  'Ya salieron todos los códigos para votar que caben en el correo de un día. Quien pide uno lee que lo intente más tarde; los recibos y los avisos siguen saliendo. En «Edición» dice cuántos van de cada clase y se cambia cuántos mensajes admite tu proveedor.'

/** @param codigos that were sent within some minutes, and how many of them were used */
const avisoDeCodigos = ({ enviados, usados }: { enviados: number; usados: number }) =>
  `Se piden códigos que nadie usa. En los últimos minutos salieron ${enviados.toLocaleString('es-MX')} códigos para votar y se usaron ${usados.toLocaleString('es-MX')}. Quizá alguien los pide para direcciones ajenas. El sitio ya lo frena: a una red que no usa los suyos le manda pocos. Los votos y el panel siguen igual.`

export const action = async ({ request, context }: Route.ActionArgs) =>
  (await accionDePuerta(request, context)) ?? new Response('Esta dirección no se usa así.', { status: 400 })

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  entrarOrRechazo(request, serverAction)

export { revalidateUnlessVer as shouldRevalidate } from '#app/panel/rules.ts'

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Organización' }, args)

export default function Panel({ loaderData, actionData }: Route.ComponentProps) {
  useSesionAbierta(loaderData.abierta)
  const { pathname, search } = useLocation()
  const { revalidate } = useRevalidator()
  const [termino, setTermino] = useState(false)
  const { abierta } = loaderData
  useEffect(() => {
    if (!abierta) return
    // What was sent too late shows the door itself.
    return onFin(() => setTermino((before) => before || document.getElementById('entrar-aqui') === null))
  }, [abierta])
  const recienPuesta = new URLSearchParams(search).get('aviso') === 'clave'
  if (!loaderData.abierta)
    return (
      <Puerta
        puerta={loaderData.puerta}
        titulo="Organización"
        mensaje={
          recienPuesta
            ? 'Listo: tu contraseña quedó guardada. Inicia sesión con ella para entrar al panel.'
            : 'Esta parte del sitio es de la organización: inicia sesión para ver y atender las inscripciones.'
        }
        rechazo={actionData}
      />
    )
  const { marco, conteo, avisos, consejo } = loaderData
  const goOn = () => {
    setTermino(false)
    announceSesion()
    void revalidate()
  }
  return (
    <Marco {...marco}>
      <div className={styles.contenido} inert={termino} data-espera={termino || undefined}>
        {avisos.length > 0 && (
          <div className={styles.avisos}>
            {avisos.map((aviso) => (
              <Warning key={aviso}>{aviso}</Warning>
            ))}
          </div>
        )}
        {consejo && <Consejo volver={pathname} />}
        <Outlet context={conteo} />
      </div>
      {termino && <Encima onAbierta={goOn} />}
    </Marco>
  )
}
