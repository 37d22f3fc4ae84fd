import { useEffect } from 'react'
import { matchPath } from 'react-router'

/** What the router knows of a route; it does not publish the type. */
interface Ruta {
  parentId?: string
  path?: string
  index?: boolean
  css?: string[]
}

declare global {
  interface Window {
    __reactRouterManifest?: { version?: string; routes: Record<string, Ruta | undefined> }
  }
}

/**
 * Fetches ahead the sheets of the screens that links in view lead to: the router does so for their code and data alone,
 * and a press would wait for the sheets. `Enlace` marks the links that count.
 * @param pathname of the screen whose links are looked at
 */
export function usePorVenir(pathname: string): void {
  useEffect(() => {
    const watch = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue
        watch.unobserve(target)
        for (const href of hojasDe((target as HTMLAnchorElement).pathname)) fetchAhead(href)
      }
    })
    for (const link of document.querySelectorAll('a[data-discover]')) watch.observe(link)
    return () => watch.disconnect()
  }, [pathname])
}

/** The sheets of an address's screen and of the layouts around it, but those that the document brought. */
function hojasDe(pathname: string): string[] {
  const routes = window.__reactRouterManifest?.routes ?? {}
  const chain = (route: Ruta | undefined): Ruta[] => (route ? [...chain(routes[route.parentId ?? '']), route] : [])
  const found = Object.values(routes).find((route) => {
    const path = chain(route)
      .map((each) => each.path ?? '')
      .join('/')
    return (route?.index || (route?.path && !route.path.endsWith('*'))) && matchPath(path, pathname)
  })
  return chain(found).flatMap(({ css }) => css ?? [])
}

function fetchAhead(href: string): void {
  if (document.querySelector(`link[href="${href}"]`)) return
  document.head.append(Object.assign(document.createElement('link'), { rel: 'prefetch', as: 'style', href }))
}
