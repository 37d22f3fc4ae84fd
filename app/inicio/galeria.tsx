import { useCallback, useEffect, useRef, useState } from 'react'
import { placeOf, useAlive, useAttention, useReducedMotion, useSwipe, wrap } from '#app/ui/carousel.ts'
import { Foto, type Imagen } from '#app/ui/foto.tsx'
import { IconoAnterior, IconoPausa, IconoReproducir, IconoSiguiente } from '#app/ui/iconos.tsx'
import styles from './galeria.module.css'

/** @source specification §9 */
const AVANCE_MS = 3000

/** Four pictures that follow one another by themselves until somebody takes an interest (§2.3). */
export function Galeria({ imagenes }: { imagenes: Imagen[] }) {
  const marco = useRef<HTMLDivElement>(null)
  const carril = useRef<HTMLDivElement>(null)
  const alive = useAlive()
  const attention = useAttention(marco)
  const reduced = useReducedMotion()
  const [actual, setActual] = useState(0)
  /** What the visitor asked for with the button; until then, motion as the system prefers it. */
  const [wanted, setWanted] = useState<boolean>()
  const playing = wanted ?? !reduced
  const running = alive && playing && !attention

  const step = useCallback((by: number) => setActual((now) => wrap(now + by, imagenes.length)), [imagenes.length])
  useSwipe(carril, step)

  // Every change, by hand or by itself, starts the three seconds anew.
  useEffect(() => {
    if (!running) return
    const timer = setTimeout(() => setActual(wrap(actual + 1, imagenes.length)), AVANCE_MS)
    return () => clearTimeout(timer)
  }, [running, actual, imagenes.length])

  // Whoever scrolled before the page was alive stays where they are.
  useEffect(() => {
    const row = carril.current
    const first = row?.firstElementChild
    if (row && first && row.scrollLeft > 0) setActual(Math.round(row.scrollLeft / first.clientWidth))
  }, [])

  return (
    <section className={styles.galeria} aria-labelledby="galeria" aria-roledescription="carrusel">
      <h2 id="galeria">GALERIA</h2>
      <div ref={marco} className={styles.marco}>
        <div className={styles.controles}>
          <button
            type="button"
            className={styles.pausa}
            onClick={() => setWanted(!playing)}
            aria-label={playing ? 'Pausar la galería' : 'Reproducir la galería'}
          >
            {playing ? <IconoPausa /> : <IconoReproducir />}
          </button>
          <button type="button" className={styles.anterior} onClick={() => step(-1)} aria-label="Anterior">
            <IconoAnterior />
          </button>
          <button type="button" className={styles.siguiente} onClick={() => step(1)} aria-label="Siguiente">
            <IconoSiguiente />
          </button>
        </div>
        <div
          ref={carril}
          className={styles.carril}
          data-vivo={alive || undefined}
          aria-live={running ? 'off' : 'polite'}
          // Without JavaScript the row scrolls: it has to be within the keyboard's reach.
          tabIndex={alive ? undefined : 0}
        >
          {imagenes.map((imagen, index) => {
            const place = placeOf(index, actual, imagenes.length)
            return (
              <figure
                key={imagen.base}
                className={styles.cuadro}
                data-lugar={place}
                aria-roledescription="imagen"
                aria-label={`${index + 1} de ${imagenes.length}`}
                aria-hidden={alive && place !== 'actual'}
              >
                <Foto imagen={imagen} sizes="(max-width: 700px) 82vw, min(74vw, 1040px)" className={styles.foto} />
              </figure>
            )
          })}
        </div>
      </div>
    </section>
  )
}
