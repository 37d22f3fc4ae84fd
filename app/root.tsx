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
import { useScreenBeacon } from './analytics/use-screen-beacon.ts'
import { accentStylesheet } from './cms/accent-color.ts'
import { previewContext } from './cms/context.server.ts'
import { phaseContext } from './cms/edition-settings/phase.server.ts'
import { PhaseContext } from './cms/edition-settings/use-periods.ts'
import { loadEdition } from './cms/editions/displayed-edition.server.ts'
import { pageMeta } from './cms/page-meta.ts'
import { hasProgramme } from './cms/programme.ts'
import { InlineStyles } from './core/http/inline-styles.tsx'
import { JsonLd } from './core/http/json-ld.tsx'
import { originOf } from './core/http/services.server.ts'
import { ErrorMessage, errorTitle } from './layout/error-message.tsx'
import { Footer } from './layout/footer.tsx'
import { Header } from './layout/header.tsx'
import { NavigationLoadingScreen } from './layout/loading-screen.tsx'
import { hasLayout, isPanelScreen, isTeachersSection } from './layout/navigation.ts'
import { NextScreen } from './layout/next-screen.tsx'
import { usePrefetchScreen } from './layout/prefetch-screen.ts'
import { useScrollOnNavigate } from './layout/scroll-on-navigate.ts'
import { ScrollRestoration } from './layout/scroll-restoration.tsx'
import { VoteBar } from './layout/vote-bar.tsx'
import { useLinkNavigation } from './ui/navigation/navigate.ts'
import { revalidateUnlessHashOnly } from './ui/photos/lightbox-hash.ts'
import './ui/styles/base.css'

/**
 * Returns whether the root loader runs again: after a submission, for another path, and for the same URL; not if only the query or
 * the hash changes.
 */
export const shouldRevalidate = (args: ShouldRevalidateFunctionArgs) =>
  (args.formMethod !== undefined ||
    args.currentUrl.pathname !== args.nextUrl.pathname ||
    args.currentUrl.search === args.nextUrl.search) &&
  revalidateUnlessHashOnly(args)

export const links: Route.LinksFunction = () => [
  { rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' },
  { rel: 'apple-touch-icon', href: '/apple-touch-icon.png' },
  { rel: 'manifest', href: '/manifest.webmanifest' },
]

/** Loaded lazily, since only an organiser who previews the site sees the notice. */
const PreviewNotice = lazy(() => import('./layout/preview-notice.tsx'))

/**
 * Parts of the layout that are rendered again only when their props, the URL, the phase (usePhase) or the registration periods
 * (usePeriods) change, while the router renders Layout at each state of a navigation.
 */
const MemoLayout = { Header: memo(Header), NextScreen: memo(NextScreen), Footer: memo(Footer) }

/** Reads the content of header, footer and head, and the edition's phase, but no session, since visitors share public screens. */
export async function loader({ context }: Route.LoaderArgs) {
  const edition = await loadEdition()
  const { nombre, rotulo, anio, feria, lugar, redes, descripcion, tarjetas } = edition
  const preview = context.get(previewContext)
  const phase = context.get(phaseContext)
  return {
    ...(preview && { preview }),
    ...(phase && { phase }),
    origin: originOf(context),
    edition: { nombre, rotulo, anio, feria, lugar, redes, descripcion, hasProgramme: hasProgramme(edition) },
    shareCard: tarjetas.inicio,
    ...(edition.acento && { accentStyles: accentStylesheet(edition.acento) }),
  }
}

export const meta: Route.MetaFunction = (args) =>
  pageMeta({ screen: args.error ? errorTitle(args.error) : undefined }, args)

export function Layout({ children }: { children: ReactNode }) {
  const data = useRouteLoaderData<typeof loader>('root')
  const { pathname } = useLocation()
  const showsLayout = hasLayout(pathname)
  const isPanel = isPanelScreen(pathname)
  useLinkNavigation()
  useScrollOnNavigate()
  useScreenBeacon(pathname)
  usePrefetchScreen(
    useMatches().some(({ handle }) => (handle as { prefetch?: boolean } | undefined)?.prefetch === false),
  )
  // Tells the document's inline script (app/core/http/prioritize-first-picture.server.ts) that buttons work from here on.
  useEffect(() => {
    document.documentElement.dataset.hydrated = ''
  }, [])
  return (
    <html lang="es-MX">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="theme-color" content="#0a0608" />
        <InlineStyles accentStyles={data?.accentStyles} />
        <Meta />
        <Links />
        <JsonLd />
      </head>
      <body className={isTeachersSection(pathname) ? 'blackBackground' : undefined}>
        <PhaseContext value={data?.phase}>
          <a className="skip-link" href="#contenido">
            Saltar al contenido
          </a>
          {showsLayout && <MemoLayout.Header />}
          <main id="contenido" tabIndex={-1}>
            {children}
          </main>
          {showsLayout && <MemoLayout.NextScreen />}
          {showsLayout && <MemoLayout.Footer edition={data?.edition} isShort={isPanel} />}
          {showsLayout && !isPanel && <VoteBar />}
          {data?.preview && <PreviewNotice moment={data.preview.moment} />}
        </PhaseContext>
        <NavigationLoadingScreen />
        <Scripts />
      </body>
    </html>
  )
}

export default function Root() {
  return (
    <>
      <Outlet />
      <ScrollRestoration />
    </>
  )
}

/** Renders an error of the root loader; layout/screen-outlet.tsx renders those of screens. */
export function ErrorBoundary() {
  return <ErrorMessage error={useRouteError()} />
}
