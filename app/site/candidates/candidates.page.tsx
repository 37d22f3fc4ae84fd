import { memo, useRef } from 'react'
import { usePhase } from '#app/cms/edition-settings/use-periods.ts'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { placesInVoteOrder } from '#app/cms/publishing/places-in-vote-order.ts'
import { originOf } from '#app/core/http/services.server.ts'
import { withoutMarks } from '#app/core/text/rich-text.ts'
import { sentenceList } from '#app/core/text/sentence-list.ts'
import { useSiteTime } from '#app/core/time/use-site-time.ts'
import { BelowFold, useBelowFold } from '#app/ui/deferred/below-fold.tsx'
import { useRevealInView } from '#app/ui/motion/reveal-in-view.ts'
import { Lightbox, LightboxThumbnail } from '#app/ui/photos/lightbox.tsx'
import { Photo, withoutPreview } from '#app/ui/photos/photo.tsx'
import type { Route } from './+types/candidates.page'
import { CandidateProfile } from './candidate.tsx'
import styles from './candidates.module.css'
import { type CallSummary, ComingSoon } from './coming-soon.tsx'

export { revalidateUnlessHashOnly as shouldRevalidate } from '#app/ui/photos/lightbox-hash.ts'

export const handle = { prerender: true }

export async function loader({ context }: Route.LoaderArgs) {
  const { candidatas, retiradas, grupo, nombre, anio, tarjetas, convocatorias } = await loadEdition()
  const pageant = `${nombre} ${anio}`
  const names = candidatas.map((candidate) => candidate.nombre)
  const places = placesInVoteOrder(candidatas.length, retiradas)
  return {
    description:
      names.length > 0
        ? `Conoce a las candidatas: ${sentenceList(names)}.`
        : `Pronto conocerás a las candidatas de ${pageant}.`,
    groupPhoto: grupo,
    // Fields that this screen does not show stay on the server.
    candidates: candidatas.map(({ semblanza, antes, prensa, silueta, galeria, ...candidate }, index) => ({
      ...candidate,
      votePlace: places[index],
      silueta: withoutPreview(silueta),
      galeria: galeria.map(withoutPreview),
    })),
    withdrawnIds: retiradas.map(({ id }) => id),
    pageant,
    /** Slides of the calls for entries, shown while no candidate is announced. */
    slides: candidatas.length === 0 ? convocatorias.anuncios.map(toCallSummary) : [],
    pageUrl: `${originOf(context)}/candidatas`,
    shareCard: tarjetas.candidatas,
  }
}

/** Returns a slide's fields for the screen before the announcement, without the marks of rich text. */
const toCallSummary = ({ slug, titulo, texto, imagen, registro, invitacion }: CallSummary): CallSummary => ({
  slug,
  titulo,
  imagen,
  registro,
  texto: withoutMarks(texto),
  invitacion: invitacion && { ...invitacion, texto: withoutMarks(invitacion.texto) },
})

export const meta: Route.MetaFunction = (args) => {
  const { description, shareCard } = args.loaderData ?? {}
  return pageMeta({ screen: 'Candidatas', description, shareCard }, args)
}

/**
 * Returns the number of columns of photographs on a wide screen, so that with up to MAX_CANDIDATES candidates no row of the gallery
 * has a single candidate; 'one' for up to three candidates, whose photographs share a grid.
 */
const galleryColumnsFor = (candidateCount: number) =>
  candidateCount < 4 ? 'one' : candidateCount === 7 ? 4 : (COLUMN_COUNTS.find((n) => candidateCount % n === 0) ?? 6)
/** Numbers of columns in order of preference; the first that fills every row is taken. */
const COLUMN_COUNTS = [5, 6, 4]

/**
 * Renders the candidates, one block each, and a gallery of all their photographs (§2.4); before the announcement, `ComingSoon`.
 */
export default memo(function CandidatesPage({ loaderData }: Route.ComponentProps) {
  const { groupPhoto, candidates, withdrawnIds, pageant, slides, pageUrl } = loaderData
  const screenRef = useRef<HTMLDivElement>(null)
  const siteClock = useSiteTime()
  const isVoteOpen = usePhase()?.llamado.que === 'votar'
  const isBelowFoldShown = useBelowFold()
  useRevealInView(screenRef, isBelowFoldShown)
  const photos = candidates.flatMap(({ galeria }) => galeria)
  const captions = candidates.flatMap(({ nombre, galeria }) => galeria.map(() => nombre))
  if (candidates.length === 0) return <ComingSoon pageant={pageant} slides={slides} />
  return (
    <div ref={screenRef}>
      {/* Notices at the URLs of withdrawn candidates; the stylesheet shows a notice only at its URL (`:target`). */}
      {withdrawnIds.map((id) => (
        <p key={id} id={id} className={styles.withdrawn}>
          Esta candidata ya no participa en el certamen.
        </p>
      ))}
      <header className={styles.headline}>
        <h1>CONOCE A NUESTRAS CANDIDATAS</h1>
      </header>
      {groupPhoto && <Photo picture={groupPhoto} sizes="95vw" className={styles.group} isFirst />}
      {(isBelowFoldShown ? candidates : candidates.slice(0, 1)).map((candidate, index) => (
        <CandidateProfile
          key={candidate.id}
          candidate={candidate}
          listIndex={index}
          clock={siteClock}
          shareText={`${candidate.nombre}, candidata a ${pageant}:`}
          shareUrl={`${pageUrl}#${candidate.id}`}
          votePlace={isVoteOpen ? candidate.votePlace : undefined}
        />
      ))}
      <BelowFold isShown={isBelowFoldShown}>
        <section className={styles.gallery} aria-labelledby="galeria">
          <h2 id="galeria">GALERÍA</h2>
          <div className={styles.photos} data-columns={galleryColumnsFor(candidates.length)}>
            {candidates.map(({ id, galeria }, candidateIndex) => (
              <div key={id} className={styles.candidatePhotos}>
                {galeria.map((picture, index) => (
                  <LightboxThumbnail
                    key={picture.base}
                    group="galeria"
                    number={
                      candidates.slice(0, candidateIndex).flatMap((candidate) => candidate.galeria).length + index + 1
                    }
                    picture={picture}
                    sizes={`(max-width: 640px) ${index === 0 ? 60 : 30}vw, 18vw`}
                    isSmall
                  />
                ))}
              </div>
            ))}
          </div>
          <Lightbox group="galeria" label="Galería de candidatas" pictures={photos} captions={captions} />
        </section>
      </BelowFold>
    </div>
  )
})
