import { type RefObject, useEffect } from 'react'
import { whenIdle } from '#app/ui/loading/after-paint.ts'

/** When what lies behind a link is fetched ahead: once it is in view, or once somebody comes near it. */
export type PrefetchBehavior = 'viewport' | 'intent' | 'none'

type Fetch = (pathname: string) => void

let fetchAhead: Fetch | undefined
/** Links whose screens are fetched once somebody comes near. */
const links = new Set<Element>()
/** Those of them in view, for whom fetching begins while they are. */
const inView = new Set<HTMLAnchorElement>()
let watch: IntersectionObserver | undefined

const ask = ({ origin, pathname }: HTMLAnchorElement) => {
  if (origin === location.origin && pathname !== location.pathname) fetchAhead?.(pathname)
}

/** One link at a time: a menu that opens brings eight of them into view, and the press on it waits for none. */
const askWhenIdle = (link: HTMLAnchorElement) => whenIdle(() => inView.has(link) && ask(link))

/**
 * Says who fetches ahead, for the links in view at once.
 * @returns ends it
 */
export function onPrefetch(fetch: Fetch): () => void {
  fetchAhead = fetch
  inView.forEach(askWhenIdle)
  // One listener for all of a screen's links: a change of screen would wait for as many to come as to go.
  for (const type of NEAR) document.addEventListener(type, near, { passive: true, capture: true })
  return () => {
    fetchAhead = undefined
    for (const type of NEAR) document.removeEventListener(type, near, { capture: true })
  }
}

const NEAR = ['pointerenter', 'touchstart', 'focus'] as const

function near({ target }: Event): void {
  const link = target instanceof Element && target.closest('a')
  if (link && links.has(link)) ask(link)
}

/** Has what lies behind a link fetched ahead. */
export function usePrefetch(target: RefObject<HTMLAnchorElement | null>, when: PrefetchBehavior): void {
  useEffect(() => {
    const link = target.current
    if (!link || when === 'none') return
    links.add(link)
    if (when === 'viewport') watcher().observe(link)
    return () => {
      links.delete(link)
      watch?.unobserve(link)
      inView.delete(link)
    }
  }, [target, when])
}

function watcher(): IntersectionObserver {
  watch ??= new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries as (IntersectionObserverEntry & { target: HTMLAnchorElement })[])
        if (!isIntersecting) inView.delete(target)
        else {
          inView.add(target)
          askWhenIdle(target)
        }
    },
    { threshold: 0.5 },
  )
  return watch
}
