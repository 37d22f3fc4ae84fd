import { useEffect, useRef, useState } from 'react'
import type { Edicion } from '#app/cms/editions/displayed-edition.server.ts'
import { usePeriodos } from '#app/cms/settings/use-periods.ts'
import { useReducedMotion } from '#app/ui/motion/reduced-motion.ts'
import { Emblema } from '#app/ui/ornaments/emblem.tsx'
import { claseFoco, fuente, imagenFinal } from '#app/ui/photos/photo.tsx'
import { IconoPausa, IconoReproducir } from '#app/ui/primitives/icons.tsx'
import { unir } from '#app/ui/styles/class-names.ts'
import { Llamado } from './call-to-action.tsx'
import styles from './hero.module.css'
import { Cielo } from './sky.tsx'

type Video = Edicion['inicio']['video']

/** Screens that get the upright cut; the stylesheet has the same query. */
const VERTICAL = '(max-width: 700px) and (orientation: portrait)'
const ANCHO = 'not all and (max-width: 700px) and (orientation: portrait)'
/** The picture covers a whole screen, so it is as wide as the screen, or as the screen's height asks. */
const SIZES = { ancho: 'max(100vw, 178vh)', vertical: 'max(100vw, 57vh)' }

interface Props {
  video: Video
  rotulo: [string, string]
  lema: string
  /** When and where the queen is crowned, in words, and until when that is still to come. */
  final: { dia: string; hora: string; lugar?: string | undefined; hasta: string }
}

/** The gate of the site: a full-height looping video with the logo over it (§2.3). Its poster is the first thing seen. */
export function Portada({ video, rotulo, lema, final }: Props) {
  const { ancho, vertical } = video
  return (
    <section className={styles.portada}>
      {[
        { media: VERTICAL, imagen: vertical.cartel, sizes: SIZES.vertical },
        { media: ANCHO, imagen: ancho.cartel, sizes: SIZES.ancho },
      ].map(({ media, imagen, sizes }) => (
        <link
          key={media}
          rel="preload"
          as="image"
          media={media}
          type="image/avif"
          imageSrcSet={fuente(imagen, 'avif').srcSet}
          imageSizes={sizes}
          fetchPriority="high"
        />
      ))}
      <picture>
        <source media={VERTICAL} {...fuente(vertical.cartel, 'avif')} sizes={SIZES.vertical} />
        <source media={VERTICAL} {...fuente(vertical.cartel, 'webp')} sizes={SIZES.vertical} />
        <source
          media={VERTICAL}
          srcSet={`${imagenFinal(vertical.cartel).src} ${vertical.cartel.anchoJpeg}w`}
          sizes={SIZES.vertical}
        />
        <source {...fuente(ancho.cartel, 'avif')} sizes={SIZES.ancho} />
        <source {...fuente(ancho.cartel, 'webp')} sizes={SIZES.ancho} />
        <img
          {...imagenFinal(ancho.cartel)}
          alt={ancho.cartel.alt}
          className={unir(styles.fondo, claseFoco(ancho.cartel))}
          fetchPriority="high"
          data-primera=""
        />
      </picture>
      <Fondo video={video} />
      <div className={styles.velo} />
      <Cielo />
      <div className={styles.logo}>
        <Emblema className={styles.emblema} />
        <p className={styles.lema}>{lema}</p>
        <h1 className={styles.rotulo}>
          <span>{rotulo[0]}</span> <span>{rotulo[1]}</span>
        </h1>
        <p className={styles.final}>
          <Cuando {...final} /> {final.lugar && <span>{final.lugar}</span>}
        </p>
        <Llamado />
      </div>
      <div className={styles.bombillas} aria-hidden="true" />
    </section>
  )
}

/** The final is told as one that was from the day after it, by the site's clock; both are as long, so that nothing moves. */
function Cuando({ dia, hora, hasta }: Props['final']) {
  const periodos = usePeriodos()
  const fue = periodos && Date.parse(periodos.ahora) > Date.parse(hasta)
  return <span>{fue ? `La final fue el ${dia}` : `Final: ${dia}, ${hora}`}</span>
}

/**
 * The video over the poster. It is fetched after everything else, and never where the visitor wants to save data or
 * motion.
 */
function Fondo({ video }: { video: Video }) {
  const element = useRef<HTMLVideoElement>(null)
  const reduced = useReducedMotion()
  const [corte, setCorte] = useState<Video['ancho']>()
  const [playing, setPlaying] = useState(false)
  const [moving, setMoving] = useState(false)
  const [stopped, setStopped] = useState(false)

  useEffect(() => {
    const spare = matchMedia('(prefers-reduced-data: reduce)').matches || savesData()
    if (spare || matchMedia('(prefers-reduced-motion: reduce)').matches) return setStopped(true)
    const begin = () => setCorte(matchMedia(VERTICAL).matches ? video.vertical : video.ancho)
    if (document.readyState === 'complete') return begin()
    addEventListener('load', begin, { once: true })
    return () => removeEventListener('load', begin)
  }, [video])

  // The video pauses while it is off the screen.
  useEffect(() => {
    const player = element.current
    if (!player || !corte) return
    player.muted = true
    if (stopped) return player.pause()
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) player.play().catch(() => setPlaying(false))
      else player.pause()
    })
    observer.observe(player)
    return () => observer.disconnect()
  }, [corte, stopped])

  useEffect(() => {
    if (reduced) setStopped(true)
  }, [reduced])

  const toggle = () => {
    if (!corte) setCorte(matchMedia(VERTICAL).matches ? video.vertical : video.ancho)
    setStopped(!stopped)
  }

  return (
    <>
      <video
        ref={element}
        className={unir(styles.fondo, styles.video, claseFoco(video.ancho.cartel), moving && styles.visible)}
        muted
        loop
        playsInline
        preload="none"
        tabIndex={-1}
        aria-hidden="true"
        onPlaying={() => {
          setPlaying(true)
          setMoving(true)
        }}
        onPause={() => setPlaying(false)}
      >
        {corte && (
          <>
            {corte.av1 && <source src={corte.av1} type='video/webm; codecs="av01.0.08M.10"' />}
            <source src={corte.h264} type="video/mp4" />
          </>
        )}
      </video>
      <button
        type="button"
        className={styles.pausa}
        onClick={toggle}
        aria-label={stopped ? 'Reproducir video' : 'Pausar video'}
        data-reproduciendo={playing}
      >
        {stopped ? <IconoReproducir /> : <IconoPausa />}
      </button>
    </>
  )
}

function savesData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } }
  return connection?.saveData === true
}
