import { memo } from 'react'
import { usePeriods } from '#app/cms/edition-settings/use-periods.ts'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { hasProgramme } from '#app/cms/schema/programme.ts'
import { formatDateRange } from '#app/core/time/mexico-dates.ts'
import { Carousel } from '#app/ui/components/carousel.tsx'
import { MessageScreen } from '#app/ui/components/message-screen.tsx'
import { Lightbox, LightboxThumbnail } from '#app/ui/photos/lightbox.tsx'
import { FairDates } from '../fair-dates.tsx'
import type { Route } from './+types/calls.page'
import styles from './calls.module.css'
import { slideForToday } from './rules.ts'
import { Slide } from './slide.tsx'

export { revalidateUnlessHashOnly as shouldRevalidate } from '#app/ui/photos/lightbox-hash.ts'
export const handle = { prerender: true }

/** Sections 2.11 and 9 of the specification ask for this transition. @source §2.11, §9 */
const TRANSITION = { fadeMs: 250 }
const BUTTON_TEXTS = { previous: '← Anterior', next: 'Siguiente →' }

export async function loader() {
  const edition = await loadEdition()
  const { convocatorias, anio, feria, tarjetas } = edition
  const dayRange = hasProgramme(edition) ? formatDateRange(feria.inicia, feria.termina) : undefined
  return { announcements: convocatorias.anuncios, year: anio, dayRange, shareCard: tarjetas.convocatoria }
}

export const meta: Route.MetaFunction = (args) => {
  const { announcements, shareCard } = args.loaderData ?? {}
  const description = announcements?.length
    ? announcements.map(({ titulo, texto }) => `${titulo}: ${texto}`).join(' ')
    : undefined
  return pageMeta({ screen: 'Convocatorias', description, shareCard }, args)
}

/** Shows the edition's announcements, one at a time (§2.11). */
export default memo(function CallsPage({ loaderData }: Route.ComponentProps) {
  const { year, dayRange } = loaderData
  const periods = usePeriods()
  const slides = loaderData.announcements.map((slide) => {
    const period = periods && (slide.registro ? periods[slide.registro] : undefined)
    return { ...slideForToday(slide, period), period }
  })
  if (slides.length === 0)
    return (
      <MessageScreen kicker={`Convocatorias ${year}`} title="Muy pronto habrá noticias aquí">
        <p>En este momento no hay ninguna convocatoria. Cuando se abra una, la verás en esta pantalla.</p>
      </MessageScreen>
    )
  return (
    <section className={styles.call} aria-labelledby="convocatorias" aria-roledescription="carrusel">
      <h1 id="convocatorias">{`Convocatorias ${year}`}</h1>
      <Carousel
        items={slides}
        keyOf={({ slideKey }, index) => `${index} ${slideKey}`}
        itemName="Anuncio"
        transition={TRANSITION}
        buttonTexts={BUTTON_TEXTS}
        hasDots
        element="article"
        classNames={{ frame: styles.frame, controls: styles.controls, track: styles.track, slide: styles.slide }}
      >
        {(slide, index) => (
          <>
            <LightboxThumbnail
              group="carteles"
              number={index + 1}
              picture={slide.imagen}
              sizes="(max-width: 640px) min(90vw, max(34vh, 67vh - 205px)), (max-width: 900px) 46vw, min(38vw, 62vh)"
              className={styles.poster}
              isFirst={index === 0}
            />
            <Slide {...slide} />
          </>
        )}
      </Carousel>
      <Lightbox
        group="carteles"
        label="Carteles de las convocatorias"
        pictures={slides.map(({ imagen }) => imagen)}
        captions={slides.map(({ titulo }) => titulo)}
      />
      {dayRange && <FairDates dayRange={dayRange} className={styles.when} />}
    </section>
  )
})
