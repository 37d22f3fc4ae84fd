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
import type { Route } from './+types/root'
import { useVisto } from './analytics/use-screen-beacon.ts'
import { vistaContext } from './cms/context.server.ts'
import { loadEdicion } from './cms/editions/displayed-edition.server.ts'
import { cabeza } from './cms/page-meta.ts'
import { hojaDeAcento } from './cms/schema/accent-color.ts'
import { hayPrograma } from './cms/schema/programme.ts'
import { Hojas } from './core/http/inline-styles.tsx'
import { Datos } from './core/http/json-ld.tsx'
import { originOf } from './core/http/services.server.ts'
import { MensajeDeError, tituloDelError } from './layout/error-message.tsx'
import { Pie } from './layout/footer.tsx'
import { Cabecera } from './layout/header.tsx'
import { Cargador } from './layout/loading-screen.tsx'
import { esDelPanel, esSeccionMaestros, esSinMarco } from './layout/navigation.ts'
import { Siguiente } from './layout/next-screen.tsx'
import { usePorVenir } from './layout/prefetch-screen.ts'
import { useDesplazamiento } from './layout/scroll-on-navigate.ts'
import { Posicion } from './layout/scroll-restoration.tsx'
import { useCamino } from './ui/links/navigate.ts'
import { shouldRevalidate as unlessAncla } from './ui/photos/lightbox-hash.ts'
import './ui/styles/base.css'

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
const MarcaDeVista = lazy(() => import('./layout/preview-notice.tsx'))

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
  // Tells the document's own script (app/core/http/defer-scripts.server.ts) that buttons work from here on.
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
