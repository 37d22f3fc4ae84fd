import { actorOf } from '#app/accounts/guards.server.ts'
import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { throwIfDiskFull } from '#app/core/uploads/disk-space.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { kindOf } from '#app/entries/definitions/document-kinds.ts'
import { isImage, listDocumentFiles } from '#app/entries/document-viewing/viewing.server.ts'
import { type FullEntry, readEntryBatches } from '#app/entries/exports.server.ts'
import type { ShownValue } from '#app/entries/schema.ts'
import { juryCardValues } from '#app/entries/shown-values.ts'
import { documentTokenOf, readChosenEdition } from '#app/panel/guards.server.ts'
import { NothingChosen } from '#app/panel/nothing-chosen.tsx'
import { filterForAuditLog, readFilter } from '#app/panel/rules.ts'
import { ScreenHeading } from '#app/panel/screen-heading.tsx'
import { useInboxUrl } from '#app/panel/use-inbox-url.ts'
import { Button } from '#app/ui/components/button.tsx'
import type { Route } from './+types/jury-cards.page'
import { CardPhoto, usePhotoProgress } from './card-photo.tsx'
import styles from './jury-cards.module.css'

/** Maximum number of cards in a printout, since each card loads a photograph. */
const MAX_CARDS = 100

export async function loader({ request, context }: Route.LoaderArgs) {
  const access = await checkLoginWall(request, context, 'inscripciones')
  if (!access.isOpen) return null
  const { services } = servicesOf(context)
  const { db } = services
  const editionCard = await loadEditionCard()
  const { year } = await readChosenEdition(request, context)
  const filter = readFilter(new URL(request.url).searchParams, year)
  await throwIfDiskFull(services, () =>
    writeAuditLog(db, actorOf(context, access.session), { que: 'exporte.impresion', ...filterForAuditLog(filter) }),
  )
  const { value: firstBatch } = await readEntryBatches(db, filter, MAX_CARDS + 1).next()
  const rows: FullEntry[] = firstBatch ?? []
  const shownRows = rows.slice(0, MAX_CARDS)
  const files =
    shownRows.length === 0
      ? []
      : await listDocumentFiles(
          db,
          shownRows.map(({ id }) => id),
        )
  const cards = shownRows.map((row) => {
    const file = files.find((entryFile) => entryFile.entryId === row.id && kindOf(entryFile.clase).isOnJuryCard)
    const { id, tipo, folio, titular, detalle } = row
    return {
      id,
      tipo,
      folio,
      titular,
      detalle,
      fields: juryCardValues(FORMS[tipo], row.values),
      alt: tipo === 'candidata' ? `Foto de ${titular}` : kindOf('bocetoFrontal').name,
      picture:
        file && isImage(file)
          ? `/organizadores/documentos/${file.id}?llave=${documentTokenOf(context, access.session, file.id)}&tamano=ficha`
          : undefined,
      noPictureText: file
        ? 'El archivo es un PDF: ábrelo en su inscripción e imprímelo aparte'
        : 'Falta el archivo: pídelo en su inscripción',
    }
  })
  return { pageant: `${editionCard.nombre} ${year}`, cards, isCut: rows.length > MAX_CARDS }
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Fichas para el jurado' }, args)

/** Shows entries as printed cards for the jury, without telephones or emails. */
export default function JuryCardsPage({ loaderData }: Route.ComponentProps) {
  const photoCount = loaderData?.cards.filter(({ picture }) => picture).length ?? 0
  const { doneCount, markDone } = usePhotoProgress(photoCount)
  const inboxUrl = useInboxUrl()
  if (!loaderData) return null
  const { pageant, cards, isCut } = loaderData
  const isReady = doneCount === photoCount
  if (cards.length === 0)
    return (
      <>
        <ScreenHeading title="Fichas para el jurado" />
        <NothingChosen inboxUrl={inboxUrl} />
      </>
    )
  return (
    <>
      <ScreenHeading title="Fichas para el jurado">
        <Button look="outline" isBusy={!isReady} onClick={() => isReady && print()}>
          Imprimir
        </Button>
      </ScreenHeading>
      <p className={styles.notice}>
        {isCut
          ? `Son las primeras ${MAX_CARDS}: elige menos inscripciones, o usa los filtros, para imprimir las demás.`
          : 'Sin teléfonos ni correos. Cada ficha cabe en media hoja.'}
      </p>
      {photoCount > 0 && (
        <p className={styles.progress} role="status">
          {isReady
            ? 'Las imágenes están listas para imprimir.'
            : 'Preparando las imágenes; imprime cuando estén todas.'}
          {!isReady && (
            <span aria-hidden="true">
              {' '}
              {doneCount} de {photoCount}
            </span>
          )}
        </p>
      )}
      <ol className={styles.cards}>
        {cards.map((card) => (
          <li key={card.id}>
            {card.picture ? (
              <CardPhoto
                src={card.picture}
                alt={card.alt}
                className={card.tipo === 'traje' ? styles.sketch : undefined}
                onDone={markDone}
              />
            ) : (
              <p className={styles.noPhoto}>{card.noPictureText}</p>
            )}
            <div>
              <p className={styles.pageant}>
                {pageant} · {card.folio}
              </p>
              <h2>{card.detalle ?? card.titular}</h2>
              <dl>
                {card.fields.map((field) => (
                  <ShownField key={field.label} {...field} />
                ))}
              </dl>
              <p className={styles.score}>Calificación:</p>
            </div>
          </li>
        ))}
      </ol>
    </>
  )
}

const ShownField = ({ label, text }: ShownValue) => (
  <div>
    <dt>{label}</dt>
    <dd>{text}</dd>
  </div>
)
