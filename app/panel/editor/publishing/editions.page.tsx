import { data, Form, redirect, useNavigation } from 'react-router'
import { actorOf } from '#app/accounts/guards.server.ts'
import { checkLoginWall, requireOrganiser, requireReauthentication } from '#app/accounts/sign-in/login-wall.server.ts'
import { displayedEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pendingFieldsOf, prepareYear } from '#app/cms/editions/years.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { requestPublication } from '#app/cms/publishing/mutations.server.ts'
import { listDateContradictions } from '#app/cms/schema/date-contradictions.ts'
import type { FieldFault } from '#app/cms/schema/faults.ts'
import type { EditionValues } from '#app/cms/schema/read-content.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { withDiskFullRefusal } from '#app/core/uploads/disk-space.server.ts'
import { finalRecordPath } from '#app/finals/record/paths.ts'
import { faultsOfScreen, readEditorContent } from '#app/panel/editor/data.server.ts'
import { fieldKeyOf } from '#app/panel/editor/draft-state.ts'
import { EDITABLE_SCREENS, locateFields } from '#app/panel/editor/editable-screens.ts'
import { EditedYear } from '#app/panel/editor/edited-year.tsx'
import { BackAndHelp } from '#app/panel/editor/handbook/back-and-help.tsx'
import { editionCookie, readChosenEdition } from '#app/panel/guards.server.ts'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { CheckField } from '#app/ui/forms/field.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import disclosureStyles from '#app/ui/styles/disclosure.module.css'
import { explainOrphanedVotes } from '#app/voting/election/candidate-names.server.ts'
import { recordPath } from '#app/voting/record/record-path.ts'
import { drawUpClosingMove, hasVoteBegun } from '#app/voting/sealing/moved-closing.server.ts'
import type { Route } from './+types/editions.page'
import { datesHeading, FaultList } from './fault-list.tsx'
import styles from './publish.module.css'
import { explainRefusal, type RefusalMessages } from './refusals.server.ts'
import { listUnfinishedRecords } from './unfinished-records.server.ts'

const coronationOf = (values: EditionValues) =>
  (values['edicion.yaml'] as { fechas: { coronacion: string } }).fechas.coronacion

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'edicion')).isOpen) return null
  const { services } = servicesOf(context)
  const { editions, year: chosenYear, edition } = await readChosenEdition(request, context)
  const currentYear = editions.find(({ isCurrent }) => isCurrent)!.year
  const nextListing = editions.find(({ year, openedAt }) => year > currentYear && openedAt === null)
  const [currentContent, nextContent] = await Promise.all([
    readEditorContent(services.db, currentYear),
    nextListing && readEditorContent(services.db, nextListing.year),
  ])
  const { pastEditions = [] } = displayedEdition() ?? {}
  const publicFinals = await services.db.selectFrom('finales_publicas').select('edicion').execute()
  return {
    edition,
    editions,
    recordYears: pastEditions.flatMap(({ edition, result }) => (result ? [edition.anio] : [])),
    publicFinals: publicFinals.map(({ edicion }) => edicion),
    chosenYear,
    currentYear,
    nextEdition: nextListing &&
      nextContent && {
        year: nextListing.year,
        version: nextContent.draft.version,
        faultCount: EDITABLE_SCREENS.flatMap((screen) => faultsOfScreen(screen, nextContent)).length,
        unfinishedRecords: await listUnfinishedRecords(
          services,
          currentYear,
          coronationOf(currentContent.published.values),
        ),
        dateContradictions: listDateContradictions(nextContent.draft.values),
        pendingFields: locateFields(
          pendingFieldsOf(nextContent.draft.values, currentContent.published.values),
          nextContent.draft.values,
        ),
      },
  }
}

const REFUSAL_MESSAGES: RefusalMessages = {
  unchanged: 'Esa edición ya está abierta.',
  unopened: 'El sitio ya muestra una edición posterior: ésa no se puede abrir.',
  faults: 'No se abrió, porque el sitio se rompería. Arregla esto:',
  reserved: 'Sólo abre una edición quien lleva todo el panel. Pídeselo.',
  unknown: 'Esa edición todavía no está preparada: prepárala primero.',
}

