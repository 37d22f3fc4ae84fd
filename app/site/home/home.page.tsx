import { memo } from 'react'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { hasProgramme } from '#app/cms/schema/programme.ts'
import { networkName } from '#app/cms/schema/social-networks.ts'
import { dayOf, endOfDay, formatDayRange, formatTime, leafOf } from '#app/core/time/mexico-dates.ts'
import { BelowFold, useBelowFold } from '#app/ui/loading/below-fold.tsx'
import headingFont from '../../../.cache/fonts/bodoni.woff2?url'
import headingItalicFont from '../../../.cache/fonts/bodoni-italica.woff2?url'
import type { Route } from './+types/home.page'
import { Gallery } from './gallery.tsx'
import { Hero } from './hero.tsx'
import styles from './home.module.css'
import { News } from './news.tsx'
import { Registrations } from './registration-links.tsx'
import { Sponsors } from './sponsors.tsx'

export const handle = { ahead: true }

/** The fonts of the title in the first view, which would otherwise load only after its layout. */
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
  const { inicio, patrocinadores, rotulo, feria, numero, anio, fechas, programa } = edition
  const final = new Date(fechas.coronacion)
  const { semana, numero: day, mes } = leafOf(dayOf(final))
  return {
    inicio,
    patrocinadores: patrocinadores.map(({ nombre, marca, red }) => ({ nombre, marca, red, enRed: networkName(red) })),
    rotulo,
    lema: `${feria.nombre} · edición ${numero}`,
    final: {
      dia: `${semana} ${day} de ${mes}`,
      hora: formatTime(final),
      lugar: programa.coronacion?.lugar,
      /** The end of the final's day, an ISO moment. */
      hasta: endOfDay(dayOf(final))!.toISOString(),
    },
    anios: [feria.desde, anio],
    /** Dates of the fair in words; undefined without a programme. */
    cuando: hasProgramme(edition) ? `La feria es ${formatDayRange(feria.inicia, feria.termina)}.` : undefined,
  }
}

/** Sets text between asterisks in emphasis. */
const withEmphasis = (text: string) =>
  text.split('*').map((span, index) => (index % 2 === 1 ? <em key={span}>{span}</em> : span))

export default memo(function Home({ loaderData }: Route.ComponentProps) {
  const { inicio, patrocinadores, rotulo, lema, final, anios, cuando } = loaderData
  return (
    <>
      <Hero video={inicio.video} rotulo={rotulo} lema={lema} final={final} />
      <BelowFold si={useBelowFold()}>
        <section className={styles.introduccion}>
          <p className={styles.anios} aria-hidden="true">
            <span>{anios[0]}</span> <span>{anios[1]}</span>
          </p>
          <p className={styles.texto}>{withEmphasis(inicio.introduccion)}</p>
          {cuando && (
            <p className={styles.cuando}>
              {cuando} <a href="/programa">Ver el programa</a>
            </p>
          )}
          <Registrations />
        </section>
        {inicio.galeria.length > 0 && <Gallery imagenes={inicio.galeria} />}
        {inicio.noticias.length > 0 && <News noticias={inicio.noticias} />}
        {patrocinadores.length > 0 && <Sponsors patrocinadores={patrocinadores} />}
      </BelowFold>
    </>
  )
})
