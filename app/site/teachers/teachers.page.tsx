import { memo, useRef } from 'react'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { TONES } from '#app/cms/schema/edition-documents.ts'
import { sentenceList } from '#app/core/text/sentence-list.ts'
import { NextIcon } from '#app/ui/components/icons.tsx'
import { PersonName } from '#app/ui/components/person-name.tsx'
import { BelowFold, useBelowFold } from '#app/ui/deferred/below-fold.tsx'
import { fromLeft, useRevealInView } from '#app/ui/motion/reveal-in-view.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import { Agave, FerrisWheel, Firework } from '#app/ui/ornaments/fair-drawings.tsx'
import { Photo } from '#app/ui/photos/photo.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { toneClass } from '#app/ui/styles/tone.ts'
import type { Route } from './+types/teachers.page'
import { JobTitle } from './job-title.tsx'
import styles from './teachers.module.css'

export const handle = { prerender: true }

export async function loader() {
  const { bannerMaestros, maestros, rotulo, tarjetas } = await loadEdition()
  const names = maestros.map(({ nombre }) => nombre)
  return {
    description: names.length > 0 ? `Conoce a nuestros maestros: ${sentenceList(names)}.` : undefined,
    banner: bannerMaestros,
    titleLines: rotulo,
    teachers: maestros.map(({ slug, nombre, puesto, foto }, index) => ({
      slug,
      nombre,
      puesto,
      foto,
      tone: TONES[index % TONES.length]!,
    })),
    shareCard: tarjetas.maestros,
  }
}

export const meta: Route.MetaFunction = (args) => {
  const { description, shareCard } = args.loaderData ?? {}
  return pageMeta({ screen: 'Maestros', description, shareCard }, args)
}

/** Renders the candidates' teachers, one row each (§2.6). */
export default memo(function TeachersPage({ loaderData: { banner, titleLines, teachers } }: Route.ComponentProps) {
  const list = useRef<HTMLOListElement>(null)
  const isBelowFoldShown = useBelowFold()
  useRevealInView(list, isBelowFoldShown)
  return (
    <>
      <header className={styles.cover}>
        <Photo
          picture={banner}
          sizes="(max-width: 599px) 150vw, max(100vw, min(142vh, 1352px))"
          className={styles.banner}
          isFirst
        />
        <div className={styles.headline}>
          {/* The words of the logo (§2.6); its emblem is right above, in the header. */}
          <p className={styles.logo}>
            {titleLines[0]} <em>{titleLines[1]}</em>
          </p>
          <h1>CONOCE A NUESTROS MAESTROS</h1>
        </div>
      </header>
      {teachers.length === 0 && (
        <p className={styles.soon}>
          Muy pronto presentaremos a quienes preparan a las candidatas: su escuela, su oficio y sus manías.
        </p>
      )}
      <ol ref={list} className={styles.list}>
        {(isBelowFoldShown ? teachers : teachers.slice(0, 2)).map(({ slug, nombre, puesto, foto, tone }) => (
          <li key={slug} className={joinClasses(styles.line, fromLeft, toneClass(tone))}>
            <Link to={`/maestros/${slug}`}>
              <div>
                <h2>
                  <PersonName>{nombre}</PersonName>
                </h2>
                <JobTitle lines={puesto} className={styles.jobTitle} />
              </div>
              <Photo picture={foto} sizes="(max-width: 599px) 42vw, (max-width: 1024px) 62vw, 38vw" />
              <NextIcon />
            </Link>
          </li>
        ))}
      </ol>
      <BelowFold isShown={isBelowFoldShown}>
        <div className={styles.fair}>
          <Firework className={styles.rocket} />
          <Firework className={styles.rocket} />
          <Agave className={styles.agave} />
          <FerrisWheel className={styles.wheel} />
          <Agave className={styles.agave} />
        </div>
      </BelowFold>
    </>
  )
})
