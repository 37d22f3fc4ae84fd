import { type RefObject, useEffect, useLayoutEffect, useState } from 'react'
import styles from './reveal-in-view.module.css'

/**
 * Classes of elements that appear: `fundido` fades in where it stands, `fromLeft` also comes in from the left.
 * A stylesheet may set --aparicion-retraso (100 ms otherwise) on them, to let one come after another.
 */
export const fadeIn = styles.fundido
export const fromLeft = styles.izquierda

/**
 * Lets the children of an element that carry one of the classes above appear once, when they come into view. Children
 * in view at the first paint appear by their stylesheet alone; those that lie below when the page wakes are hidden
 * until they come into view. Without JavaScript, and with reduced motion, everything just stands there.
 * @param whole whether all of its children are there
 */
export function useRevealInView(list: RefObject<HTMLElement | null>, whole = true): void {
  useLayoutEffect(() => {
    if (!list.current || matchMedia('(prefers-reduced-motion: reduce)').matches) return
    const show = (element: Element) => element.removeAttribute('data-espera-vista')
    // To ask where they stand would have the whole screen laid out at once; the observer tells it after the first paint.
    const observer = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target, boundingClientRect } of entries) {
        if (!isIntersecting && boundingClientRect.top >= innerHeight) {
          target.setAttribute('data-espera-vista', '')
          continue
        }
        show(target)
        observer.unobserve(target)
      }
    })
    const appearing = [...list.current.querySelectorAll(`.${fadeIn}, .${fromLeft}`)]
    for (const element of appearing) observer.observe(element)
    return () => {
      observer.disconnect()
      appearing.forEach(show)
    }
  }, [list, whole])
}

/**
 * Whether at least a part of an element is in view; false until the page is alive.
 * @param part 0 to 1 of the element's area; 0: as soon as it touches the view
 */
export function useInView(target: RefObject<HTMLElement | null>, part = 0): boolean {
  const [inView, setInView] = useState(false)
  useEffect(() => {
    if (!target.current) return
    const observer = new IntersectionObserver(
      (entries) => {
        const last = entries.at(-1)!
        setInView(last.isIntersecting && last.intersectionRatio >= part)
      },
      { threshold: part },
    )
    observer.observe(target.current)
    return () => observer.disconnect()
  }, [target, part])
  return inView
}
