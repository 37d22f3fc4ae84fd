import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useAlive, useReducedMotion } from '#app/ui/motion/reduced-motion.ts'
import { placeOf, useAttention, useSwipe, wrap } from '#app/ui/motion/swipe.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './carousel.module.css'
import { NextIcon, PauseIcon, PlayIcon, PreviousIcon } from './icons.tsx'

interface Props<Item> {
  items: Item[]
  keyOf: (item: Item, index: number) => string
  /** Name of one item, as its dot and its slide announce it: «Noticia» for «Noticia 1 de 3». */
  itemName: string
  /** How the next item comes: the row moves on, or the old item fades out before the new one shows. */
  transition: 'fila' | { fadeMs: number }
  /** Autoplay, which rests under the pointer or the keyboard focus and stops by its button. */
  autoplay?: { intervalMs: number; pauseLabel: string; playLabel: string } | undefined
  /** Text on the buttons instead of arrows. */
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
 * Shows one item of several at a time, both ends joined; it moves by button, dot, swipe (50 px) or autoplay. The screen places
 * the parts by their classes. Without JavaScript the items are a row that scrolls and snaps. A single item has no controls.
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
  const alive = useAlive()
  const attention = useAttention(frame)
  const reduced = useReducedMotion()
  const [currentIndex, setCurrentIndex] = useState(0)
  /** The item that shows once the current one has faded. */
  const [next, setNext] = useState<number>()
  /** The visitor's choice by the pause button; undefined until it is pressed: then the system's preference decides. */
  const [wanted, setWanted] = useState<boolean>()
  const changing = next !== undefined
  const isAlone = items.length < 2
  const playing = autoplay !== undefined && !isAlone && (wanted ?? !reduced)
  const running = alive && playing && !attention
  const fadeMs = transition === 'fila' ? undefined : transition.fadeMs

  const go = (index: number) => {
    const to = wrap(index, items.length)
    if (changing || to === currentIndex) return
    if (fadeMs === undefined) setCurrentIndex(to)
    else setNext(to)
  }
  useSwipe(track, (by) => go(currentIndex + by))

  useEffect(() => {
    if (next === undefined) return
    const timer = setTimeout(() => {
      setCurrentIndex(next)
      setNext(undefined)
    }, fadeMs)
    return () => clearTimeout(timer)
  }, [next, fadeMs])

  // Every change, by hand or not, restarts the wait.
  useEffect(() => {
    if (!running) return
    const timer = setTimeout(() => setCurrentIndex(wrap(currentIndex + 1, items.length)), autoplay?.intervalMs)
    return () => clearTimeout(timer)
  }, [running, currentIndex, items.length, autoplay?.intervalMs])

  // A visitor who scrolled before hydration stays at that item.
  useEffect(() => {
    const row = track.current
    const [first, second] = row?.children ?? []
    if (!row || row.scrollLeft <= 0 || !(first instanceof HTMLElement) || !(second instanceof HTMLElement)) return
    setCurrentIndex(Math.round(row.scrollLeft / (second.offsetLeft - first.offsetLeft)))
  }, [])

  return (
    <div ref={frame} className={classNames.frame}>
      {/* The controls are read before the slides. During a change they look and sound disabled, but keep the focus. */}
      <div
        hidden={isAlone}
        className={joinClasses(styles.controls, buttonTexts && styles.withWords, classNames.controls)}
      >
        {autoplay && (
          <button
            type="button"
            data-boton="pausa"
            onClick={() => setWanted(!playing)}
            aria-label={playing ? autoplay.pauseLabel : autoplay.playLabel}
          >
            {playing ? <PauseIcon /> : <PlayIcon />}
          </button>
        )}
        <button
          type="button"
          data-boton="anterior"
          onClick={() => go(currentIndex - 1)}
          aria-disabled={changing}
          aria-label={buttonTexts ? undefined : 'Anterior'}
        >
          {buttonTexts ? <Words text={buttonTexts.previous} /> : <PreviousIcon />}
        </button>
        {hasDots && (
          <ol className={styles.dots}>
            {items.map((item, index) => (
              <li key={keyOf(item, index)}>
                <button
                  type="button"
                  onClick={() => go(index)}
                  aria-disabled={changing}
                  aria-current={index === currentIndex}
                  aria-label={`${itemName} ${index + 1} de ${items.length}`}
                />
              </li>
            ))}
          </ol>
        )}
        <button
          type="button"
          data-boton="siguiente"
          onClick={() => go(currentIndex + 1)}
          aria-disabled={changing}
          aria-label={buttonTexts ? undefined : 'Siguiente'}
        >
          {buttonTexts ? <Words text={buttonTexts.next} /> : <NextIcon />}
        </button>
      </div>
      <div
        ref={track}
        className={joinClasses(styles.hint, transition !== 'fila' && styles.fade, classNames.track)}
        data-vivo={alive || undefined}
        data-cambia={changing || undefined}
        aria-live={running ? 'off' : 'polite'}
        // Without JavaScript the row scrolls, so the keyboard has to reach it.
        tabIndex={alive || isAlone ? undefined : 0}
      >
        {items.map((item, index) => (
          <SlideElement
            key={keyOf(item, index)}
            className={classNames.slide}
            data-lugar={placeOf(index, currentIndex, items.length)}
            aria-roledescription={itemName.toLowerCase()}
            aria-label={`${index + 1} de ${items.length}`}
            aria-hidden={alive && index !== currentIndex}
            inert={alive && index !== currentIndex}
          >
            {props.children(item, index)}
          </SlideElement>
        ))}
      </div>
    </div>
  )
}

/** Text whose arrow (← or →) is drawn as an icon, since fonts draw that character differently. */
function Words({ text }: { text: string }) {
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
