import { useState } from 'react'
import { data, Form, useNavigation } from 'react-router'
import { actorOf } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { checkLoginWall, requireOrganiser, requireReauthentication } from '#app/accounts/sign-in/login-wall.server.ts'
import { discardDraft } from '#app/cms/drafts/draft-store.server.ts'
import { displayedEdition } from '#app/cms/editions/displayed-edition.server.ts'
import type { ListedEdition } from '#app/cms/editions/years.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { requestPublication } from '#app/cms/publishing/mutations.server.ts'
import { adviceOnMovedOpening, opensVoteAtOnce } from '#app/cms/publishing/rules.ts'
import { listDateContradictions } from '#app/cms/schema/date-contradictions.ts'
import type { FieldFault } from '#app/cms/schema/faults.ts'
import type { EditionValues } from '#app/cms/schema/read-content.server.ts'
import { type Services, servicesOf } from '#app/core/http/services.server.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { formatDateTime, formatFullDateTimeWithZone } from '#app/core/time/mexico-dates.ts'
import { withDiskFullRefusal } from '#app/core/uploads/disk-space.server.ts'
import { faultsOfScreen, readEditorContent } from '#app/panel/editor/data.server.ts'
import { EDITABLE_SCREENS } from '#app/panel/editor/editable-screens.ts'
import { EditedYear } from '#app/panel/editor/edited-year.tsx'
import { BackAndHelp } from '#app/panel/editor/handbook/back-and-help.tsx'
import { publishTitle } from '#app/panel/editor/publish-link.tsx'
import { readChosenEdition } from '#app/panel/guards.server.ts'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { TextAreaField } from '#app/ui/forms/field.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { explainOrphanedVotes } from '#app/voting/election/candidate-names.server.ts'
import { drawUpClosingMove, hasVoteBegun } from '#app/voting/sealing/moved-closing.server.ts'
import type { Route } from './+types/publish.page'
import { ChangeList } from './change-list.tsx'
import { changesBetween } from './diff.ts'
import { datesHeading, FaultList } from './fault-list.tsx'
import { findChecksums, listPublications } from './history.server.ts'
import styles from './publish.module.css'
import { explainRefusal, type RefusalMessages } from './refusals.server.ts'
import { PREPARING_MESSAGE, useRefreshWhile } from './use-refresh-while.ts'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'sitio')).isOpen) return null
  const { services } = servicesOf(context)
  const { year, edition } = await readChosenEdition(request, context)
  const editorContent = await readEditorContent(services.db, year)
  const { published, draft } = editorContent
  const changes = changesBetween(published.values, draft.values)
  return {
    edition,
    version: draft.version,
    changes,
    checksums: await findChecksums(services.db, changes, published.hashByPath),
    faults: EDITABLE_SCREENS.flatMap((screen) => faultsOfScreen(screen, editorContent)),
    dateContradictions: listDateContradictions(draft.values),
    authors: [...new Set(Object.values(draft.documents).flatMap(({ quien, isChanged }) => (isChanged && quien) || []))],
    latestPublications: (await listPublications(services.db, published.year, 1)).map((publication) =>
      isNotYetDisplayed(published.year, publication) ? { ...publication, estado: 'preparando' as const } : publication,
    ),
    opensVote: edition.isCurrent && opensVoteAtOnce(published.values, draft.values, services.clock.now()),
    closingMove: await describeClosingMove(services, published.year, published.values, draft.values),
  }
}

/** Returns whether a publication is published but not displayed by this process yet. */
function isNotYetDisplayed(year: number, { id, estado }: { id: number; estado: string }): boolean {
  const { publicationId, edition } = displayedEdition() ?? {}
  return estado === 'publicada' && edition?.anio === year && publicationId !== undefined && id > publicationId
}

/**
 * Returns the old and the new closing time in words if the draft moves the closing of a vote that has begun; `remedy` if it must not,
 * or if the draft moves the opening of such a vote; undefined otherwise.
 */
