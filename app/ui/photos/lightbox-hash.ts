import type { ShouldRevalidateFunctionArgs } from 'react-router'

/** Returns the URL's hash for an open photograph: «#foto-galeria-2». No element of a page has such an id. */
export const photoHashOf = (group: string, number: number) => `#foto-${group}-${number}`

/**
 * Finds the photograph of a group that a URL's hash opens.
 * @param hash with its `#`
 * @returns number from 1; undefined if the hash names no photograph of the group
 */
export function numberInHash(hash: string, group: string, photoCount: number): number | undefined {
  const prefix = `#foto-${group}-`
  const numberText = hash.slice(prefix.length)
  if (!hash.startsWith(prefix) || !/^[1-9]\d*$/.test(numberText)) return undefined
  return Number(numberText) <= photoCount ? Number(numberText) : undefined
}

/**
 * `shouldRevalidate` for every route with a loader on a screen with a lightbox: Back from an open photograph only removes the
 * hash, but the router would load the screen's data again.
 */
export function revalidateUnlessHashOnly({
  currentUrl,
  nextUrl,
  formMethod,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs): boolean {
  const isSameScreen = currentUrl.pathname === nextUrl.pathname && currentUrl.search === nextUrl.search
  return !formMethod && isSameScreen && currentUrl.hash !== nextUrl.hash ? false : defaultShouldRevalidate
}
