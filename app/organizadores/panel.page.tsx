import { useEffect, useRef } from 'react'
import { Outlet, redirect, useLocation } from 'react-router'
import { codigosSinUsar } from '#app/cuentas/data.server.ts'
import { cuentasOf, mustHaveSegundo } from '#app/cuentas/guards.server.ts'
import { abrirPuerta, accionDePuerta } from '#app/cuentas/puerta.server.ts'
import { Puerta } from '#app/cuentas/puerta.tsx'
import { entrarOrRechazo } from '#app/cuentas/rechazo.ts'
import { forgetSesion, useSesionAbierta } from '#app/cuentas/sesion-abierta.ts'
import { cabeza } from '#app/edicion/cabeza.ts'
import type { TipoInscripcion } from '#app/inscripciones/clases.ts'
import { countInscripciones } from '#app/inscripciones/data.server.ts'
import type { Conteo } from '#app/inscripciones/schema.ts'
import { readEspacio } from '#app/platform/espacio.server.ts'
import { proxySinContar } from '#app/platform/proxy.ts'
import { servicesOf } from '#app/platform/services.server.ts'
import { Warning } from '#app/ui/banner.tsx'
import { Enlace } from '#app/ui/enlace.tsx'
import type { Route } from './+types/panel.page'
import { Consejo } from './consejo.tsx'
import { avisoDeEspacio } from './espacio.ts'
import { readElegida } from './guards.server.ts'
import styles from './panel.module.css'

// Screens are changed without another document: what one of them frames, the policy of all allows.
export const handle = { noindex: true, prefetch: false, sesion: true, marcos: true }

const CUENTA = '/organizadores/cuenta'

/** The door of the whole panel, and what its frame says. Every screen behind it asks again. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const esCuenta = new URL(request.url).pathname.replace(/\.data$/, '') === CUENTA
  const entrada = await abrirPuerta(request, context, 'organizadores', { sinSegundo: esCuenta })
  if (!entrada.abierta) {
    // At the panel's first screen there is nothing to see before that.
    if (entrada.puerta.estado === 'sin-segundo' && !esCuenta) throw redirect(CUENTA)
    return entrada
  }
  const { anio, ediciones } = await readElegida(request, context)
  const { sesion } = entrada
  // Where the site asks for a second step, whoever has none sees the own account and nothing else.
  if (mustHaveSegundo(cuentasOf(context), sesion))
    return { abierta: true as const, anio, cuentas: undefined, avisos: [], consejo: false, hayOtras: false }
  const { services, facts } = servicesOf(context)
  const { db, settings } = services
  const [cuentas, espacio, sinUsar] = await Promise.all([
    countInscripciones(db, anio),
    readEspacio(settings.dataDir, settings.piso),
    codigosSinUsar(db),
  ])
  const avisos = [
    avisoDeEspacio(espacio),
    proxySinContar(settings, facts.isForwarded),
    sinUsar && avisoDeCodigos(sinUsar),
  ].filter((aviso) => aviso !== undefined)
  const consejo = sesion.segundo === 'sin' && !esCuenta
  return { abierta: true as const, anio, cuentas, avisos, consejo, hayOtras: ediciones.length > 1 }
}

/** @param codigos that were sent within some minutes, and how many of them were used */
const avisoDeCodigos = ({ enviados, usados }: { enviados: number; usados: number }) =>
  `Se piden códigos que nadie usa. En los últimos minutos salieron ${enviados.toLocaleString('es-MX')} códigos para votar y se usaron ${usados.toLocaleString('es-MX')}. Quizá alguien los pide para direcciones ajenas. El sitio ya lo frena pidiendo más trabajo a quien los solicita; los votos y el panel siguen igual.`

export const action = async ({ request, context }: Route.ActionArgs) =>
  (await accionDePuerta(request, context)) ?? new Response('Esta dirección no se usa así.', { status: 400 })

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  entrarOrRechazo(request, serverAction)

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Organización' }, args)

const totalOf = (cuentas: Conteo, tipo: TipoInscripcion) =>
  Object.values(cuentas[tipo]).reduce((sum, count) => sum + count, 0)

export default function Panel({ loaderData, actionData }: Route.ComponentProps) {
  useSesionAbierta(loaderData.abierta)
  const { pathname } = useLocation()
  const secciones = useRef<HTMLElement>(null)
  // On a phone the sections stand in a row that is longer than the screen.
  useEffect(() => {
    const show = () => {
      const row = secciones.current
      const here = pathname && row?.querySelector<HTMLElement>('[aria-current]')
      if (row && here) row.scrollLeft = here.offsetLeft - (row.clientWidth - here.offsetWidth) / 2
    }
    show()
    // Letters that come later are wider or narrower.
    void document.fonts.ready.then(show)
  }, [pathname])
  if (!loaderData.abierta)
    return (
      <Puerta
        puerta={loaderData.puerta}
        titulo="Organización"
        mensaje="Esta parte del sitio es de la organización: inicia sesión para ver y atender las inscripciones."
        rechazo={actionData}
      />
    )
  const { anio, cuentas, avisos, consejo, hayOtras } = loaderData
  const isHere = (a: string) =>
    pathname === a ||
    (a === '/organizadores/sitio' && pathname.startsWith(`${a}/`) && !(hayOtras && pathname.endsWith('/ediciones'))) ||
    (a === '/organizadores' && /\/(inscripciones\/\d+|varias|impresion)$/.test(pathname))
  const todos = [
    {
      a: '/organizadores',
      texto: 'Inscripciones',
      cuenta: cuentas && totalOf(cuentas, 'candidata') + totalOf(cuentas, 'traje'),
    },
    { a: '/organizadores/personas', texto: 'Personas' },
    { a: '/misspopularidad-resultados', texto: 'Votación' },
    { a: '/organizadores/bitacora', texto: 'Bitácora' },
    { a: '/organizadores/edicion', texto: 'Edición' },
    { a: '/organizadores/privacidad', texto: 'Privacidad' },
    { a: '/organizadores/sitio', texto: 'El sitio' },
    ...(hayOtras ? [{ a: '/organizadores/sitio/ediciones', texto: 'Cambiar de edición' }] : []),
    { a: CUENTA, texto: 'Mi cuenta' },
  ]
  const enlaces = cuentas ? todos : todos.filter(({ a }) => a === CUENTA)
  return (
    <div className={styles.panel}>
      <nav className={styles.secciones} aria-label="Panel" ref={secciones}>
        <p className={styles.edicion}>Edición {anio}</p>
        {enlaces.map(({ a, texto, cuenta }) => (
          <Enlace key={a} to={a} aria-current={isHere(a) ? 'page' : undefined}>
            {texto}
            {cuenta !== undefined && <span>{cuenta.toLocaleString('es-MX')}</span>}
          </Enlace>
        ))}
        <form method="post" action="/sesion" onSubmit={forgetSesion}>
          <button type="submit">Cerrar sesión</button>
        </form>
      </nav>
      <div className={styles.contenido}>
        {avisos.length > 0 && (
          <div className={styles.avisos}>
            {avisos.map((aviso) => (
              <Warning key={aviso}>{aviso}</Warning>
            ))}
          </div>
        )}
        {consejo && <Consejo volver={pathname} />}
        <Outlet context={cuentas} />
      </div>
    </div>
  )
}
