import { lazy, memo, type ReactNode, useEffect } from 'react'
import {
  Links,
  Meta,
  Outlet,
  Scripts,
  type ShouldRevalidateFunctionArgs,
  useLocation,
  useMatches,
  useRouteError,
  useRouteLoaderData,
} from 'react-router'
import { hojaDeAcento } from '#app/edicion/acento.ts'
import { cabeza } from '#app/edicion/cabeza.ts'
import { loadEdicion } from '#app/edicion/contenido.server.ts'
import { vistaContext } from '#app/edicion/guards.server.ts'
import { hayPrograma } from '#app/edicion/programa.ts'
import { Cabecera } from '#app/marco/cabecera.tsx'
import { Cargador } from '#app/marco/cargador.tsx'
import { useDesplazamiento } from '#app/marco/desplazamiento.ts'
import { MensajeDeError, tituloDelError } from '#app/marco/error.tsx'
import { esDelPanel, esSeccionMaestros, esSinMarco } from '#app/marco/navegacion.ts'
import { Pie } from '#app/marco/pie.tsx'
import { usePorVenir } from '#app/marco/por-venir.ts'
import { Posicion } from '#app/marco/posicion.tsx'
import { Siguiente } from '#app/marco/siguiente.tsx'
import { Datos } from '#app/platform/datos.tsx'
import { Hojas } from '#app/platform/hojas.tsx'
import { originOf } from '#app/platform/services.server.ts'
import { useCamino } from '#app/ui/camino.ts'
import { shouldRevalidate as unlessAncla } from '#app/ui/visor-ancla.ts'
import { useVisto } from '#app/visitas/use-visto.ts'
import type { Route } from './+types/root'
import './ui/base.css'

/** The frame says the same of another part of the same screen. */
export const shouldRevalidate = (args: ShouldRevalidateFunctionArgs) =>
  (args.formMethod !== undefined ||
    args.currentUrl.pathname !== args.nextUrl.pathname ||
    args.currentUrl.search === args.nextUrl.search) &&
  unlessAncla(args)

export const links: Route.LinksFunction = () => [
  { rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' },
  { rel: 'apple-touch-icon', href: '/apple-touch-icon.png' },
  { rel: 'manifest', href: '/manifest.webmanifest' },
]

/** Few look at the site before it is published: nobody else fetches what tells them so. */
const MarcaDeVista = lazy(() => import('#app/marco/vista.tsx'))

/** The router renders all anew for each of its states; these depend on nothing of them but the address. */
const Marco = { Cabecera: memo(Cabecera), Siguiente: memo(Siguiente), Pie: memo(Pie) }

/** Reads what header, footer and head say, but no session, since public screens are rendered ahead. */
export async function loader({ context }: Route.LoaderArgs) {
  const edicion = await loadEdicion()
  const { nombre, rotulo, anio, feria, lugar, redes, descripcion, tarjetas } = edicion
  const vista = context.get(vistaContext)
  return {
    ...(vista && { vista }),
    origen: originOf(context),
    edicion: { nombre, rotulo, anio, feria, lugar, redes, descripcion, hayPrograma: hayPrograma(edicion) },
    tarjeta: tarjetas.inicio,
    ...(edicion.acento && { paleta: hojaDeAcento(edicion.acento) }),
  }
}

export const meta: Route.MetaFunction = (args) =>
  cabeza({ pantalla: args.error ? tituloDelError(args.error) : undefined }, args)

export function Layout({ children }: { children: ReactNode }) {
  const data = useRouteLoaderData<typeof loader>('root')
  const { pathname } = useLocation()
  useCamino()
  useDesplazamiento()
  useVisto(pathname)
  usePorVenir(useMatches().some(({ handle }) => (handle as { prefetch?: boolean } | undefined)?.prefetch === false))
  // Tells the document's own script (app/platform/primera.server.ts) that buttons work from here on.
  useEffect(() => {
    document.documentElement.dataset.despierta = ''
  }, [])
  return (
    <html lang="es-MX">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="theme-color" content="#0a0608" />
        <Hojas encima={data?.paleta} />
        <Meta />
        <Links />
        <Datos />
      </head>
      <body className={esSeccionMaestros(pathname) ? 'negro' : undefined}>
        <a className="salto" href="#contenido">
          Saltar al contenido
        </a>
        {!esSinMarco(pathname) && <Marco.Cabecera />}
        <main id="contenido" tabIndex={-1}>
          {children}
        </main>
        {!esSinMarco(pathname) && <Marco.Siguiente />}
        {!esSinMarco(pathname) && <Marco.Pie edicion={data?.edicion} corto={esDelPanel(pathname)} />}
        {data?.vista && <MarcaDeVista momento={data.vista.momento} />}
        <Cargador />
        <Scripts />
      </body>
    </html>
  )
}

export default function Root() {
  return (
    <>
      <Outlet />
      <Posicion />
    </>
  )
}

/** Shows a fault of the frame itself; faults of screens are told inside the frame. */
export function ErrorBoundary() {
  return <MensajeDeError error={useRouteError()} />
}
