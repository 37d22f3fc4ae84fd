import { useRef } from 'react'
import { beaconUrlOf } from '#app/analytics/schema.ts'
import { usePhase } from '#app/cms/edition-settings/use-periods.ts'
import type { Edition } from '#app/cms/editions/displayed-edition.server.ts'
import { buttonLook } from '#app/ui/components/button.tsx'
import { fadeIn } from '#app/ui/motion/reveal-in-view.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import { FerrisWheel, Firework } from '#app/ui/ornaments/fair-drawings.tsx'
import { Sash } from '#app/ui/ornaments/sash.tsx'
import { Lightbox, LightboxThumbnail } from '#app/ui/photos/lightbox.tsx'
import { Photo } from '#app/ui/photos/photo.tsx'
import { ShareButton } from '#app/ui/sharing/share-button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { toneClass } from '#app/ui/styles/tone.ts'
import styles from './candidate.module.css'
import { useBirthdayConfetti } from './use-birthday-confetti.ts'

interface Props {
  candidate: Omit<Edition['candidatas'][number], 'semblanza' | 'antes' | 'prensa'>
  /** Her index on the screen. It decides the side of her photograph, her ornament, and whether the photograph loads at once. */
  listIndex: number
  /** The site's clock; undefined until it is known. */
  clock: (() => Date) | undefined
  /** Text before a shared link. */
  shareText: string
  shareUrl: string
  /** Her place in the vote's order; undefined unless the vote is open. */
  votePlace: number | undefined
}

/** Every second block has a drawing, alternately a wheel and a firework (§2.4). The keys are indexes modulo 4. */
const ORNAMENTS: Record<number, typeof FerrisWheel> = { 1: FerrisWheel, 3: Firework }

export function CandidateProfile({ candidate, listIndex, clock, shareText, shareUrl, votePlace }: Props) {
  const { id, nombre, edad, origen, cumple, carrera, signo, pasatiempos, tono, silueta, galeria } = candidate
  const articleRef = useRef<HTMLElement>(null)
  const isBirthday = useBirthdayConfetti(articleRef, cumple, clock)
  const title = usePhase()?.titulos?.[id]
  const Ornament = ORNAMENTS[listIndex % 4]
  return (
    <article
      ref={articleRef}
      id={id}
      className={joinClasses(styles.candidate, toneClass(tono), listIndex % 2 === 1 && styles.mirrored)}
      aria-labelledby={`nombre-${id}`}
    >
      {Ornament && <Ornament className={styles.ornament} />}
      <div className={joinClasses(styles.content, fadeIn)}>
        <Photo
          picture={silueta}
          sizes="(max-width: 640px) 60vw, 46vw"
          className={styles.silhouette}
          // On a phone the first candidate's photograph is in view before scrolling, and is larger than the group photograph.
          isFirst={listIndex === 0}
        />
        <div className={styles.profile}>
          <Sash as="h2" id={`nombre-${id}`} className={styles.sash}>
            {nombre}
          </Sash>
          {title && <p className={styles.courtTitle}>{title}</p>}
          {isBirthday && <p className={styles.birthday}>Hoy cumple años {nombre.split(' ')[0]}</p>}
          <dl className={styles.facts}>
            <dt>Edad</dt>
            <dd>{edad} años</dd>
            <dt>Origen</dt>
            <dd>{origen}</dd>
            <dt>Cumpleaños</dt>
            <dd>{cumple}</dd>
            <dt>Carrera</dt>
            <dd>{carrera}</dd>
            <dt>Signo Zodiacal</dt>
            <dd>{signo}</dd>
            <dt>Pasatiempos</dt>
            <dd>{pasatiempos}</dd>
          </dl>
          <div className={styles.thumbnails}>
            {galeria.map((picture, index) => (
              <LightboxThumbnail
                key={picture.base}
                group={id}
                number={index + 1}
                picture={picture}
                sizes="(max-width: 900px) 30vw, 14vw"
                isSmall
              />
            ))}
          </div>
          <div className={styles.actions}>
            {votePlace !== undefined && (
              <Link
                to={`/misspopularidad?vote=${votePlace}`}
                prefetch="none"
                className={joinClasses(buttonLook(), styles.vote)}
              >
                Votar por {nombre.split(' ')[0]}
              </Link>
            )}
            <ShareButton
              text={shareText}
              url={shareUrl}
              subject={`a ${nombre}`}
              pingUrl={beaconUrlOf('compartido', id)}
            />
          </div>
        </div>
      </div>
      <Lightbox group={id} label={`Fotografías de ${nombre}`} pictures={galeria} captions={galeria.map(() => nombre)} />
    </article>
  )
}
