import {
  type KeyboardEvent,
  type MouseEvent,
  type SyntheticEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useLocation, useNavigate } from 'react-router'
import { NextIcon, PreviousIcon } from '#app/ui/components/icons.tsx'
import { afterNextPaint } from '#app/ui/deferred/after-paint.ts'
import { useSwipe, wrapIndex } from '#app/ui/motion/swipe.ts'
import styles from './lightbox-dialog.module.css'
import { numberInHash, photoHashOf } from './lightbox-hash.ts'
import { useZoom } from './zoom.ts'

interface FullPhoto {
  alt: string
  /** Caption under the photograph. If it is undefined, `alt` is shown. */
  caption?: string | undefined
  imageAttributes: { src: string; width: number; height: number }
  sources: { type: string; srcSet: string }[]
}

interface Props {
  group: string
  label: string
  photos: FullPhoto[]
  isOpen: boolean
  /** Index of the shown photograph. It may run past both ends of `photos`. */
  position: number
  onMove: (position: number) => void
}

const DOUBLE_CLICK_MS = 500

const aspectRatioOf = ({ imageAttributes: { width, height } }: FullPhoto) => width / height

/**
 * Returns whether a photograph is as upright as a poster. On wide screens it takes the full height then, with its text beside it.
 */
const isUpright = (photo: FullPhoto) => aspectRatioOf(photo) < 0.75

/**
 * Closes the dialog. For the time of a double click after that the page ignores pointers, so that the second click hits nothing.
 */
function closeDialog(dialog: HTMLDialogElement | null): void {
  if (!dialog?.open) return
  const { style } = document.body
  style.pointerEvents = 'none'
  dialog.close()
  setTimeout(() => style.removeProperty('pointer-events'), DOUBLE_CLICK_MS)
}

/**
 * Renders the lightbox's dialog. This module imports no stylesheet but its own: a stylesheet that the page has already would load
 * again, after all others.
 */
export function LightboxDialog({ group, label, photos, isOpen, position, onMove }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const stage = useRef<HTMLDivElement>(null)
  const isLeaving = useRef(false)
  /** The thumbnail that opened the dialog; undefined if the URL did. */
  const opener = useRef<HTMLElement>(undefined)
  const navigate = useNavigate()
  const { key, state } = useLocation()
  const wasPushed = (state as { isLightbox?: boolean } | null)?.isLightbox === true
  /** Position of the photograph that was enlarged, and so is fetched in full size. */
  const [enlargedPosition, setEnlargedPosition] = useState<number>()
  const { isZoomed, zoom, resetZoom } = useZoom(stage, '[data-place="current"] [data-zoom-target]', {
    resetKey: isOpen && position,
    onZoom: () => setEnlargedPosition(position),
  })
  const count = photos.length
  const currentIndex = wrapIndex(position, count)
  const photo = photos[currentIndex]!
  /**
   * Position whose neighbours and backlight are rendered. It follows `position` one paint later, so that the chosen photograph is
   * painted before its neighbours.
   */
  const [renderedMiddle, setRenderedMiddle] = useState<number>()
  useEffect(() => {
    let isStale = false
    void afterNextPaint().then(() => isStale || setRenderedMiddle(position))
    return () => {
      isStale = true
    }
  }, [position])
  const renderedPositions = [
    ...new Set(
      count > 1 && renderedMiddle !== undefined
        ? [renderedMiddle - 1, renderedMiddle, renderedMiddle + 1, position]
        : [position],
    ),
  ].sort((a, b) => a - b)

  // The stylesheet places the arrows by the photograph's aspect ratio.
  useLayoutEffect(() => dialog.current?.style.setProperty('--ratio', String(aspectRatioOf(photo))), [photo])

  // Opens and closes the dialog as the URL's hash requires.
  useEffect(() => {
    isLeaving.current = false
    if (isOpen && key && !dialog.current?.open) {
      opener.current = document.activeElement?.closest<HTMLElement>('[data-replay-click]') ?? undefined
      dialog.current?.removeAttribute('data-closing')
      dialog.current?.showModal()
    } else if (!isOpen) closeDialog(dialog.current)
  }, [isOpen, key])

  // Keeps the page behind from scrolling, and reserves the scrollbar's width, so that the page's layout does not move.
  useLayoutEffect(() => {
    if (!isOpen) return
    const root = document.documentElement
    const hasScrollbar = window.innerWidth > root.clientWidth
    root.style.overflow = 'hidden'
    if (hasScrollbar) root.style.scrollbarGutter = 'stable'
    return () => {
      root.style.removeProperty('overflow')
      root.style.removeProperty('scrollbar-gutter')
    }
  }, [isOpen])

  const leaveDialog = () => {
    if (isLeaving.current) return
    isLeaving.current = true
    // `data-closing` hides the dialog before it closes. Closing it restyles the whole document, and so follows after a paint, with
    // the change of URL.
    dialog.current?.setAttribute('data-closing', '')
    void afterNextPaint().then(() => {
      // Back may have closed the dialog meanwhile.
      if (!isLeaving.current) return
      closeDialog(dialog.current)
      if (wasPushed && window.history.state.idx > 0) navigate(-1)
      else navigate({ search: window.location.search, hash: '' }, { replace: true, preventScrollReset: true })
    })
  }

  const goTo = (next: number) => {
    if (next === position) return
    onMove(next)
    // `replaceState` bypasses the router, which would render every link of the screen behind again.
    window.history.replaceState(window.history.state, '', photoHashOf(group, wrapIndex(next, count) + 1))
  }
  const moveBy = (step: number) => goTo(position + step)
  useSwipe(stage, (step) => {
    if (count > 1 && !isZoomed()) moveBy(step)
  })

  const onKeyDown = (event: KeyboardEvent) => {
    // Alt with an arrow is the browser's Back. A held key would change the URL more often than browsers allow.
    if (event.altKey || event.ctrlKey || event.metaKey || event.repeat) return
    const actions: Record<string, () => void> = {
      ArrowLeft: () => moveBy(-1),
      ArrowRight: () => moveBy(1),
      Home: () => goTo(position - currentIndex),
      End: () => goTo(position - currentIndex + count - 1),
      '+': () => zoom(1.5),
      '-': () => zoom(1 / 1.5),
      '0': resetZoom,
    }
    const action = actions[event.key]
    if (!action || (count === 1 && !/[+\-0]/.test(event.key))) return
    event.preventDefault()
    action()
  }

  const onClick = ({ target }: MouseEvent) => {
    if (target instanceof Element && !target.closest('[data-zoom-target], button, p')) leaveDialog()
  }

  const onCancel = (event: SyntheticEvent) => {
    event.preventDefault()
    leaveDialog()
  }

  const onClose = () => {
    // WebKit does not always restore the focus, and a dialog that was opened by a URL has no opener.
    if (document.activeElement === document.body || dialog.current?.contains(document.activeElement)) {
      const thumbnail = document.querySelector<HTMLElement>(`[data-replay-click="${group}-${currentIndex + 1}"]`)
      ;(opener.current ?? thumbnail)?.focus({ preventScroll: true })
    }
    // A browser may close the dialog without a cancel event.
    if (!dialog.current?.open && numberInHash(window.location.hash, group, count) !== undefined) leaveDialog()
  }

  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      data-upright={isUpright(photo) || undefined}
      data-has-caption={photo.caption !== undefined || undefined}
      aria-label={label}
      onCancel={onCancel}
      onClose={onClose}
      onClick={onClick}
      onKeyDown={onKeyDown}
    >
      {renderedMiddle !== undefined && (
        <Backlight key={wrapIndex(renderedMiddle, count)} photo={photos[wrapIndex(renderedMiddle, count)]!} />
      )}
      <button type="button" className={styles.close} onClick={leaveDialog}>
        <span aria-hidden="true">×</span> Cerrar
      </button>
      {count > 1 && (
        <>
          <button type="button" className={styles.previous} onClick={() => moveBy(-1)} aria-label="Anterior">
            <PreviousIcon />
          </button>
          <button type="button" className={styles.next} onClick={() => moveBy(1)} aria-label="Siguiente">
            <NextIcon />
          </button>
        </>
      )}
      <div ref={stage} className={styles.stage} data-has-arrows={count > 1 || undefined}>
        {renderedPositions.map((slidePosition) => {
          const shownPhoto = photos[wrapIndex(slidePosition, count)]!
          const side = slidePosition === position ? 'current' : slidePosition < position ? 'previous' : 'next'
          return (
            <div
              key={slidePosition}
              className={styles.slide}
              data-place={side}
              data-upright={isUpright(shownPhoto) || undefined}
              aria-hidden={slidePosition !== position}
            >
              <PhotoFrame
                photo={shownPhoto}
                isMiddle={slidePosition === (renderedMiddle ?? position)}
                isFullSize={enlargedPosition === slidePosition}
              />
            </div>
          )
        })}
      </div>
      <p className={styles.footer} aria-live="polite">
        <span className={styles.caption}>{photo.caption ?? photo.alt}</span>{' '}
        {count > 1 && (
          <span className={styles.position}>
            {currentIndex + 1} de {count}
          </span>
        )}
      </p>
    </dialog>
  )
}

