import { useEffect, useRef, useState } from 'react'
import { usePhase } from '#app/cms/edition-settings/use-periods.ts'
import type { Edition } from '#app/cms/editions/displayed-edition.server.ts'
import { PauseIcon, PlayIcon } from '#app/ui/components/icons.tsx'
import { useReducedMotion } from '#app/ui/motion/reduced-motion.ts'
import { Emblem } from '#app/ui/ornaments/emblem.tsx'
import { focalPointClasses, imgAttributesOf, sourceAttributesOf } from '#app/ui/photos/photo.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { CallToAction } from './call-to-action.tsx'
import styles from './hero.module.css'
import { Sky } from './sky.tsx'

type Video = Edition['inicio']['video']

/** Screens that get the upright video. hero.module.css has the same query. */
const VERTICAL_QUERY = '(max-width: 640px) and (orientation: portrait)'
/** `sizes` of the posters: each covers the whole screen, whose width or height decides the poster's width. */
const POSTER_SIZES = { ancho: 'max(100vw, 178vh)', vertical: 'max(100vw, 57vh)' }

interface Props {
  video: Video
  titleLines: [string, string]
  tagline: string
  /** Date and place of the final in words, and its edition's year. */
  final: { day: string; place?: string | undefined; year: number }
}

/**
 * Renders the hero of the home: a looping video of full height with the logo over it (§2.3). The video's poster is painted first.
 */
export function Hero({ video, titleLines, tagline, final }: Props) {
  const { ancho, vertical } = video
  return (
    <section className={styles.cover}>
      <picture>
        <source media={VERTICAL_QUERY} {...sourceAttributesOf(vertical.cartel, 'avif')} sizes={POSTER_SIZES.vertical} />
        <source media={VERTICAL_QUERY} {...sourceAttributesOf(vertical.cartel, 'webp')} sizes={POSTER_SIZES.vertical} />
        <source
          media={VERTICAL_QUERY}
          srcSet={`${imgAttributesOf(vertical.cartel).src} ${vertical.cartel.jpegWidth}w`}
          sizes={POSTER_SIZES.vertical}
        />
        <source {...sourceAttributesOf(ancho.cartel, 'avif')} sizes={POSTER_SIZES.ancho} />
        <source {...sourceAttributesOf(ancho.cartel, 'webp')} sizes={POSTER_SIZES.ancho} />
        <img
          {...imgAttributesOf(ancho.cartel)}
          alt={ancho.cartel.alt}
          className={joinClasses(styles.backdrop, focalPointClasses(ancho.cartel))}
          fetchPriority="high"
          data-first=""
        />
      </picture>
      <BackgroundVideo video={video} />
      <div className={styles.veil} />
      <Sky />
      <div className={styles.logo}>
        <Emblem className={styles.emblem} />
        <p className={styles.motto}>{tagline}</p>
        <h1 className={styles.label}>
          <span>{titleLines[0]}</span> <span>{titleLines[1]}</span>
        </h1>
        <p className={styles.final}>
          <FinalDate {...final} />
        </p>
        <CallToAction />
      </div>
      <div className={styles.bulbs} aria-hidden="true" />
    </section>
  )
}

/**
 * Renders the final's date and place, without a tense while the phase is unknown; the queen's name replaces them once she is
 * crowned.
 */
function FinalDate({ day, place, year }: Props['final']) {
  const phase = usePhase()
  if (phase?.reina) {
    // A call to action that leads to the queen has her title beside it.
    const needsTitle = phase.llamado.que !== 'conocer-reina'
    return (
      <span>
        {needsTitle && `Reina ${year}: `}
        {phase.reina.nombre}
      </span>
    )
  }
  return (
    <>
      <span>{phase?.final ?? `La final: ${day}`}</span> {place && <span>{place}</span>}
    </>
  )
}

/**
 * Renders the video over the poster. It is fetched after everything else, or only by the button for visitors who save data or
 * prefer less motion.
 */
function BackgroundVideo({ video }: { video: Video }) {
  const playerRef = useRef<HTMLVideoElement>(null)
  const hasReducedMotion = useReducedMotion()
  const [chosenVideo, setChosenVideo] = useState<Video['ancho']>()
  const [hasStarted, setHasStarted] = useState(false)
  const [isStopped, setStopped] = useState(false)

  useEffect(() => {
    const isSavingData = matchMedia('(prefers-reduced-data: reduce)').matches || savesData()
    if (isSavingData || matchMedia('(prefers-reduced-motion: reduce)').matches) return setStopped(true)
    const chooseVideo = () => setChosenVideo(matchMedia(VERTICAL_QUERY).matches ? video.vertical : video.ancho)
    if (document.readyState === 'complete') return chooseVideo()
    addEventListener('load', chooseVideo, { once: true })
    return () => removeEventListener('load', chooseVideo)
  }, [video])

  // Pauses the video while it is out of view.
  useEffect(() => {
    const player = playerRef.current
    if (!player || !chosenVideo) return
    player.muted = true
    if (isStopped) return player.pause()
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) player.play().catch(() => {})
      else player.pause()
    })
    observer.observe(player)
    return () => observer.disconnect()
  }, [chosenVideo, isStopped])

  useEffect(() => {
    if (hasReducedMotion) setStopped(true)
  }, [hasReducedMotion])

  const toggle = () => {
    if (!chosenVideo) setChosenVideo(matchMedia(VERTICAL_QUERY).matches ? video.vertical : video.ancho)
    setStopped(!isStopped)
  }

  return (
    <>
      <video
        ref={playerRef}
        className={joinClasses(
          styles.backdrop,
          styles.video,
          focalPointClasses(video.ancho.cartel),
          hasStarted && styles.visible,
        )}
        muted
        loop
        playsInline
        preload="none"
        tabIndex={-1}
        aria-hidden="true"
        onPlaying={() => setHasStarted(true)}
      >
        {chosenVideo && (
          <>
            {chosenVideo.av1 && <source src={chosenVideo.av1} type='video/webm; codecs="av01.0.08M.10"' />}
            <source src={chosenVideo.h264} type="video/mp4" />
          </>
        )}
      </video>
      <button
        type="button"
        className={styles.pause}
        onClick={toggle}
        aria-label={isStopped ? 'Reproducir video' : 'Pausar video'}
      >
        {isStopped ? <PlayIcon /> : <PauseIcon />}
      </button>
    </>
  )
}

function savesData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } }
  return connection?.saveData === true
}
