import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type SyntheticEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { afterNextPaint } from '#app/ui/deferred/after-paint.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { buttonLook } from './button.tsx'
import styles from './dialog.module.css'

interface Props {
  title: string
  /** The kicker is a line above the title. */
  kicker?: string | undefined
  /** The picture stands along one side, or above on a phone. */
  sidePicture?: ReactNode
  isOpen: boolean
  onClose: () => void
  /** The address of the page without the dialog, for visitors without JavaScript. */
  closedUrl?: string
  /** For this long the dialog cannot be closed: Escape and the backdrop do nothing, and the button is hidden. */
  lockedMs?: number
  /** The close button is `quiet` beside a more important action, and `main` where closing is the only action. */
  closeLook?: 'main' | 'outline' | 'quiet'
  /** The close callback runs before the next paint, for work in progress that must stop at once. */
  closesAtOnce?: boolean
  className?: string | undefined
  children: ReactNode
}

/**
 * Shows a modal window, the native `<dialog>`. Without JavaScript it is one more section of the page, so that its content can be
 * read.
 */
export function Dialog({
  title,
  kicker,
  sidePicture,
  isOpen,
  onClose,
  closedUrl,
  lockedMs = 0,
  closeLook = 'outline',
  closesAtOnce = false,
  className,
  children,
}: Props) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const [isClosable, setClosable] = useState(lockedMs === 0)

  useEffect(() => {
    const element = dialog.current
    if (!element || !isOpen) return
    element.removeAttribute('data-closing')
    element.style.setProperty('--locked', `${lockedMs}ms`)
    element.showModal()
    // The heading takes the focus first: a focused link would look chosen already.
    element.querySelector('h2')?.focus({ preventScroll: true })
    const stop = afterShown(lockedMs, () => setClosable(true))
    return () => {
      stop()
      setClosable(lockedMs === 0)
      element.close()
    }
  }, [isOpen, lockedMs])

  // The dialog disappears at once. Closing it restyles the whole document, so the closing follows a paint later.
  const closeSoon = () => {
    if (closesAtOnce) return onClose()
    if (dialog.current?.hasAttribute('data-closing')) return
    dialog.current?.setAttribute('data-closing', '')
    void afterNextPaint().then(onClose)
  }
  const onCancel = (event: SyntheticEvent) => {
    event.preventDefault()
    if (isClosable) closeSoon()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !isClosable) event.preventDefault()
  }
  const onClick = ({ target, currentTarget }: MouseEvent) => {
    if (isClosable && target === currentTarget) closeSoon()
  }

  return (
    <dialog
      ref={dialog}
      className={joinClasses(styles.dialog, sidePicture !== undefined && styles.withSide, className)}
      aria-labelledby={id}
      // `closedby` also delays the browser's own ways to close, such as a phone's Back.
      {...{ closedby: isClosable ? 'any' : 'none' }}
      onCancel={onCancel}
      onKeyDown={onKeyDown}
      onClick={onClick}
      // A browser may close the dialog without a cancel event.
      onClose={() => isOpen && onClose()}
    >
      {sidePicture}
      <div className={styles.inside}>
        {kicker && <p className={styles.label}>{kicker}</p>}
        <h2 id={id} tabIndex={-1}>
          {title}
        </h2>
        {children}
        {/* The button's place is reserved from the start, so that nothing moves when the button shows. */}
        <p className={styles.footer} hidden={!isClosable}>
          <button type="button" className={buttonLook(closeLook)} onClick={closeSoon}>
            Cerrar
          </button>
        </p>
        {closedUrl && (
          <p className={styles.exit}>
            <a className={buttonLook(closeLook)} href={closedUrl}>
              Cerrar
            </a>
          </p>
        )}
      </div>
    </dialog>
  )
}

/**
 * Calls back `ms` after a window that was just opened is on the screen: a page that has just loaded is busy, and paints late.
 * @returns a function that cancels the call
 */
function afterShown(ms: number, call: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  // The first frame paints the window; the second comes when it is on the screen.
  let frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(() => {
      const shownMs = performance.now()
      const wait = () => {
        const remainingMs = shownMs + ms - performance.now()
        if (remainingMs <= 0) call()
        else timer = setTimeout(wait, remainingMs)
      }
      wait()
    })
  })
  return () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
}
