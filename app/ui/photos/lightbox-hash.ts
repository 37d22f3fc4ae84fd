import type { ShouldRevalidateFunctionArgs } from 'react-router'

/** Place of an open photograph in the address: «#foto-galeria-2». No element of a page has such an id. */
export const anclaDe = (serie: string, numero: number) => `#foto-${serie}-${numero}`

/**
 * Which photograph of a group an address opens.
 * @param hash with its `#`
 * @returns number from 1; undefined when the hash names none of the group
 */
export function numeroEnAncla(hash: string, serie: string, cuantas: number): number | undefined {
  const inicio = `#foto-${serie}-`
  const resto = hash.slice(inicio.length)
  if (!hash.startsWith(inicio) || !/^[1-9]\d*$/.test(resto)) return undefined
  return Number(resto) <= cuantas ? Number(resto) : undefined
}

/**
 * The `shouldRevalidate` of every route with a loader on a screen that has a lightbox. Going back from an open
 * photograph only takes the hash away; the router would ask for the screen's data again.
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
