import { type ReactNode, useDeferredValue, useState } from 'react'
import { NavigationType, useLocation, useNavigationType } from 'react-router'
import styles from './below-fold.module.css'

/**
 * Returns whether the part of a screen below its first view is rendered. After a click on a link, the first view is painted
 * before that part. The part is there at once in a served document, after Back, which returns to a scroll position within it, and
 * where the address has a hash.
 */
export function useBelowFold(): boolean {
  const type = useNavigationType()
  const { hash } = useLocation()
  const [isWhole] = useState(() => isServedDocument() || type === NavigationType.Pop || hash !== '')
  return useDeferredValue(true, isWhole)
}

const isServedDocument = () =>
  typeof document === 'undefined' || document.documentElement.dataset.hydrated === undefined

/** Shows the part below the first view; until then, an empty space of a window's height keeps the footer out of view. */
export const BelowFold = ({ isShown, children }: { isShown: boolean; children: ReactNode }) =>
  isShown ? children : <div className={styles.gap} />
