import { memo } from 'react'
import { data } from 'react-router'
import { REGISTRATION_FORMS, usePeriods } from '#app/cms/edition-settings/use-periods.ts'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { hasProgramme } from '#app/cms/programme.ts'
import { originOf } from '#app/core/http/services.server.ts'
import { withoutMarks } from '#app/core/text/rich-text.ts'
import { formatDateRange } from '#app/core/time/mexico-dates.ts'
import { Carousel } from '#app/ui/components/carousel.tsx'
import { MessageScreen } from '#app/ui/components/message-screen.tsx'
import { Lightbox, LightboxThumbnail } from '#app/ui/photos/lightbox.tsx'
import { FairDates } from '../fair-dates.tsx'
import type { Route } from './+types/calls.page'
import styles from './calls.module.css'
import { callPath, listSlides } from './data.server.ts'
import { slideForToday } from './rules.ts'
import { Slide } from './slide.tsx'

export { revalidateUnlessHashOnly as shouldRevalidate } from '#app/ui/photos/lightbox-hash.ts'
export const handle = { prerender: true }

/** @source §2.11, §9 */
const TRANSITION = { fadeMs: 250 }
const BUTTON_TEXTS = { previous: '← Anterior', next: 'Siguiente →' }

/** Loads the slides in their order, rotated so that the slide that the URL names comes first. */
export async function loader({ params: { slug }, context }: Route.LoaderArgs) {
  const edition = await loadEdition()
  const { anio, feria, tarjetas, convocatorias } = edition
  const slides = await listSlides()
  const slideIndex = slug === undefined ? 0 : slides.findIndex((slide) => slide.slug === slug)
  if (slideIndex < 0) throw data(null, { status: 404 })
  const { anuncios } = convocatorias
  const requestedSlide = slug === undefined ? undefined : anuncios[slideIndex]
  // A slide that changes when its registration closes has the name of its form as title, and the share card of all slides, which stay
  // true.
  const slideWithOwnHead = requestedSlide?.invitacion ? undefined : requestedSlide
  const describedSlides = requestedSlide ? [requestedSlide] : anuncios
  return {
    slides: [...slides.slice(slideIndex), ...slides.slice(0, slideIndex)],
    slug,
    pageUrl: `${originOf(context)}${callPath('')}`,
    year: anio,
    dayRange: hasProgramme(edition) ? formatDateRange(feria.inicia, feria.termina) : undefined,
    screen:
      slideWithOwnHead?.titulo ?? (requestedSlide ? `Convocatoria: ${formNameOf(requestedSlide)}` : 'Convocatorias'),
    description: describedSlides.map(({ titulo, texto }) => `${titulo}: ${withoutMarks(texto)}`).join(' ') || undefined,
    shareCard: slideWithOwnHead ? tarjetas[`anuncio-${slideWithOwnHead.slug}`] : tarjetas.convocatoria,
  }
}

/**
 * Returns the name of the form that a slide leads to, which stays the same when its registration closes; the slide's title if it
 * leads to no form.
 */
const formNameOf = ({ registro, titulo }: { registro?: string | undefined; titulo: string }) =>
  REGISTRATION_FORMS.find(({ registration }) => registration === registro)?.label ?? titulo

export const meta: Route.MetaFunction = (args) => {
  const { screen = 'Convocatorias', description, shareCard } = args.loaderData ?? {}
  return pageMeta({ screen, description, shareCard }, args)
}

/** Shows the edition's slides, one at a time (§2.11). */
export default memo(function CallsPage({ loaderData }: Route.ComponentProps) {
  const { year, dayRange, slug, pageUrl } = loaderData
  const periods = usePeriods()
  const slides = loaderData.slides.map((slide) => {
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
        key={slug}
        items={slides}
        keyOf={(slide) => slide.slug}
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
            <Slide {...slide} url={pageUrl + slide.slug} />
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
