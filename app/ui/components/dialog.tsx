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
  /** Line above the title. */
  kicker?: string | undefined
  /** Picture along one side; above the text on a phone. */
  sidePicture?: ReactNode
  isOpen: boolean
  onClose: () => void
  /** URL of the page without the dialog: the closing link for visitors without JavaScript. */
  closedUrl?: string
  /** Time during which the dialog cannot be closed: Escape and the backdrop do nothing, and the button is hidden. */
  lockedMs?: number
  /** The close button is `quiet` beside a more important action, and `main` where closing is the only action. */
  closeLook?: 'main' | 'outline' | 'quiet'
  /** `onClose` runs at once instead of after the next paint, for work that closing must stop. */
  closesAtOnce?: boolean
  className?: string | undefined
  children: ReactNode
}

/** Renders a modal `<dialog>`. Without JavaScript its content is a section of the page. */
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
  const [isClosable, setIsClosable] = useState(lockedMs === 0)

  useEffect(() => {
    const element = dialog.current
    if (!element || !isOpen) return
    element.removeAttribute('data-closing')
    element.style.setProperty('--locked', `${lockedMs}ms`)
    element.showModal()
    // Focuses the heading, since a focused link would look chosen.
    element.querySelector('h2')?.focus({ preventScroll: true })
    const stop = afterShown(lockedMs, () => setIsClosable(true))
    return () => {
      stop()
      setIsClosable(lockedMs === 0)
      element.close()
    }
  }, [isOpen, lockedMs])

  // `data-closing` hides the dialog at once. Closing it restyles the whole document, and so follows after a paint.
  const closeAfterPaint = () => {
    if (closesAtOnce) return onClose()
    if (dialog.current?.hasAttribute('data-closing')) return
    dialog.current?.setAttribute('data-closing', '')
    void afterNextPaint().then(onClose)
  }
  const onCancel = (event: SyntheticEvent) => {
    event.preventDefault()
    if (isClosable) closeAfterPaint()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !isClosable) event.preventDefault()
  }
  const onClick = ({ target, currentTarget }: MouseEvent) => {
    if (isClosable && target === currentTarget) closeAfterPaint()
  }

  return (
    <dialog
      ref={dialog}
      className={joinClasses(styles.dialog, sidePicture !== undefined && styles.withSide, className)}
      aria-labelledby={id}
      // `closedby="none"` also blocks the browser's own ways to close, such as Back on a phone. React's types lack the attribute.
      {...{ closedby: isClosable ? 'any' : 'none' }}
      onCancel={onCancel}
      onKeyDown={onKeyDown}
      onClick={onClick}
      // A browser may close the dialog without a cancel event.
      onClose={() => isOpen && onClose()}
    >
      {sidePicture}
      <div className={styles.content}>
        {kicker && <p className={styles.kicker}>{kicker}</p>}
        <h2 id={id} tabIndex={-1}>
          {title}
        </h2>
        {children}
        {/* The stylesheet reserves the place of the hidden button, so that nothing moves when it appears. */}
        <p className={styles.footer} hidden={!isClosable}>
          <button type="button" className={buttonLook(closeLook)} onClick={closeAfterPaint}>
            Cerrar
          </button>
        </p>
        {closedUrl && (
          <p className={styles.closedLink}>
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
 * Calls `work` once an element that was just shown has been on the screen for `ms`; a busy page may paint it late.
 * @returns a function that cancels the call
 */
function afterShown(ms: number, work: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  // The first frame paints the element; the second comes when it is on the screen.
  let frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(() => {
      const shownAtMs = performance.now()
      const wait = () => {
        const remainingMs = shownAtMs + ms - performance.now()
        if (remainingMs <= 0) work()
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
