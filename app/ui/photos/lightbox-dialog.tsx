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
import { useSwipe, wrap } from '#app/ui/motion/swipe.ts'
import styles from './lightbox-dialog.module.css'
import { numberInHash, photoHashOf } from './lightbox-hash.ts'
import { useZoom } from './zoom.ts'

/** This is a photograph with the attributes of its `<picture>`. */
interface FullPhoto {
  alt: string
  /** The caption stands under the photograph, where it differs from the description (`alt`). */
  caption?: string | undefined
  imageAttributes: { src: string; width: number; height: number }
  sources: { type: string; srcSet: string }[]
}

interface Props {
  group: string
  label: string
  photos: FullPhoto[]
  isOpen: boolean
  position: number
  onMove: (position: number) => void
}

const DOUBLE_CLICK_MS = 500

const ratioOf = ({ imageAttributes: { width, height } }: FullPhoto) => width / height

/**
 * Returns whether a photograph is as upright as a poster. On a wide screen such a photograph takes the full height, with its text
 * beside it.
 */
const isUpright = (photo: FullPhoto) => ratioOf(photo) < 0.75

/** Closes the dialog. The page then ignores pointers for the time of a double click, so that its second half hits nothing. */
function close(dialog: HTMLDialogElement | null): void {
  if (!dialog?.open) return
  const { style } = document.body
  style.pointerEvents = 'none'
  setTimeout(() => style.removeProperty('pointer-events'), DOUBLE_CLICK_MS)
  dialog.close()
}

/**
 * Shows the dialog of the lightbox. It imports lightbox-dialog.module.css alone: a stylesheet that the page has already would
 * load again, after all others.
 */
export function LightboxDialog({ group, label, photos, isOpen, position, onMove }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const stage = useRef<HTMLDivElement>(null)
  const isLeaving = useRef(false)
  /** This thumbnail was pressed. */
  const opener = useRef<HTMLElement>(undefined)
  const navigate = useNavigate()
  const { key, state } = useLocation()
  const wasPushed = (state as { visor?: boolean } | null)?.visor === true
  /** The picture at this position was enlarged, and so is fetched in full size. */
  const [enlargedPosition, setEnlargedPosition] = useState<number>()
  const { isZoomed, zoom } = useZoom(stage, '[data-place="current"] [data-photo]', isOpen && position, () =>
    setEnlargedPosition(position),
  )
  const count = photos.length
  const currentIndex = wrap(position, count)
  const photo = photos[currentIndex]!
  /**
   * The neighbours and the backdrop of this position are rendered. It follows `position` one paint later, so that a click is
   * answered first.
   */
  const [renderedMiddle, setRenderedMiddle] = useState<number>()
  useEffect(() => {
    let isOver = false
    void afterNextPaint().then(() => isOver || setRenderedMiddle(position))
    return () => {
      isOver = true
    }
  }, [position])
  const renderedPositions = [
    ...new Set(
      count > 1 && renderedMiddle !== undefined
        ? [renderedMiddle - 1, renderedMiddle, renderedMiddle + 1, position]
        : [position],
    ),
  ].sort((a, b) => a - b)

  // The stylesheet places the arrows beside the picture by its aspect ratio.
  useLayoutEffect(() => dialog.current?.style.setProperty('--ratio', String(ratioOf(photo))), [photo])

  // The dialog opens and closes as the address requires.
  useEffect(() => {
    isLeaving.current = false
    if (isOpen && key && !dialog.current?.open) {
      opener.current = document.activeElement?.closest<HTMLElement>('[data-espera]') ?? undefined
      dialog.current?.removeAttribute('data-closing')
      dialog.current?.showModal()
    } else if (!isOpen) close(dialog.current)
  }, [isOpen, key])

  // While the dialog is open, the page behind does not scroll, and keeps the scrollbar's room to avoid a new layout.
  useLayoutEffect(() => {
    if (!isOpen) return
    const root = document.documentElement
    const keepsRoom = window.innerWidth > root.clientWidth
    root.style.overflow = 'hidden'
    if (keepsRoom) root.style.scrollbarGutter = 'stable'
    return () => {
      root.style.removeProperty('overflow')
      root.style.removeProperty('scrollbar-gutter')
    }
  }, [isOpen])

  const leaveDialog = () => {
    if (isLeaving.current) return
    isLeaving.current = true
    // The dialog fades at once. Closing it restyles the whole document, so the closing and the change of address follow a paint
    // later.
    dialog.current?.setAttribute('data-closing', '')
    void afterNextPaint().then(() => {
      // The visitor may have gone back first.
      if (!isLeaving.current) return
      close(dialog.current)
      if (wasPushed && window.history.state.idx > 0) navigate(-1)
      else navigate({ search: window.location.search, hash: '' }, { replace: true, preventScrollReset: true })
    })
  }

  const goTo = (next: number) => {
    if (next === position) return
    onMove(next)
    // The call bypasses the router, which would render every link of the screen behind again.
    window.history.replaceState(window.history.state, '', photoHashOf(group, wrap(next, count) + 1))
  }
  const step = (by: number) => goTo(position + by)
  useSwipe(stage, (by) => {
    if (count > 1 && !isZoomed()) step(by)
  })

  const onKeyDown = (event: KeyboardEvent) => {
    // Alt and an arrow are the browser's Back; a held key would replace the address faster than browsers allow.
    if (event.altKey || event.ctrlKey || event.metaKey || event.repeat) return
    const actions: Record<string, () => void> = {
      ArrowLeft: () => step(-1),
      ArrowRight: () => step(1),
      Home: () => goTo(position - currentIndex),
      End: () => goTo(position - currentIndex + count - 1),
      '+': () => zoom(1.5),
      '-': () => zoom(1 / 1.5),
      '0': () => zoom(0),
    }
    const act = actions[event.key]
    if (!act || (count === 1 && !/[+\-0]/.test(event.key))) return
    event.preventDefault()
    act()
  }

  const onClick = ({ target }: MouseEvent) => {
    if (target instanceof Element && !target.closest('[data-photo], button, p')) leaveDialog()
  }

  const onCancel = (event: SyntheticEvent) => {
    event.preventDefault()
    leaveDialog()
  }

  const onClose = () => {
    // WebKit does not always restore the focus, and a dialog opened by its address has no opener: then the photograph's
    // thumbnail gets the focus.
    if (document.activeElement === document.body || dialog.current?.contains(document.activeElement)) {
      const thumbnail = document.querySelector<HTMLElement>(`[data-espera="${group}-${currentIndex + 1}"]`)
      ;(opener.current ?? thumbnail)?.focus({ preventScroll: true })
    }
    // A browser may close the dialog without a cancel event.
    if (!dialog.current?.open && numberInHash(window.location.hash, group, count) !== undefined) leaveDialog()
  }

  return (
    <dialog
      ref={dialog}
      className={styles.viewer}
      data-tall={isUpright(photo) || undefined}
      data-name={photo.caption !== undefined || undefined}
      aria-label={label}
      onCancel={onCancel}
      onClose={onClose}
      onClick={onClick}
      onKeyDown={onKeyDown}
    >
      {renderedMiddle !== undefined && (
        <Backlight key={wrap(renderedMiddle, count)} photo={photos[wrap(renderedMiddle, count)]!} />
      )}
      <button type="button" className={styles.close} onClick={leaveDialog}>
        <span aria-hidden="true">×</span> Cerrar
      </button>
      {count > 1 && (
        <>
          <button type="button" className={styles.previous} onClick={() => step(-1)} aria-label="Anterior">
            <PreviousIcon />
          </button>
          <button type="button" className={styles.next} onClick={() => step(1)} aria-label="Siguiente">
            <NextIcon />
          </button>
        </>
      )}
      <div ref={stage} className={styles.scene} data-several={count > 1 || undefined}>
        {renderedPositions.map((one) => {
          const shownPhoto = photos[wrap(one, count)]!
          const place = one === position ? 'current' : one < position ? 'previous' : 'next'
          return (
            <div
              key={one}
              className={styles.slide}
              data-place={place}
              data-tall={isUpright(shownPhoto) || undefined}
              aria-hidden={one !== position}
            >
              <Frame
                photo={shownPhoto}
                isFirst={one === (renderedMiddle ?? position)}
                isFullSize={enlargedPosition === one}
              />
            </div>
          )
        })}
      </div>
      <p className={styles.legend} aria-live="polite">
        <span className={styles.said}>{photo.caption ?? photo.alt}</span>{' '}
        {count > 1 && (
          <span className={styles.position}>
            {currentIndex + 1} de {count}
          </span>
        )}
      </p>
    </dialog>
  )
}

