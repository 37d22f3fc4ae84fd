import type { ShouldRevalidateFunctionArgs } from 'react-router'

/** Place of an open photograph in the address: «#foto-galeria-2». No element of a page has such an id. */
export const anclaDe = (serie: string, numero: number) => `#foto-${serie}-${numero}`

/**
 * Which photograph of a group an address opens.
 * @param hash with its `#`
 * @returns number from 1; undefined when it is none of theirs
 */
export function numeroEnAncla(hash: string, serie: string, cuantas: number): number | undefined {
  const inicio = `#foto-${serie}-`
  const resto = hash.slice(inicio.length)
  if (!hash.startsWith(inicio) || !/^[1-9]\d*$/.test(resto)) return undefined
  return Number(resto) <= cuantas ? Number(resto) : undefined
}

/**
 * A route's `shouldRevalidate`, for every route with a loader on a screen that has a lightbox: going back from an open
 * photograph takes the hash away and is no reason to ask for the screen's data again, as the router would.
 */
export function shouldRevalidate({
  currentUrl,
  nextUrl,
  formMethod,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs): boolean {
  const sameScreen = currentUrl.pathname === nextUrl.pathname && currentUrl.search === nextUrl.search
  return !formMethod && sameScreen && currentUrl.hash !== nextUrl.hash ? false : defaultShouldRevalidate
}
