import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useIsHydrated, useReducedMotion } from '#app/ui/motion/reduced-motion.ts'
import { slidePlaceOf, useHoverOrFocus, useSwipe, wrapIndex } from '#app/ui/motion/swipe.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './carousel.module.css'
import { NextIcon, PauseIcon, PlayIcon, PreviousIcon } from './icons.tsx'

interface Props<Item> {
  items: Item[]
  keyOf: (item: Item, index: number) => string
  /** Name of an item for screen readers: «Noticia» for «Noticia 1 de 3». */
  itemName: string
  /** The row slides, or the old item fades out before the next one appears. */
  transition: 'slide' | { fadeMs: number }
  /** Autoplay pauses under the pointer or the keyboard focus; a button stops it. */
  autoplay?: { intervalMs: number; pauseLabel: string; playLabel: string } | undefined
  /** Texts of the buttons instead of arrow icons. */
  buttonTexts?: { previous: string; next: string } | undefined
  hasDots?: boolean
  element: 'figure' | 'article'
  classNames: {
    frame?: string | undefined
    controls?: string | undefined
    track?: string | undefined
    slide?: string | undefined
  }
  children: (item: Item, index: number) => ReactNode
}

/**
 * Renders a carousel that shows one item at a time and moves by button, dot, swipe or autoplay, from the last item to the first
 * again. `classNames` lets the screen place the parts. Without JavaScript the items are a row that scrolls and snaps. A single
 * item has no controls.
 */
export function Carousel<Item>(props: Props<Item>) {
  const {
    items,
    keyOf,
    itemName,
    transition,
    autoplay,
    buttonTexts,
    hasDots = false,
    element: SlideElement,
    classNames,
  } = props
  const frame = useRef<HTMLDivElement>(null)
  const track = useRef<HTMLDivElement>(null)
  const isHydrated = useIsHydrated()
  const isHoveredOrFocused = useHoverOrFocus(frame)
  const hasReducedMotion = useReducedMotion()
  const [currentIndex, setCurrentIndex] = useState(0)
  /** Index of the item that is shown once the current one has faded out. */
  const [nextIndex, setNextIndex] = useState<number>()
  /** Choice by the pause button. It is undefined until the visitor makes it; then the system's preference for less motion decides. */
  const [playChoice, setPlayChoice] = useState<boolean>()
  const isChanging = nextIndex !== undefined
  const hasSingleItem = items.length < 2
  const isPlaying = autoplay !== undefined && !hasSingleItem && (playChoice ?? !hasReducedMotion)
  const isRunning = isHydrated && isPlaying && !isHoveredOrFocused
  const fadeMs = transition === 'slide' ? undefined : transition.fadeMs

  const goTo = (index: number) => {
    const targetIndex = wrapIndex(index, items.length)
    if (isChanging || targetIndex === currentIndex) return
    if (fadeMs === undefined) setCurrentIndex(targetIndex)
    else setNextIndex(targetIndex)
  }
  useSwipe(track, (step) => goTo(currentIndex + step))

  useEffect(() => {
    if (nextIndex === undefined) return
    const timer = setTimeout(() => {
      setCurrentIndex(nextIndex)
      setNextIndex(undefined)
    }, fadeMs)
    return () => clearTimeout(timer)
  }, [nextIndex, fadeMs])

  // A change by hand restarts the interval, too.
  useEffect(() => {
    if (!isRunning) return
    const timer = setTimeout(() => setCurrentIndex(wrapIndex(currentIndex + 1, items.length)), autoplay?.intervalMs)
    return () => clearTimeout(timer)
  }, [isRunning, currentIndex, items.length, autoplay?.intervalMs])

  // Keeps the item to which the visitor scrolled before hydration.
  useEffect(() => {
    const row = track.current
    const [first, second] = row?.children ?? []
    if (!row || row.scrollLeft <= 0 || !(first instanceof HTMLElement) || !(second instanceof HTMLElement)) return
    setCurrentIndex(Math.round(row.scrollLeft / (second.offsetLeft - first.offsetLeft)))
  }, [])

  return (
    <div ref={frame} className={classNames.frame}>
      {/* The controls come before the slides for screen readers. During a change those that move are aria-disabled and keep the focus. */}
      <div
        hidden={hasSingleItem}
        className={joinClasses(styles.controls, buttonTexts && styles.withTexts, classNames.controls)}
      >
        {autoplay && (
          <button
            type="button"
            data-button="pause"
            onClick={() => setPlayChoice(!isPlaying)}
            aria-label={isPlaying ? autoplay.pauseLabel : autoplay.playLabel}
          >
            {isPlaying ? <PauseIcon /> : <PlayIcon />}
          </button>
        )}
        <button
          type="button"
          data-button="previous"
          onClick={() => goTo(currentIndex - 1)}
          aria-disabled={isChanging}
          aria-label={buttonTexts ? undefined : 'Anterior'}
        >
          {buttonTexts ? <ArrowText text={buttonTexts.previous} /> : <PreviousIcon />}
        </button>
        {hasDots && (
          <ol className={styles.dots}>
            {items.map((item, index) => (
              <li key={keyOf(item, index)}>
                <button
                  type="button"
                  onClick={() => goTo(index)}
                  aria-disabled={isChanging}
                  aria-current={index === currentIndex}
                  aria-label={`${itemName} ${index + 1} de ${items.length}`}
                />
              </li>
            ))}
          </ol>
        )}
        <button
          type="button"
          data-button="next"
          onClick={() => goTo(currentIndex + 1)}
          aria-disabled={isChanging}
          aria-label={buttonTexts ? undefined : 'Siguiente'}
        >
          {buttonTexts ? <ArrowText text={buttonTexts.next} /> : <NextIcon />}
        </button>
      </div>
      <div
        ref={track}
        className={joinClasses(styles.track, transition !== 'slide' && styles.fade, classNames.track)}
        data-live={isHydrated || undefined}
        data-changing={isChanging || undefined}
        aria-live={isRunning ? 'off' : 'polite'}
        // Without JavaScript the row scrolls, which needs the keyboard focus.
        tabIndex={isHydrated || hasSingleItem ? undefined : 0}
      >
        {items.map((item, index) => (
          <SlideElement
            key={keyOf(item, index)}
            className={classNames.slide}
            data-place={slidePlaceOf(index, currentIndex, items.length)}
            aria-roledescription={itemName.toLowerCase()}
            aria-label={`${index + 1} de ${items.length}`}
            aria-hidden={isHydrated && index !== currentIndex}
            inert={isHydrated && index !== currentIndex}
          >
            {props.children(item, index)}
          </SlideElement>
        ))}
      </div>
    </div>
  )
}

/** Renders a text whose arrow (← or →) is drawn as an icon, since fonts draw these characters differently. */
function ArrowText({ text }: { text: string }) {
  const [, before, word, after] = /^(← )?(.*?)( →)?$/.exec(text)!
  return (
    <>
      {before && (
        <>
          <PreviousIcon />
          <span className="visually-hidden">{before}</span>
        </>
      )}
      {word}
      {after && (
        <>
          <span className="visually-hidden">{after}</span>
          <NextIcon />
        </>
      )}
    </>
  )
}
