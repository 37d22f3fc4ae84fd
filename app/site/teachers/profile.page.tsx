import { memo } from 'react'
import { data } from 'react-router'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { NextIcon, PreviousIcon } from '#app/ui/components/icons.tsx'
import { PersonName } from '#app/ui/components/person-name.tsx'
import { BelowFold, useBelowFold } from '#app/ui/deferred/below-fold.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { Lightbox, LightboxThumbnail } from '#app/ui/photos/lightbox.tsx'
import { asDecorative, Photo } from '#app/ui/photos/photo.tsx'
import { SocialLinks } from '#app/ui/sharing/social-links.tsx'
import type { Route } from './+types/profile.page'
import { JobTitle } from './job-title.tsx'
import styles from './profile.module.css'
import endStyles from './profile-end.module.css'
import { linesOf } from './rules.ts'
import { Video } from './video.tsx'

export { revalidateUnlessHashOnly as shouldRevalidate } from '#app/ui/photos/lightbox-hash.ts'

const MEET_HEADING = 'Conoce + de mí'
/** Text before and after the plus sign, which has a colour of its own. */
const [textBeforePlus, textAfterPlus] = MEET_HEADING.split('+')

export const handle = { prerender: true }

export async function loader({ params }: Route.LoaderArgs) {
  const { maestros, tarjetas } = await loadEdition()
  const index = maestros.findIndex(({ slug }) => slug === params.slug)
  const teacher = maestros[index]
  if (!teacher) throw data(null, { status: 404 })
  const { slug, nombre, puesto, descripcion, foto, bio, galeria, tarjetas: texts, video, redes } = teacher
  const next = maestros.length > 1 ? maestros[(index + 1) % maestros.length] : undefined
  const profileCards = [
    { titulo: 'Credenciales', ...texts.credenciales },
    { titulo: 'Casos de Éxito', ...texts.exitos },
    { titulo: 'Datos Curiosos', ...texts.datos },
  ]
  return {
    nombre,
    puesto,
    foto,
    bio,
    galeria,
    video,
    redes,
    cards: profileCards.map(({ titulo, texto, foto }) => ({ titulo, foto, lines: linesOf(texto) })),
    next: next && { slug: next.slug, nombre: next.nombre, foto: asDecorative(next.foto) },
    description: `${puesto.join(' ')}. ${descripcion}`,
    shareCard: tarjetas[`maestro-${slug}`],
  }
}

export const meta: Route.MetaFunction = (args) => {
  const { nombre, description, shareCard } = args.loaderData ?? {}
  return pageMeta({ screen: nombre, description, shareCard, type: 'profile' }, args)
}

/** Renders a teacher's profile: introduction, gallery and video (§2.7). */
export default memo(function ProfilePage({ loaderData }: Route.ComponentProps) {
  const { nombre, puesto, foto, bio, galeria, cards, video, redes, next } = loaderData
  const isBelowFoldShown = useBelowFold()
  return (
    // The key drops the state of the previous profile, such as its video.
    <article key={nombre}>
      <header className={styles.profile}>
        <Photo
          picture={foto}
          sizes="(max-width: 640px) 88vw, (max-width: 900px) 100vw, max(45vw, 67vh)"
          className={styles.photo}
          isFirst
        />
        <div className={styles.text}>
          <Link to="/maestros" className={styles.back}>
            <PreviousIcon />
            Todos los maestros
          </Link>
          <h1>
            <PersonName>{nombre}</PersonName>
          </h1>
          <JobTitle lines={puesto} className={styles.jobTitle} />
          <div className={styles.bio}>
            {bio.map((paragraph) => (
              <p key={paragraph}>{paragraph}</p>
            ))}
          </div>
          <div className={styles.links}>
            <section className={styles.networks} aria-labelledby="redes">
              <h2 id="redes">Sígueme en mis redes</h2>
              <SocialLinks {...redes} />
            </section>
            <div className={styles.gallery}>
              {galeria.map((picture, index) => (
                <LightboxThumbnail
                  key={picture.base}
                  group="galeria"
                  number={index + 1}
                  picture={picture}
                  sizes="128px"
                  isSmall
                />
              ))}
            </div>
          </div>
          <Lightbox
            group="galeria"
            label={`Fotografías de ${nombre}`}
            pictures={galeria}
            captions={galeria.map(() => nombre)}
          />
        </div>
      </header>
      <BelowFold isShown={isBelowFoldShown}>
        <section className={styles.meet} aria-labelledby="conoce">
          <h2 id="conoce">
            {textBeforePlus}
            <span className={styles.more}>+</span>
            {textAfterPlus}
          </h2>
          <div className={styles.cards}>
            {cards.map(({ titulo, foto, lines }) => (
              <article key={titulo}>
                <Photo picture={foto} sizes="(max-width: 599px) 112px, (max-width: 900px) 36vw, 28vw" />
                <div>
                  <h3>{titulo}</h3>
                  <ul>
                    {lines.map((line) => (
                      <li key={line}>{line}</li>
                    ))}
                  </ul>
                </div>
              </article>
            ))}
          </div>
        </section>
        {(video || next) && (
          <div className={endStyles.closing}>
            {video && <Video {...video} />}
            {next && (
              <Link to={`/maestros/${next.slug}`} className={endStyles.next}>
                <Photo
                  picture={next.foto}
                  sizes="(max-width: 640px) 88vw, (max-width: 900px) 50vw, 60vw"
                  className={endStyles.photo}
                />
                <span>
                  Siguiente:{' '}
                  <b>
                    <PersonName>{next.nombre}</PersonName>
                  </b>
                </span>
                <NextIcon />
              </Link>
            )}
          </div>
        )}
      </BelowFold>
    </article>
  )
})