async function describeClosingMove(
  services: Services,
  edition: number,
  ...[published, draft]: [EditionValues, EditionValues]
) {
  const openingAdvice = adviceOnMovedOpening(published, draft)
  if (openingAdvice !== undefined && (await hasVoteBegun(services.db, edition)))
    return { remedy: `Así no se puede publicar: ${openingAdvice}.` }
  const [before, after] = [published, draft].map(
    (values) => (values['edicion.yaml'] as { fechas?: { cierreVotacion?: string } }).fechas?.cierreVotacion ?? '',
  ) as [string, string]
  // The record that `drawUpClosingMove` returns is not stored here, so the reason may be a placeholder.
  const moveResult = await drawUpClosingMove(services, {
    edition,
    closingInForce: before,
    newClosing: after,
    reason: 'Todavía no se escribe.',
  })
  if (!moveResult.ok) return { remedy: moveResult.remedy }
  return moveResult.acta
    ? { before: formatFullDateTimeWithZone(new Date(before)), after: formatFullDateTimeWithZone(new Date(after)) }
    : undefined
}

const MAX_NOTE_CHARACTERS = 200

const REFUSAL_MESSAGES: RefusalMessages = {
  unchanged: 'No hay ningún cambio que publicar.',
  unopened: 'Esta edición no es la que se ve: se publica al abrirla, en «Ediciones por año».',
  faults: 'No se publicó, porque el sitio se rompería. Arregla esto:',
  reserved:
    'Este borrador mueve fechas de la edición, abre el material de prensa, toca las reglas de la votación o dice quién ganó, y eso lo publica quien lleva todo el panel. Pídeselo, o deja esas partes como están en el sitio.',
  unknown: 'Esta edición todavía no está preparada: prepárala en «Ediciones por año».',
}

