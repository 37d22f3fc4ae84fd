import { type ReactNode, useDeferredValue, useState } from 'react'
import { NavigationType, useLocation, useNavigationType } from 'react-router'
import styles from './below-fold.module.css'

/**
 * Whether what lies below a screen's first view is rendered. After a press on a link the first view is painted first, and
 * the rest comes right behind it. It is there at once in a document, after Back, which returns to a place within it, and
 * where the address names a part of the screen.
 */
export function useBelowFold(): boolean {
  const type = useNavigationType()
  const { hash } = useLocation()
  const [isWhole] = useState(() => isOfTheDocument() || type === NavigationType.Pop || hash !== '')
  return useDeferredValue(true, isWhole)
}

const isOfTheDocument = () =>
  typeof document === 'undefined' || document.documentElement.dataset.despierta === undefined

/** What lies below the first view; until it is there, a window's height of nothing, so that the footer is not seen first. */
export const BelowFold = ({ si, children }: { si: boolean; children: ReactNode }) =>
  si ? children : <div className={styles.hueco} />
