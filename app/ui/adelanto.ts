import { type RefObject, useEffect } from 'react'
import { whenIdle } from './respiro.ts'

/** When what lies behind a link is fetched ahead: once it is in view, or once somebody comes near it. */
export type Adelanto = 'viewport' | 'intent' | 'none'

type Fetch = (pathname: string) => void

let fetchAhead: Fetch | undefined
/** Links in view, for whom fetching begins while they are. */
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
export function onAdelanto(fetch: Fetch): () => void {
  fetchAhead = fetch
  inView.forEach(askWhenIdle)
  return () => {
    fetchAhead = undefined
  }
}

/** Has what lies behind a link fetched ahead. */
export function useAdelanto(target: RefObject<HTMLAnchorElement | null>, when: Adelanto): void {
  useEffect(() => {
    const link = target.current
    if (!link || when === 'none') return
    const near = () => ask(link)
    const NEAR = ['pointerenter', 'touchstart', 'focus'] as const
    for (const type of NEAR) link.addEventListener(type, near, { passive: true })
    if (when === 'viewport') watcher().observe(link)
    return () => {
      for (const type of NEAR) link.removeEventListener(type, near)
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