export async function action({ request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'sitio')
  const { services } = servicesOf(context)
  const form = await request.formData()
  if (form.get('hacer') === 'descartar') {
    // The form names its edition, since the organiser may have chosen another edition in another tab.
    const year = Number(form.get('anio')) || (await readChosenEdition(request, context)).year
    await discardDraft(services.db, year, undefined, actorOf(context, session))
    return { ok: true as const, publicationId: undefined }
  }
  const version = Number(form.get('version'))
  const note = typedText(String(form.get('nota') ?? ''))
  const reason = typedText(String(form.get('motivo') ?? '')).slice(0, 2_000)
  const refuse = (message: string, status: number, refusedFaults: readonly FieldFault[] = []) =>
    data({ ok: false as const, message, refusedFaults, note, reason }, { status })
  if (!Number.isSafeInteger(version)) return refuse('Vuelve a abrir esta pantalla y publica de nuevo.', 400)
  if (note.length > MAX_NOTE_CHARACTERS)
    return refuse(`La nota tiene más de ${MAX_NOTE_CHARACTERS} letras: acórtala y publica de nuevo.`, 422)
  const { year } = await readChosenEdition(request, context)
  const publishResult = await withDiskFullRefusal(services, () =>
    requestPublication(
      services,
      {
        year,
        version,
        note,
        hasVoteBegun,
        permission: {
          mayChangeReserved: may(session.role, 'edicion'),
          confirm: () => requireReauthentication(request, context, session, form),
        },
        check: (documents) => explainOrphanedVotes(services, { edicion: year, ...documents['candidatas.yaml'] }),
        drawUpClosingMove: (tx, dates) =>
          drawUpClosingMove({ ...services, db: tx }, { edition: year, ...dates, reason }),
      },
      actorOf(context, session),
    ),
  )
  if (publishResult.ok) return { ok: true as const, publicationId: publishResult.publicationId }
  const { message, status, faults } = explainRefusal(publishResult, REFUSAL_MESSAGES)
  return refuse(message, status, faults)
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'
export { revalidateAfterConflict as shouldRevalidate } from '#app/panel/rules.ts'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Publicar, El sitio' }, args)

export default function PublishScreen({ loaderData, actionData }: Route.ComponentProps) {
  const { state, formData } = useNavigation()
  // A revalidation clears actionData, so this state keeps the id of the organiser's own publication.
  const [ownPublicationId, setOwnPublicationId] = useState<number>()
  if (actionData?.ok && actionData.publicationId !== undefined && actionData.publicationId !== ownPublicationId)
    setOwnPublicationId(actionData.publicationId)
  const latestPublication = loaderData?.latestPublications[0]
  const isPreparing = latestPublication?.estado === 'preparando'
  useRefreshWhile(isPreparing)
  if (!loaderData) return null
  const { edition, version, changes, checksums, faults, dateContradictions, authors, opensVote, closingMove } =
    loaderData
  const closingRemedy = closingMove && 'remedy' in closingMove ? closingMove.remedy : undefined
  const isBusy = state !== 'idle' || isPreparing
  const refusalBanner = actionData && !actionData.ok && (
    <Banner tone="bad" message={actionData.message}>
      {actionData.refusedFaults.length > 0 && <FaultList faults={actionData.refusedFaults} />}
    </Banner>
  )
  const isPublishing = isPreparing || (formData !== undefined && formData.get('hacer') !== 'descartar')
  return (
    <>
      <BackAndHelp section="publicar" />
      <h1>{publishTitle(edition)}</h1>
      <EditedYear edition={edition} />
      {!edition.isCurrent && <NotPublishable edition={edition} />}
      {isPreparing && changes.length === 0 && <p className={styles.preparing}>{PREPARING_MESSAGE}</p>}
      <div role="status" className={styles.state}>
        {ownPublicationId !== undefined &&
          latestPublication?.id === ownPublicationId &&
          latestPublication.estado === 'publicada' && (
            <Banner
              tone="good"
              message={`Publicado. Ya lo ve quien visita el sitio (${formatDateTime(latestPublication.at)}).`}
            >
              <a href="/" target="_blank" rel="noreferrer">
                Ver el sitio
              </a>
            </Banner>
          )}
        {latestPublication?.estado === 'fallida' && (
          <Banner
            tone="bad"
            message="La última publicación no se pudo terminar; el sitio sigue como estaba y tu borrador también."
          >
            <FaultList faults={latestPublication.faults} />
          </Banner>
        )}
      </div>
      {changes.length === 0 ? (
        <>
          {refusalBanner}
          {!isPreparing && edition.isCurrent && (
            <p className={styles.atRest}>No hay cambios sin publicar: el sitio ya dice lo que dice el borrador.</p>
          )}
          {edition.isCurrent && latestPublication?.estado === 'publicada' && (
            <p className={styles.explanation}>Publicado por última vez el {formatDateTime(latestPublication.at)}.</p>
          )}
          <Link
            to={edition.isCurrent ? '/organizadores/sitio' : '/organizadores/sitio/ediciones'}
            className={buttonLook('main')}
          >
            Ir a «{edition.isCurrent ? 'El sitio' : 'Ediciones por año'}»
          </Link>
        </>
      ) : (
        <>
          {faults.length > 0 && (
            <section className={styles.faults} aria-labelledby="faltan">
              <h2 id="faltan">Antes de {edition.isCurrent ? 'publicar' : 'abrirla'}, arregla esto</h2>
              <FaultList faults={faults} />
            </section>
          )}
          {/* A year in preparation has many contradictions, and «Ediciones por año» lists them. */}
          {edition.isCurrent && dateContradictions.length > 0 && (
            <section className={styles.faults} aria-labelledby="fechas">
              <h2 id="fechas">{datesHeading(dateContradictions.length)}</h2>
              <p className={styles.explanation}>
                Se puede publicar así, pero míralas antes: quien lee el sitio lee las dos.
              </p>
              <FaultList faults={dateContradictions} />
            </section>
          )}
          <section className={styles.section} aria-labelledby="cambia">
            <h2 id="cambia">{changes.length === 1 ? 'Cambia una cosa' : `Cambian ${changes.length} cosas`}</h2>
            {authors.length > 0 && <p className={styles.explanation}>Del borrador de {authors.join(' y ')}.</p>}
            <ChangeList changes={changes} checksums={checksums} hasLinks />
          </section>
          {opensVote && (
            <Banner tone="bad" message="Con esto se abre la votación: en cuanto se publique, cualquiera puede votar.">
              Si debe abrir otro día, escribe antes «Abre la votación» en{' '}
              <Link to="/organizadores/sitio/certamen">El certamen</Link>.
            </Banner>
          )}
          {closingRemedy && <Banner tone="bad" message={closingRemedy} />}
          {!edition.isCurrent && (
            <p className={styles.buttons}>
              <Link to="/organizadores/sitio/ver" className={buttonLook('outline')}>
                Ver el sitio así
              </Link>
            </p>
          )}
          {edition.isCurrent && (
            <Form method="post" className={styles.form} preventScrollReset>
              <input type="hidden" name="version" value={version} />
              {closingMove && 'after' in closingMove && (
                <TextAreaField
                  id="motivo"
                  name="motivo"
                  label="Por qué se mueve el cierre de la votación"
                  hint={`La votación ya tiene su acta de cero: cerraba el ${closingMove.before} y cerrará el ${closingMove.after}. Lo que escribas se publica en un acta, junto con la fecha.`}
                  rows={3}
                  maxLength={300}
                  defaultValue={actionData && !actionData.ok ? actionData.reason : ''}
                  aria-required
                />
              )}
              <label htmlFor="nota">Nota para la historia (opcional)</label>
              <input
                id="nota"
                name="nota"
                maxLength={MAX_NOTE_CHARACTERS}
                autoComplete="off"
                defaultValue={actionData && !actionData.ok ? actionData.note : ''}
                placeholder="Por ejemplo: la foto nueva de la reina"
              />
              {/* Above the button, both messages are in view on a phone when the button is pressed. */}
              {refusalBanner}
              <div role="status" className={styles.state}>
                {isPublishing && <p className={styles.preparing}>{PREPARING_MESSAGE}</p>}
              </div>
              <p className={styles.buttons}>
                <Button type="submit" isBusy={isBusy} disabled={faults.length > 0 || closingRemedy !== undefined}>
                  Publicar
                </Button>
                <Link to="/organizadores/sitio/ver" className={buttonLook('outline')}>
                  Ver el sitio así
                </Link>
              </p>
            </Form>
          )}
          <details className={styles.discard}>
            <summary>Descartar el borrador</summary>
            <p>Todos los campos vuelven a decir lo que ya está publicado, también los que escribió alguien más.</p>
            <Form method="post">
              <input type="hidden" name="anio" value={edition.year} />
              <Button type="submit" look="outline" name="hacer" value="descartar" isBusy={state !== 'idle'}>
                Descartar todo
              </Button>
            </Form>
          </details>
        </>
      )}
      <p className={styles.buttons}>
        <Link to="/organizadores/sitio/publicaciones" className={buttonLook('quiet')}>
          Historia de publicaciones
        </Link>
      </p>
    </>
  )
}

/** Says when the draft of an edition that is not displayed is published. */
const NotPublishable = ({ edition: { openedAt } }: { edition: ListedEdition }) => (
  <p className={styles.atRest}>
    {openedAt
      ? 'Ya pasó: lo que cambies en ella no se publica. La que se ve se elige en '
      : 'Todavía no se abre: se publica al abrirla, en '}
    <Link to="/organizadores/sitio/ediciones">Ediciones por año</Link>.
  </p>
)