const sourceElementsOf = ({ sources }: FullPhoto, sizes: string) =>
  sources.map((source) => <source key={source.type} {...source} sizes={sizes} />)

/** Renders the smallest size of the photograph, blurred, as light around it. */
const Backlight = ({ photo }: { photo: FullPhoto }) => (
  <picture className={styles.backlight}>
    {sourceElementsOf(photo, '1px')}
    <img {...photo.imageAttributes} alt="" />
  </picture>
)

interface FrameProps {
  photo: FullPhoto
  isMiddle: boolean
  isFullSize: boolean
}

/**
 * Renders a whole photograph as large as its place allows. Behind the middle photograph is its smallest size, which a thumbnail has
 * usually fetched already.
 */
function PhotoFrame({ photo, isMiddle, isFullSize }: FrameProps) {
  const { alt, imageAttributes } = photo
  const ratio = aspectRatioOf(photo)
  /** Returns the width at which the photograph leaves `rest` of the window's height free. */
  const widthLeaving = (rest: string) => `calc((100vh - ${rest}) * ${ratio.toFixed(3)})`
  // These are roughly the queries and lengths of lightbox-dialog.module.css, with which they must be kept in step.
  const sizes = isFullSize
    ? `${imageAttributes.width}px`
    : [
        `(max-height: 559px) and (orientation: landscape) min(74vw, ${(ratio * 100).toFixed()}vh)`,
        ...(isUpright(photo)
          ? [`(min-width: 901px) and (min-height: 560px) and (min-aspect-ratio: 5/4) ${widthLeaving('4.5rem')}`]
          : []),
        `min(100vw, ${widthLeaving('10.1rem')})`,
      ].join(', ')
  return (
    <div
      ref={(element) => element?.style.setProperty('--ratio', String(ratio))}
      className={styles.frame}
      data-zoom-target=""
    >
      {isMiddle && (
        <picture>
          {sourceElementsOf(photo, '1px')}
          <img {...imageAttributes} alt="" />
        </picture>
      )}
      <picture>
        {sourceElementsOf(photo, sizes)}
        <img {...imageAttributes} alt={alt} draggable={false} fetchPriority={isMiddle ? 'high' : 'low'} />
      </picture>
    </div>
  )
}