const sourcesOf = ({ sources }: FullPhoto, sizes: string) =>
  sources.map((source) => <source key={source.type} {...source} sizes={sizes} />)

/** Shows the smallest size of the photograph, blurred, as light on the dark around it. */
const Backlight = ({ photo }: { photo: FullPhoto }) => (
  <picture className={styles.light}>
    {sourcesOf(photo, '1px')}
    <img {...photo.imageAttributes} alt="" />
  </picture>
)

interface FrameProps {
  photo: FullPhoto
  isFirst: boolean
  isFullSize: boolean
}

/**
 * Shows a whole photograph, as large as its place allows. Below lies its smallest size, which a thumbnail has fetched already.
 */
function Frame({ photo, isFirst, isFullSize }: FrameProps) {
  const { alt, imageAttributes } = photo
  const ratio = ratioOf(photo)
  const height = (rest: string) => `calc((100vh - ${rest}) * ${ratio.toFixed(3)})`
  // lightbox-dialog.module.css has the same queries, and reserves the same room.
  const sizes = isFullSize
    ? `${imageAttributes.width}px`
    : [
        `(max-height: 559px) and (orientation: landscape) min(74vw, ${(ratio * 100).toFixed()}vh)`,
        ...(isUpright(photo) ? [`(min-width: 901px) and (min-aspect-ratio: 5/4) ${height('2rem')}`] : []),
        `min(100vw, ${height('10.1rem')})`,
      ].join(', ')
  return (
    <div ref={(element) => element?.style.setProperty('--ratio', String(ratio))} className={styles.frame} data-photo="">
      {isFirst && (
        <picture>
          {sourcesOf(photo, '1px')}
          <img {...imageAttributes} alt="" />
        </picture>
      )}
      <picture>
        {sourcesOf(photo, sizes)}
        <img {...imageAttributes} alt={alt} draggable={false} fetchPriority={isFirst ? 'high' : 'low'} />
      </picture>
    </div>
  )
}
