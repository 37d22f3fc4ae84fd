import { type ReactNode, useDeferredValue, useState } from 'react'
import { NavigationType, useLocation, useNavigationType } from 'react-router'
import styles from './below-fold.module.css'

/**
 * Returns whether to render the part of a screen below its first view. After a click on a link the first view is painted without
 * that part. Served documents, Back (which restores a scroll position) and URLs with a hash have the part at once.
 */
export function useBelowFold(): boolean {
  const navigationType = useNavigationType()
  const { hash } = useLocation()
  const [isShownAtOnce] = useState(() => isServedDocument() || navigationType === NavigationType.Pop || hash !== '')
  return useDeferredValue(true, isShownAtOnce)
}

const isServedDocument = () =>
  typeof document === 'undefined' || document.documentElement.dataset.hydrated === undefined

/** Renders the part below the first view; until it is shown, a space of the window's height keeps the footer out of view. */
export const BelowFold = ({ isShown, children }: { isShown: boolean; children: ReactNode }) =>
  isShown ? children : <div className={styles.gap} />
