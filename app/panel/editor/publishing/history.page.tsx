import { data, Form, useNavigation, useSearchParams } from 'react-router'
import { actorOf } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { checkLoginWall, requireOrganiser, requireReauthentication } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { withEventIds } from '#app/cms/programme.ts'
import { rollBack } from '#app/cms/publishing/mutations.server.ts'
import { readLatestPublication, readPublication } from '#app/cms/publishing/publications.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { formatLongDateTime } from '#app/core/time/mexico-dates.ts'
import { withDiskFullRefusal } from '#app/core/uploads/disk-space.server.ts'
import { readPublishedContent } from '#app/panel/editor/data.server.ts'
import { EditedYear } from '#app/panel/editor/edited-year.tsx'
import { BackAndHelp } from '#app/panel/editor/handbook/back-and-help.tsx'
import { readChosenEdition } from '#app/panel/guards.server.ts'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { explainOrphanedVotes } from '#app/voting/election/candidate-names.server.ts'
import { hasVoteBegun } from '#app/voting/sealing/moved-closing.server.ts'
import type { Route } from './+types/history.page'
import { ChangeList } from './change-list.tsx'
import { changesBetween } from './diff.ts'
import { FaultList } from './fault-list.tsx'
import { findChecksums, listPublications } from './history.server.ts'
import styles from './publish.module.css'
import { explainRefusal, type RefusalMessages } from './refusals.server.ts'
import { PREPARING_MESSAGE, useRefreshWhile } from './use-refresh-while.ts'

const MAX_PUBLICATIONS = 40

const REFUSAL_MESSAGES: RefusalMessages = {
  unchanged: 'El sitio ya está así.',
  unopened: 'Sólo se regresa en la edición que el sitio muestra. Elige ésa en «Ediciones por año».',
  faults: 'No se puede regresar a ésa:',
  reserved:
    'Esa publicación tiene otras fechas de la edición, otro acceso a la prensa, otras reglas de la votación u otra ganadora, y a ella regresa quien lleva todo el panel. Pídeselo.',
  unknown: 'Esa publicación ya no existe. Elige otra de la lista.',
}

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'sitio')).isOpen) return null
  const { services } = servicesOf(context)
  const { year, edition } = await readChosenEdition(request, context)
  const { values, hashByPath } = await readPublishedContent(services.db, year)
  const fingerprintInForce = (await readLatestPublication(services.db, year))?.huella
  const requestedId = Number(new URL(request.url).searchParams.get('con') ?? Number.NaN)
  const comparedPublication = Number.isSafeInteger(requestedId)
    ? await readPublication(services.db, requestedId)
    : undefined
  const changes =
    comparedPublication?.edicion === year ? changesBetween(values, withEventIds(comparedPublication.valores)) : []
  return {
    edition,
    publications: (await listPublications(services.db, year, MAX_PUBLICATIONS)).map(
      ({ huella: ownFingerprint, at, ...row }) => ({
        ...row,
        timeText: formatLongDateTime(at),
        isSame: ownFingerprint === fingerprintInForce,
      }),
    ),
    comparison: comparedPublication && {
      id: comparedPublication.id,
      changes,
      checksums: await findChecksums(services.db, changes, hashByPath, comparedPublication.archivos),
    },
  }
}

