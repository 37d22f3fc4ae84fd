import { useEffect, useRef, useState } from 'react'
import type { Edicion } from '#app/contenido/contenido.server.ts'
import { useAlive, useSwipe, wrap } from '#app/ui/carousel.ts'
import { Foto } from '#app/ui/foto.tsx'
import { IconoAnterior, IconoSiguiente } from '#app/ui/iconos.tsx'
import styles from './noticias.module.css'

/** @source specification §9 */
const DESVANECIDO_MS = 250

type Noticia = Edicion['inicio']['noticias'][number]

/** Three stories, one at a time; a change fades the old one out before the new one comes (§2.3). */
export function Noticias({ noticias }: { noticias: Noticia[] }) {
  const lista = useRef<HTMLDivElement>(null)
  const alive = useAlive()
  const [actual, setActual] = useState(0)
  const [next, setNext] = useState<number>()
  const changing = next !== undefined

  const go = (index: number) => {
    if (!changing && index !== actual) setNext(wrap(index, noticias.length))
  }
  useSwipe(lista, (by) => go(actual + by))

  useEffect(() => {
    if (next === undefined) return
    const timer = setTimeout(() => {
      setActual(next)
      setNext(undefined)
    }, DESVANECIDO_MS)
    return () => clearTimeout(timer)
  }, [next])

  useEffect(() => {
    const row = lista.current
    if (row && row.scrollLeft > 0) setActual(Math.round(row.scrollLeft / row.clientWidth))
  }, [])

  return (
    <section className={styles.noticias} aria-labelledby="enterate" aria-roledescription="carrusel">
      <h2 id="enterate">ENTÉRATE</h2>
      {/* Before the stories, as they are read: what moves them. Disabled for the eye and the ear, but the focus stays. */}
      <div className={styles.controles}>
        <button type="button" onClick={() => go(actual - 1)} aria-disabled={changing} aria-label="Anterior">
          <IconoAnterior />
        </button>
        <ol className={styles.puntos}>
          {noticias.map(({ titulo }, index) => (
            <li key={titulo}>
              <button
                type="button"
                onClick={() => go(index)}
                aria-disabled={changing}
                aria-current={index === actual}
                aria-label={`Noticia ${index + 1} de ${noticias.length}`}
              />
            </li>
          ))}
        </ol>
        <button type="button" onClick={() => go(actual + 1)} aria-disabled={changing} aria-label="Siguiente">
          <IconoSiguiente />
        </button>
      </div>
      <div
        ref={lista}
        className={styles.lista}
        data-viva={alive || undefined}
        data-cambia={changing || undefined}
        aria-live="polite"
        tabIndex={alive ? undefined : 0}
      >
        {noticias.map(({ titulo, texto, imagen }, index) => (
          <article
            key={titulo}
            className={styles.noticia}
            data-actual={index === actual}
            aria-roledescription="noticia"
            aria-label={`${index + 1} de ${noticias.length}`}
            aria-hidden={alive && index !== actual}
          >
            <Foto imagen={imagen} sizes="(max-width: 900px) 100vw, 46vw" className={styles.foto} />
            <div className={styles.texto}>
              <h3>{titulo}</h3>
              <p>{texto}</p>
            </div>
          </article>
        ))}
      </div>
    </section>
  )
}
