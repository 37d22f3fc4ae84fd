import { type RefObject, useEffect } from 'react'
import { whenIdle } from '#app/ui/deferred/after-paint.ts'

/**
 * Moment at which a link's screen is prefetched: with `intent`, once the pointer, a finger or the focus reaches the link; with
 * `viewport`, also once the link is in view.
 */
export type PrefetchBehavior = 'viewport' | 'intent' | 'none'

type Prefetch = (pathname: string) => void

let prefetch: Prefetch | undefined
/** Links whose screens are prefetched once the pointer, a finger or the focus reaches them. */
const watchedLinks = new Set<Element>()
/** Links in view, whose screens are prefetched when the browser is idle. */
const linksInView = new Set<HTMLAnchorElement>()
let viewObserver: IntersectionObserver | undefined

const prefetchLink = ({ origin, pathname }: HTMLAnchorElement) => {
  if (origin === location.origin && pathname !== location.pathname) prefetch?.(pathname)
}

/** Prefetches each screen in a callback of its own: an opened menu brings several links into view, and no click waits for them. */
const prefetchWhenIdle = (link: HTMLAnchorElement) => whenIdle(() => linksInView.has(link) && prefetchLink(link))

/**
 * Sets the function that prefetches a screen, and calls it for the links in view.
 * @returns a function that unsets it
 */
export function registerPrefetch(newPrefetch: Prefetch): () => void {
  prefetch = newPrefetch
  linksInView.forEach(prefetchWhenIdle)
  // One listener per event serves all links, since listeners on each link would slow every change of screen.
  for (const type of NEAR_EVENTS) document.addEventListener(type, onNear, { passive: true, capture: true })
  return () => {
    prefetch = undefined
    for (const type of NEAR_EVENTS) document.removeEventListener(type, onNear, { capture: true })
  }
}

const NEAR_EVENTS = ['pointerenter', 'touchstart', 'focus'] as const

function onNear({ target }: Event): void {
  const link = target instanceof Element && target.closest('a')
  if (link && watchedLinks.has(link)) prefetchLink(link)
}

/** Prefetches the screen behind a link. */
export function usePrefetch(target: RefObject<HTMLAnchorElement | null>, when: PrefetchBehavior): void {
  useEffect(() => {
    const link = target.current
    if (!link || when === 'none') return
    watchedLinks.add(link)
    if (when === 'viewport') getViewObserver().observe(link)
    return () => {
      watchedLinks.delete(link)
      viewObserver?.unobserve(link)
      linksInView.delete(link)
    }
  }, [target, when])
}

function getViewObserver(): IntersectionObserver {
  viewObserver ??= new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries as (IntersectionObserverEntry & { target: HTMLAnchorElement })[])
        if (!isIntersecting) linksInView.delete(target)
        else {
          linksInView.add(target)
          prefetchWhenIdle(target)
        }
    },
    { threshold: 0.5 },
  )
  return viewObserver
}
