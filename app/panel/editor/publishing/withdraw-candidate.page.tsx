import { data, Form, useNavigation } from 'react-router'
import { actorOf } from '#app/accounts/guards.server.ts'
import { checkLoginWall, requireOrganiser, requireReauthentication } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { withdrawCandidate } from '#app/cms/publishing/withdrawal.server.ts'
import { backUpErasures } from '#app/core/db/erasure-log.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { readEditorContent } from '#app/panel/editor/data.server.ts'
import { EditedYear } from '#app/panel/editor/edited-year.tsx'
import { BackAndHelp } from '#app/panel/editor/handbook/back-and-help.tsx'
import { readChosenEdition } from '#app/panel/guards.server.ts'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import disclosureStyles from '#app/ui/styles/disclosure.module.css'
import { hasVotes } from '#app/voting/election/data.server.ts'
import type { Route } from './+types/withdraw-candidate.page'
import styles from './publish.module.css'

interface CandidatesDocument {
  candidatas: { id: string; nombre: string }[]
}

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'edicion')).isOpen) return null
  const { services } = servicesOf(context)
  const { year, edition } = await readChosenEdition(request, context)
  const { draft } = await readEditorContent(services.db, year)
  const { candidatas } = draft.values['candidatas.yaml'] as CandidatesDocument
  return {
    edition,
    hasVotes: await hasVotes(services.db, year),
    candidates: candidatas.map(({ id, nombre }) => ({ id, nombre })),
  }
}

export async function action({ request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'edicion')
  const { services } = servicesOf(context)
  const form = await request.formData()
  const year = Number(form.get('anio')) || 0
  const candidateId = String(form.get('candidata') ?? '')
  const refuse = (message: string, status: number) =>
    data({ ok: false as const, message, candidateId: candidateId }, { status })
  if (form.get('seguro') !== candidateId || candidateId === '')
    return refuse('Marca la casilla para confirmar que no se puede deshacer, y repítelo.', 422)
  await requireReauthentication(request, context, session, form)
  const hasReceivedVotes = await hasVotes(services.db, year)
  const withdrawalResult = await withdrawCandidate(
    services,
    { year, candidateId: candidateId, hasVotes: hasReceivedVotes },
    actorOf(context, session),
  )
  if (withdrawalResult.ok) {
    // If this backup of the erasure log fails, `recoverDeletions` tries again.
    await backUpErasures(services.db, services.settings).catch((error: unknown) =>
      services.log.error({ err: error }, 'the erasure log could not be copied to the backup store'),
    )
    return {
      ok: true as const,
      candidateId: '',
      message:
        'Listo: su perfil, sus fotografías y sus archivos ya no están en ninguna parte del sitio. Revisa la fotografía de grupo, por si aparece ahí.',
    }
  }
  if (withdrawalResult.reason === 'busy')
    return refuse('Se está publicando algo en este momento. Espera un poco y repítelo.', 409)
  return refuse('Esa candidata ya no está en la edición.', 404)
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Retirar a una candidata, El sitio' }, args)

/** Removes a candidate irrevocably from the site, after a confirmation. */
export default function WithdrawCandidatePage({ loaderData, actionData }: Route.ComponentProps) {
  const { state } = useNavigation()
  if (!loaderData) return null
  const { edition, hasVotes, candidates } = loaderData
  return (
    <>
      <BackAndHelp to="/organizadores/sitio/candidatas" text="Candidatas" section="retirar" />
      <h1>Retirar a una candidata</h1>
      <EditedYear edition={edition} />
      <p className={styles.explanation}>
        Se quitan su perfil, sus fotografías, sus tarjetas y su material de prensa, también de lo publicado antes:
        volver a una publicación anterior no la trae de regreso. No se puede deshacer.
        {hasVotes &&
          ' Ya hay votos en esta edición: los suyos se manejan como dicen las reglas de la votación, y el acta lo dice.'}
      </p>
      {actionData && <Banner tone={actionData.ok ? 'good' : 'bad'} message={actionData.message} />}
      {candidates.length === 0 && (
        <p className={styles.explanation}>
          En esta edición no hay candidatas. <Link to="/organizadores/sitio/candidatas">Ir a Candidatas</Link>
        </p>
      )}
      <ul className={styles.history}>
        {candidates.map(({ id, nombre }) => (
          <li key={id}>
            <details open={actionData?.candidateId === id}>
              <summary className={disclosureStyles.dropdown}>Retirar a {nombre}</summary>
              <Form method="post" className={styles.form} aria-label={`Retirar a ${nombre}`}>
                <input type="hidden" name="anio" value={edition.year} />
                <input type="hidden" name="candidata" value={id} />
                <label className={styles.checkbox}>
                  <input type="checkbox" name="seguro" value={id} /> Entiendo que todo lo de {nombre} se borra y que no
                  se puede deshacer
                </label>
                <p className={styles.buttons}>
                  <Button type="submit" isBusy={state !== 'idle'}>
                    Retirar
                  </Button>
                </p>
              </Form>
            </details>
          </li>
        ))}
      </ul>
    </>
  )
}
