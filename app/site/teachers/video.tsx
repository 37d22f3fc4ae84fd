import { useEffect, useRef, useState } from 'react'
import type { Edition } from '#app/cms/editions/displayed-edition.server.ts'
import { useInView } from '#app/ui/motion/reveal-in-view.ts'
import { Photo } from '#app/ui/photos/photo.tsx'
import styles from './video.module.css'

/**
 * Renders a teacher's upright video, which is not fetched before it is played. Its poster is a lazy photograph behind the
 * transparent video element.
 */
export function Video({ archivo, cartel, subtitulos }: NonNullable<Edition['maestros'][number]['video']>) {
  const player = useRef<HTMLVideoElement>(null)
  const isInView = useInView(player)
  /** Until the first play the browser's controls are invisible, but usable by click and keyboard. */
  const [isStarted, setIsStarted] = useState(false)
  // Pauses the video out of view, unless it plays in a picture-in-picture window.
  useEffect(() => {
    const video = player.current
    if (!isInView || !video) return
    return () => {
      if (document.pictureInPictureElement !== video) video.pause()
    }
  }, [isInView])
  return (
    <div className={styles.frame} data-started={isStarted || undefined}>
      <div className={styles.poster} aria-hidden="true">
        <Photo picture={cartel} sizes="min(119vw, 427px)" className={styles.photo} />
      </div>
      {/* biome-ignore lint/a11y/useMediaCaption: the edition adds captions to a video that has sound */}
      <video
        ref={player}
        className={styles.video}
        controls
        playsInline
        preload="none"
        onPlay={() => setIsStarted(true)}
        aria-label={cartel.alt}
      >
        <source src={archivo} type={archivo.endsWith('.webm') ? 'video/webm' : 'video/mp4'} />
        {subtitulos && <track kind="captions" src={subtitulos} srcLang="es" label="Español" default />}
        Tu navegador no soporta el video.
      </video>
    </div>
  )
}
