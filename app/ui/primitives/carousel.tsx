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
  nombre: string
  /** How the next item comes: the row moves on, or the old item fades out before the new one shows. */
  cambio: 'fila' | { desvanecidoMs: number }
  /** Autoplay, which rests under the pointer or the keyboard focus and stops by its button. */
  avance?: { cadaMs: number; pausar: string; reproducir: string } | undefined
  /** Text on the buttons instead of arrows. */
  palabras?: { anterior: string; siguiente: string } | undefined
  puntos?: boolean
  elemento: 'figure' | 'article'
  clases: {
    marco?: string | undefined
    controles?: string | undefined
    pista?: string | undefined
    lamina?: string | undefined
  }
  children: (item: Item, index: number) => ReactNode
}

/**
 * Shows one item of several at a time, both ends joined; it moves by button, dot, swipe (50 px) or autoplay. The screen places
 * the parts by their classes. Without JavaScript the items are a row that scrolls and snaps. A single item has no controls.
 */
export function Carousel<Item>(props: Props<Item>) {
  const { items, keyOf, nombre, cambio, avance, palabras, puntos = false, elemento: Lamina, clases } = props
  const frame = useRef<HTMLDivElement>(null)
  const hint = useRef<HTMLDivElement>(null)
  const alive = useAlive()
  const attention = useAttention(frame)
  const reduced = useReducedMotion()
  const [actual, setActual] = useState(0)
  /** The item that shows once the current one has faded. */
  const [next, setNext] = useState<number>()
  /** The visitor's choice by the pause button; undefined until it is pressed: then the system's preference decides. */
  const [wanted, setWanted] = useState<boolean>()
  const changing = next !== undefined
  const isAlone = items.length < 2
  const playing = avance !== undefined && !isAlone && (wanted ?? !reduced)
  const running = alive && playing && !attention
  const fadeMs = cambio === 'fila' ? undefined : cambio.desvanecidoMs

  const go = (index: number) => {
    const to = wrap(index, items.length)
    if (changing || to === actual) return
    if (fadeMs === undefined) setActual(to)
    else setNext(to)
  }
  useSwipe(hint, (by) => go(actual + by))

  useEffect(() => {
    if (next === undefined) return
    const timer = setTimeout(() => {
      setActual(next)
      setNext(undefined)
    }, fadeMs)
    return () => clearTimeout(timer)
  }, [next, fadeMs])

  // Every change, by hand or not, restarts the wait.
  useEffect(() => {
    if (!running) return
    const timer = setTimeout(() => setActual(wrap(actual + 1, items.length)), avance?.cadaMs)
    return () => clearTimeout(timer)
  }, [running, actual, items.length, avance?.cadaMs])

  // A visitor who scrolled before hydration stays at that item.
  useEffect(() => {
    const row = hint.current
    const [first, second] = row?.children ?? []
    if (!row || row.scrollLeft <= 0 || !(first instanceof HTMLElement) || !(second instanceof HTMLElement)) return
    setActual(Math.round(row.scrollLeft / (second.offsetLeft - first.offsetLeft)))
  }, [])

  return (
    <div ref={frame} className={clases.marco}>
      {/* The controls are read before the slides. During a change they look and sound disabled, but keep the focus. */}
      <div hidden={isAlone} className={joinClasses(styles.controles, palabras && styles.conPalabras, clases.controles)}>
        {avance && (
          <button
            type="button"
            data-boton="pausa"
            onClick={() => setWanted(!playing)}
            aria-label={playing ? avance.pausar : avance.reproducir}
          >
            {playing ? <PauseIcon /> : <PlayIcon />}
          </button>
        )}
        <button
          type="button"
          data-boton="anterior"
          onClick={() => go(actual - 1)}
          aria-disabled={changing}
          aria-label={palabras ? undefined : 'Anterior'}
        >
          {palabras ? <Words dicen={palabras.anterior} /> : <PreviousIcon />}
        </button>
        {puntos && (
          <ol className={styles.puntos}>
            {items.map((item, index) => (
              <li key={keyOf(item, index)}>
                <button
                  type="button"
                  onClick={() => go(index)}
                  aria-disabled={changing}
                  aria-current={index === actual}
                  aria-label={`${nombre} ${index + 1} de ${items.length}`}
                />
              </li>
            ))}
          </ol>
        )}
        <button
          type="button"
          data-boton="siguiente"
          onClick={() => go(actual + 1)}
          aria-disabled={changing}
          aria-label={palabras ? undefined : 'Siguiente'}
        >
          {palabras ? <Words dicen={palabras.siguiente} /> : <NextIcon />}
        </button>
      </div>
      <div
        ref={hint}
        className={joinClasses(styles.pista, cambio !== 'fila' && styles.fundido, clases.pista)}
        data-vivo={alive || undefined}
        data-cambia={changing || undefined}
        aria-live={running ? 'off' : 'polite'}
        // Without JavaScript the row scrolls, so the keyboard has to reach it.
        tabIndex={alive || isAlone ? undefined : 0}
      >
        {items.map((item, index) => (
          <Lamina
            key={keyOf(item, index)}
            className={clases.lamina}
            data-lugar={placeOf(index, actual, items.length)}
            aria-roledescription={nombre.toLowerCase()}
            aria-label={`${index + 1} de ${items.length}`}
            aria-hidden={alive && index !== actual}
            inert={alive && index !== actual}
          >
            {props.children(item, index)}
          </Lamina>
        ))}
      </div>
    </div>
  )
}

/** Text whose arrow (← or →) is drawn as an icon, since fonts draw that character differently. */
function Words({ dicen }: { dicen: string }) {
  const [, antes, palabra, after] = /^(← )?(.*?)( →)?$/.exec(dicen)!
  return (
    <>
      {antes && (
        <>
          <PreviousIcon />
          <span className="solo-lectores">{antes}</span>
        </>
      )}
      {palabra}
      {after && (
        <>
          <span className="solo-lectores">{after}</span>
          <NextIcon />
        </>
      )}
    </>
  )
}