export async function action({ request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'sitio')
  const { services } = servicesOf(context)
  const form = await request.formData()
  const publicationId = Number(form.get('publicacion'))
  const refuse = (message: string, status: number) => data({ ok: false as const, message }, { status })
  if (!Number.isSafeInteger(publicationId) || publicationId < 1)
    return refuse('Elige una publicación de la lista.', 400)
  const rollbackResult = await withDiskFullRefusal(services, () =>
    rollBack(
      services,
      {
        publicationId,
        note: '',
        hasVoteBegun,
        permission: {
          mayChangeReserved: may(session.role, 'edicion'),
          confirm: () => requireReauthentication(request, context, session, form),
        },
        check: (documents) => {
          const { anio } = documents['edicion.yaml']
          return explainOrphanedVotes(services, { edicion: anio, ...documents['candidatas.yaml'] })
        },
      },
      actorOf(context, session),
    ),
  )
  if (rollbackResult.ok) return { ok: true as const, message: 'Listo: el sitio vuelve a ese momento en unos segundos.' }
  const { message, status, faults } = explainRefusal(rollbackResult, REFUSAL_MESSAGES)
  const faultList = faults.map(({ donde, remedio }) => `${donde}: ${remedio}`).join('; ')
  return refuse(faultList ? `${message} ${faultList}.` : message, status)
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'
export { revalidateAfterConflict as shouldRevalidate } from '#app/panel/rules.ts'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Historia de publicaciones, El sitio' }, args)

const ORIGIN_LABELS = {
  carpeta: 'Lo que trae el sitio',
  importada: 'Importada de una carpeta',
  panel: 'Publicada desde el panel',
  regreso: 'Regreso a una anterior',
}
const STATUS_LABELS = { preparando: 'Se está publicando', fallida: 'No se pudo publicar', publicada: '' }

/** Lists the newest publications of an edition. On the displayed edition a button rolls the site back to a finished, different one. */
export default function HistoryPage({ loaderData, actionData }: Route.ComponentProps) {
  const { state } = useNavigation()
  const isPreparing = loaderData?.publications[0]?.estado === 'preparando'
  // The screen «Ediciones por año» leads here when it opens the chosen edition.
  const wasJustOpened = useSearchParams()[0].has('abierta')
  useRefreshWhile(isPreparing)
  if (!loaderData) return null
  const { edition, publications, comparison } = loaderData
  const [currentPublication] = publications.filter(({ estado }) => estado === 'publicada')
  return (
    <>
      <BackAndHelp section="publicaciones" />
      <h1>Historia de publicaciones</h1>
      <EditedYear edition={edition} />
      <div role="status" className={styles.state}>
        {isPreparing && (
          <p className={styles.preparing}>
            {wasJustOpened && !edition.isCurrent ? `La edición ${edition.year} se está publicando…` : PREPARING_MESSAGE}
          </p>
        )}
      </div>
      {wasJustOpened && edition.isCurrent && !actionData && (
        <Banner tone="good" message={`Listo: la edición ${edition.year} ya es la que se ve.`}>
          <a href="/" target="_blank" rel="noreferrer">
            Ver el sitio
          </a>
        </Banner>
      )}
      {actionData && <Banner tone={actionData.ok ? 'good' : 'bad'} message={actionData.message} />}
      <p className={styles.explanation}>
        «Regresar» vuelve a mostrar el sitio como estaba entonces. Nada se pierde: lo de ahora queda en esta lista, y tu
        borrador sigue como está. Si la votación ya empezó, su cierre tampoco cambia.
      </p>
      <ul className={styles.history}>
        {publications.map(({ id, authorEmail, timeText, origen, de, nota, estado, faults, isSame }) => (
          <li key={id} aria-labelledby={`p${id}`}>
            <h2 id={`p${id}`}>
              {timeText} · {STATUS_LABELS[estado] || ORIGIN_LABELS[origen]}
            </h2>
            {edition.isCurrent && id === currentPublication?.id && (
              <span className={styles.currentMark}>Es la que se ve</span>
            )}
            <p>
              {authorEmail ?? 'El sitio'}
              {de !== null && ` · como la número ${de}`}
              {nota && ` · «${nota}»`} · número {id}
            </p>
            {faults.length > 0 && <FaultList faults={faults} />}
            {edition.isCurrent && estado === 'publicada' && !isSame && (
              <div className={styles.buttons}>
                <Form method="post">
                  <input type="hidden" name="publicacion" value={id} />
                  <Button
                    type="submit"
                    look={comparison?.id === id ? 'main' : 'outline'}
                    isBusy={state !== 'idle'}
                    aria-label={`Regresar a la número ${id}`}
                  >
                    Regresar
                  </Button>
                </Form>
                {comparison?.id !== id && (
                  <Link to={`/organizadores/sitio/publicaciones?con=${id}`} className={buttonLook('quiet')}>
                    Ver qué cambiaría
                  </Link>
                )}
              </div>
            )}
            {comparison?.id === id && <ChangeList changes={comparison.changes} checksums={comparison.checksums} />}
          </li>
        ))}
      </ul>
    </>
  )
}
