import { memo } from 'react'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { hasProgramme } from '#app/cms/programme.ts'
import { networkName } from '#app/cms/schema/social-networks.ts'
import { datePartsOf, formatDateRange, isoDateOf } from '#app/core/time/mexico-dates.ts'
import { BelowFold, useBelowFold } from '#app/ui/deferred/below-fold.tsx'
import { withoutPreview } from '#app/ui/photos/photo.tsx'
import headingFont from '../../../.cache/fonts/bodoni.woff2?url'
import headingItalicFont from '../../../.cache/fonts/bodoni-italica.woff2?url'
import { FairDates } from '../fair-dates.tsx'
import { toNewsItem } from '../news/data.server.ts'
import type { Route } from './+types/home.page'
import { Candidates } from './candidates.tsx'
import { Gallery } from './gallery.tsx'
import { Hero } from './hero.tsx'
import styles from './home.module.css'
import { News } from './news.tsx'
import { RegistrationLinks } from './registration-links.tsx'
import { Sponsors } from './sponsors.tsx'

export const handle = { prerender: true }

/** Preloads the fonts of the title, which would otherwise load only after the first layout. */
export const links: Route.LinksFunction = () =>
  [headingFont, headingItalicFont].map((href) => ({
    rel: 'preload',
    as: 'font',
    type: 'font/woff2',
    crossOrigin: 'anonymous',
    href,
  }))

export async function loader() {
  const edition = await loadEdition()
  const { inicio, patrocinadores, rotulo, feria, numero, anio, fechas, programa, candidatas, historia } = edition
  const { weekday, day, month } = datePartsOf(isoDateOf(new Date(fechas.coronacion)))
  return {
    home: { ...inicio, noticias: inicio.noticias.map(toNewsItem) },
    sponsors: patrocinadores.map(({ nombre, marca, red }) => ({
      name: nombre,
      logoUrl: marca,
      pageUrl: red,
      networkName: networkName(red),
    })),
    titleLines: rotulo,
    tagline: `${feria.nombre} · edición ${numero}`,
    final: {
      day: `${weekday} ${day} de ${month}`,
      place: programa.coronacion?.lugar,
      year: anio,
    },
    years: [feria.desde, anio],
    /** Dates of the fair in words; undefined without a programme. */
    dayRange: hasProgramme(edition) ? formatDateRange(feria.inicia, feria.termina) : undefined,
    candidates: candidatas.map(({ id, nombre, tono, silueta }) => ({
      id,
      nombre,
      tono,
      picture: withoutPreview(silueta),
    })),
    reigningQueen: historia.reina.nombre,
  }
}

/** Renders text between asterisks with emphasis. */
const withEmphasis = (text: string) =>
  text.split('*').map((span, index) => (index % 2 === 1 ? <em key={span}>{span}</em> : span))

export default memo(function Home({ loaderData }: Route.ComponentProps) {
  const { home, sponsors, titleLines, tagline, final, years, dayRange, candidates, reigningQueen } = loaderData
  return (
    <>
      <Hero video={home.video} titleLines={titleLines} tagline={tagline} final={final} />
      <BelowFold isShown={useBelowFold()}>
        <section className={styles.introduction}>
          <p className={styles.years} aria-hidden="true">
            <span>{years[0]}</span> <span>{years[1]}</span>
          </p>
          <p className={styles.text}>{withEmphasis(home.introduccion)}</p>
          {dayRange && <FairDates dayRange={dayRange} showsEvents className={styles.when} />}
          <RegistrationLinks />
        </section>
        <Candidates candidates={candidates} reigningQueen={reigningQueen} />
        {home.galeria.length > 0 && <Gallery pictures={home.galeria} />}
        {home.noticias.length > 0 && <News newsItems={home.noticias} />}
        {sponsors.length > 0 && <Sponsors sponsors={sponsors} />}
      </BelowFold>
    </>
  )
})