export async function action({ request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'edicion')
  const { services } = servicesOf(context)
  const { editions } = await readChosenEdition(request, context)
  const { publicUrl } = services.settings
  const form = await request.formData()
  const intent = form.get('hacer')
  const year = Number(form.get('anio'))
  const refuse = (message: string, status: number, faults: readonly FieldFault[] = []) =>
    data({ message, faults }, { status })
  const actor = actorOf(context, session)
  if (intent === 'elegir') {
    if (!editions.some((edition) => edition.year === year))
      return refuse('Esa edición no existe. Elige una de la lista.', 404)
    return redirect('/organizadores/sitio', { headers: { 'set-cookie': editionCookie(publicUrl, year) } })
  }
  if (intent === 'preparar') {
    const prepareResult = await prepareYear(services, editions.find(({ isCurrent }) => isCurrent)!.year, actor)
    if (!prepareResult.ok) return refuse('Esa edición ya está preparada: elígela en la lista.', 409)
    return redirect('/organizadores/sitio/ediciones', {
      headers: { 'set-cookie': editionCookie(publicUrl, prepareResult.year) },
    })
  }
  if (intent !== 'abrir') return refuse('Elige qué hacer.', 400)
  if (!form.has('seguro')) return refuse('Marca que entiendes que no se puede deshacer, y ábrela de nuevo.', 422)
  await requireReauthentication(request, context, session, form)
  const openResult = await withDiskFullRefusal(services, () =>
    requestPublication(
      services,
      {
        year,
        version: Number(form.get('version')),
        note: `Se abrió la edición ${year}`,
        isToBeOpened: true,
        hasVoteBegun,
        // The role for this screen may also change reserved fields, and the organiser has reauthenticated above.
        permission: { mayChangeReserved: true, confirm: async () => {} },
        check: (documents) => explainOrphanedVotes(services, { edicion: year, ...documents['candidatas.yaml'] }),
        // The edition is not open yet, so it has no vote whose moved closing needs a reason.
        drawUpClosingMove: (tx, dates) =>
          drawUpClosingMove({ ...services, db: tx }, { edition: year, ...dates, reason: '' }),
      },
      actor,
    ),
  )
  if (openResult.ok)
    return redirect('/organizadores/sitio/publicaciones?abierta', {
      headers: { 'set-cookie': editionCookie(publicUrl, year) },
    })
  const { message, status, faults } = explainRefusal(openResult, REFUSAL_MESSAGES)
  return refuse(message, status, faults)
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'
export { revalidateAfterConflict as shouldRevalidate } from '#app/panel/rules.ts'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Ediciones por año, El sitio' }, args)

const pendingText = (count: number, year: number) =>
  count === 0
    ? ''
    : count === 1
      ? `, y que una cosa dice todavía lo de ${year}`
      : `, y que ${count} cosas dicen todavía lo de ${year}`

interface PastEditionProps {
  year: number
  hasRecord: boolean
  isFinalPublic: boolean
}

/** Links to a past edition's page, to its closing record if there is one, and to the record of its final if that is public. */
const PastEditionLinks = ({ year, hasRecord, isFinalPublic }: PastEditionProps) => (
  <>
    Ya pasó: está en <a href={`/ediciones/${year}`}>/ediciones/{year}</a>
    {hasRecord && (
      <>
        , <a href={recordPath(year)}>acta de su votación</a>
      </>
    )}
    {isFinalPublic && (
      <>
        , <a href={finalRecordPath(year)}>acta de su final</a>
      </>
    )}
    .
  </>
)

/** Lists the editions, and lets organisers choose, prepare and open one. */
export default function EditionsPage({ loaderData, actionData }: Route.ComponentProps) {
  const { state } = useNavigation()
  if (!loaderData) return null
  const { edition, editions, recordYears, publicFinals, chosenYear, currentYear, nextEdition } = loaderData
  const isBusy = state !== 'idle'
  return (
    <>
      <BackAndHelp section="ediciones" />
      <h1>Ediciones por año</h1>
      <EditedYear edition={edition} />
      {actionData && (
        <Banner tone="bad" message={actionData.message}>
          {actionData.faults.length > 0 && (
            <FaultList faults={actionData.faults} hasLinks={nextEdition?.year === chosenYear} />
          )}
        </Banner>
      )}
      <ul className={styles.history}>
        {editions.map(({ year, isCurrent, openedAt }) => (
          <li key={year}>
            <h2>Edición {year}</h2>
            <p>
              {isCurrent ? (
                'Es la que ve quien visita el sitio.'
              ) : openedAt ? (
                <PastEditionLinks
                  year={year}
                  hasRecord={recordYears.includes(year)}
                  isFinalPublic={publicFinals.includes(year)}
                />
              ) : (
                'Todavía no se abre: sólo la ve el comité.'
              )}
            </p>
            {year === chosenYear ? (
              <span className={styles.currentMark}>Es la que estás editando</span>
            ) : (
              <Form method="post">
                <input type="hidden" name="anio" value={year} />
                <Button type="submit" look="outline" name="hacer" value="elegir" isBusy={isBusy}>
                  Editar la {year}
                </Button>
              </Form>
            )}
          </li>
        ))}
      </ul>
      {nextEdition ? (
        <section className={styles.section} aria-labelledby="abrir">
          <h2 id="abrir">Abrir la edición {nextEdition.year}</h2>
          <p className={styles.explanation}>
            Mientras no la abras, el sitio sigue mostrando la {currentYear}. Al abrirla, la {currentYear} queda en
            /ediciones/
            {currentYear}
            {nextEdition.unfinishedRecords.length === 0 && ', con su ganadora y su acta'}.
          </p>
          {nextEdition.pendingFields.length + nextEdition.dateContradictions.length > 0 && (
            <p className={styles.explanation}>
              Lo que sigue es normal en una edición que se prepara: revísalo con calma antes de abrirla.
            </p>
          )}
          {nextEdition.pendingFields.length > 0 && (
            <details className={styles.faults}>
              <summary className={disclosureStyles.dropdown}>
                {nextEdition.pendingFields.length === 1
                  ? 'Una cosa dice todavía lo del año pasado'
                  : `${nextEdition.pendingFields.length} cosas dicen todavía lo del año pasado`}
              </summary>
              {nextEdition.year !== chosenYear && (
                <p className={styles.explanation}>
                  Para ir a cada una desde aquí, toca antes «Editar la {nextEdition.year}».
                </p>
              )}
              <ul>
                {nextEdition.pendingFields.map(({ screenId, documento, campo, label }) => (
                  <li key={fieldKeyOf(documento, campo)}>
                    {nextEdition.year === chosenYear ? (
                      <Link
                        to={`/organizadores/sitio/${screenId}?campo=${encodeURIComponent(fieldKeyOf(documento, campo))}`}
                      >
                        {label}
                      </Link>
                    ) : (
                      label
                    )}
                  </li>
                ))}
              </ul>
            </details>
          )}
          {nextEdition.dateContradictions.length > 0 && (
            <details className={styles.faults}>
              <summary className={disclosureStyles.dropdown}>
                {datesHeading(nextEdition.dateContradictions.length)}
              </summary>
              <FaultList faults={nextEdition.dateContradictions} hasLinks={nextEdition.year === chosenYear} />
            </details>
          )}
          {nextEdition.faultCount > 0 && (
            <p className={styles.explanation}>
              {nextEdition.faultCount === 1
                ? 'Antes hay que arreglar una cosa, que está en «El sitio».'
                : `Antes hay que arreglar ${nextEdition.faultCount} cosas, que están en «El sitio».`}
            </p>
          )}
          <Form method="post" className={styles.form}>
            <input type="hidden" name="anio" value={nextEdition.year} />
            <input type="hidden" name="version" value={nextEdition.version} />
            <p className={styles.explanation}>
              Al abrirla no hay regreso: la {currentYear} ya no vuelve a ser la que se ve, y en el panel la votación y
              la final son las de {nextEdition.year}.
            </p>
            {nextEdition.unfinishedRecords.map((warning) => (
              <Banner key={warning} tone="bad" message={warning} />
            ))}
            <CheckField
              id="seguro"
              name="seguro"
              required
              label={`Entiendo que no se puede deshacer${nextEdition.unfinishedRecords.length > 0 ? `, que la ${currentYear} se queda sin terminar` : ''}${pendingText(nextEdition.pendingFields.length, currentYear)}`}
            />
            <p className={styles.buttons}>
              <Button type="submit" name="hacer" value="abrir" isBusy={isBusy} disabled={nextEdition.faultCount > 0}>
                Abrir la edición {nextEdition.year}
              </Button>
            </p>
          </Form>
        </section>
      ) : (
        <section className={styles.section} aria-labelledby="preparar">
          <h2 id="preparar">El año que viene</h2>
          <p className={styles.explanation}>
            Copia lo de este año con los años, los números y las fechas ya corridos, sin candidatas. El sitio no cambia
            hasta que la abras.
          </p>
          <Form method="post">
            <Button type="submit" name="hacer" value="preparar" isBusy={isBusy}>
              Preparar {currentYear + 1}
            </Button>
          </Form>
        </section>
      )}
    </>
  )
}
