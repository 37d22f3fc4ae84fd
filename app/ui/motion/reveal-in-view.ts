import { type RefObject, useEffect, useLayoutEffect, useState } from 'react'
import styles from './reveal-in-view.module.css'

/**
 * Classes of elements that appear when they come into view: `fadeIn` fades in place, `fromLeft` also slides in from the left. A
 * stylesheet may stagger elements by --appear-delay (default 100 ms).
 */
export const fadeIn = styles.fade
export const fromLeft = styles.left

/**
 * Reveals the descendants with `fadeIn` or `fromLeft` once, when they come into view. The stylesheet alone animates those in view
 * at the first paint; those further down are dimmed from hydration until they come into view. Without JavaScript, and with
 * reduced motion, all are visible.
 * @param isWhole whether all descendants are rendered; a change observes them anew
 */
export function useRevealInView(list: RefObject<HTMLElement | null>, isWhole = true): void {
  useLayoutEffect(() => {
    if (!list.current || matchMedia('(prefers-reduced-motion: reduce)').matches) return
    const reveal = (element: Element) => element.removeAttribute('data-awaits-view')
    // An observer is used, since reading positions would force a layout of the whole screen.
    const observer = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target, boundingClientRect } of entries) {
        if (!isIntersecting && boundingClientRect.top >= innerHeight) {
          target.setAttribute('data-awaits-view', '')
          continue
        }
        reveal(target)
        observer.unobserve(target)
      }
    })
    const appearingElements = [...list.current.querySelectorAll(`.${fadeIn}, .${fromLeft}`)]
    for (const element of appearingElements) observer.observe(element)
    return () => {
      observer.disconnect()
      appearingElements.forEach(reveal)
    }
  }, [list, isWhole])
}

/**
 * Returns whether at least a part of an element is in view; false until hydration.
 * @param minShare 0 to 1 of the element's area; 0 means any contact with the view
 */
export function useInView(target: RefObject<HTMLElement | null>, minShare = 0): boolean {
  const [isInView, setInView] = useState(false)
  useEffect(() => {
    if (!target.current) return
    const observer = new IntersectionObserver(
      (entries) => {
        const last = entries.at(-1)!
        setInView(last.isIntersecting && last.intersectionRatio >= minShare)
      },
      { threshold: minShare },
    )
    observer.observe(target.current)
    return () => observer.disconnect()
  }, [target, minShare])
  return isInView
}
