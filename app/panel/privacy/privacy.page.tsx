import { data, Form } from 'react-router'
import { actorOf } from '#app/accounts/guards.server.ts'
import { checkLoginWall, requireOrganiser, requireReauthentication } from '#app/accounts/sign-in/login-wall.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { confirmClock, readClock } from '#app/core/db/clock-guard.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { quantity } from '#app/core/text/quantity.ts'
import { formatDateTime } from '#app/core/time/mexico-dates.ts'
import { DISK_FULL_MESSAGE, DISK_FULL_STATUS, withDiskFullRefusal } from '#app/core/uploads/disk-space.server.ts'
import { findEntryIdByFolio, listDeletions, readEntry } from '#app/entries/data.server.ts'
import { deleteRequest, listEntryRequests } from '#app/entries/help-requests.server.ts'
import { deleteEntry } from '#app/entries/retention/deletion.server.ts'
import { listRetentions, setRetentionHold } from '#app/entries/retention/schedule.server.ts'
import { ENTRY_TYPE_NAMES } from '#app/entries/schema.ts'
import { listAllPlannedDeletions } from '#app/ops/health/data.server.ts'
import formStyles from '#app/panel/forms.module.css'
import { OutcomeNotice } from '#app/panel/outcome-notice.tsx'
import { parseId, readField } from '#app/panel/rules.ts'
import { ScreenHeading } from '#app/panel/screen-heading.tsx'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import type { Route } from './+types/privacy.page'
import { EntryRequests } from './entry-requests.tsx'
import { ClockAheadNotice, PlannedDeletions } from './planned-deletions.tsx'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'privacidad')).isOpen) return null
  const { db } = servicesOf(context).services
  const [retentionPeriods, deletions, plannedDeletions, clockReading, requests] = await Promise.all([
    listRetentions(db),
    listDeletions(db),
    listAllPlannedDeletions(db),
    readClock(db),
    listEntryRequests(db),
  ])
  // The URL names the entry by its id, since a folio must not appear in server logs.
  const id = parseId(new URL(request.url).searchParams.get('id'))
  const entry = id === 0 ? undefined : await readEntry(db, id)
  return {
    retentionPeriods,
    plannedDeletions,
    requests,
    clockReading: clockReading.isAhead ? clockReading : undefined,
    ...deletions,
    chosenEntry: entry && {
      folio: entry.folio,
      titular: entry.titular,
      detalle: entry.detalle ?? ENTRY_TYPE_NAMES[entry.tipo],
    },
  }
}

export async function action({ request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'privacidad')
  const { services } = servicesOf(context)
  const form = await request.formData()
  const folio = readField(form, 'folio')
  const actor = actorOf(context, session)
  const refuse = (message: string, status = 422) => data({ ok: false as const, message, folio }, { status })
  const [holdIntent, edition] = [readField(form, 'plazo'), parseId(readField(form, 'edicion'))]
  const success = (message: string) => ({ ok: true as const, message, acknowledgement: undefined })
  if (form.has('peticion')) {
    await services.db.transaction().execute(async (tx) => {
      const entryId = await deleteRequest(tx, parseId(readField(form, 'peticion')))
      if (entryId) await writeAuditLog(tx, actor, { que: 'peticion.cerrada', inscripcion: entryId })
    })
    return success('Listo: esa petición ya no está en la lista.')
  }
  // Holding deletions needs no reauthentication; resuming them does.
  if (holdIntent === 'detener') {
    await setRetentionHold(services.db, edition, true, actor)
    return success('Listo: de esa edición no se borra nada por plazo hasta que digas «Seguir».')
  }
  await requireReauthentication(request, context, session, form)
  if (holdIntent === 'seguir') {
    await setRetentionHold(services.db, edition, false, actor)
    return success('Listo: los borrados de esa edición siguen según su plazo.')
  }
  if (form.has('reloj')) {
    const isConfirmed = await services.db.transaction().execute(async (tx) => {
      if (!(await confirmClock(tx))) return false
      await writeAuditLog(tx, actor, { que: 'reloj.confirmado' })
      return true
    })
    if (!isConfirmed)
      return refuse(
        'No se confirmó nada: el reloj del servidor de la base de datos va atrasado más de un día, y por él nada se borra. Pide a quien lo cuida que lo corrija.',
      )
    return success('Listo: la hora quedó confirmada. Lo que venza se anuncia 72 horas antes de borrarse.')
  }
  if (!form.has('seguro')) return refuse('Marca que entiendes que no se puede deshacer.')
  const id = await findEntryIdByFolio(services.db, folio)
  const deletionResult =
    id === undefined
      ? ({ ok: false, reason: 'unknown' } as const)
      : await withDiskFullRefusal(services, () => deleteEntry(services, id, 'solicitud', actor))
  if (!deletionResult.ok && deletionResult.reason === 'sin-espacio') return refuse(DISK_FULL_MESSAGE, DISK_FULL_STATUS)
  if (!deletionResult.ok)
    return refuse('No hay ninguna inscripción con ese folio. Revísalo: son doce letras y números.')
  return {
    ok: true as const,
    message: deletionResult.isPending
      ? 'El borrado quedó empezado: algo falló a la mitad y el sitio lo termina por sí solo.'
      : 'Listo: la inscripción y todo lo que le pertenecía se borraron.',
    acknowledgement: {
      code: deletionResult.acknowledgementCode,
      documentCount: deletionResult.documentCount,
      at: services.clock.now(),
      isPending: deletionResult.isPending,
    },
  }
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Privacidad' }, args)

export default function PrivacyPage({ loaderData, actionData }: Route.ComponentProps) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  if (!loaderData) return null
  const { retentionPeriods, plannedDeletions, requests, clockReading, pending, finished, chosenEntry } = loaderData
  return (
    <>
      <ScreenHeading title="Privacidad" />
      <p className={formStyles.lead}>
        Las inscripciones y sus documentos se borran solos al vencer su plazo: el sitio lo anuncia aquí y por correo 72
        horas antes, y se puede detener. Cuántos días son se cambia en{' '}
        <Link to="/organizadores/edicion">Ajustes del año</Link>.
      </p>
      {actionData && <OutcomeNotice outcome={actionData} />}
      {actionData?.ok && actionData.acknowledgement && (
        <section className={formStyles.acknowledgement} aria-labelledby="acuse">
          <h2 id="acuse">Acuse de borrado</h2>
          <p>
            Número <b>{actionData.acknowledgement.code}</b>
          </p>
          <p>
            {actionData.acknowledgement.isPending ? 'Solicitado' : 'Terminado'} el{' '}
            {formatDateTime(actionData.acknowledgement.at)}, hora de la Ciudad de México. Comprende los datos de la
            inscripción,{' '}
            {actionData.acknowledgement.documentCount === 1
              ? 'su documento'
              : `sus ${actionData.acknowledgement.documentCount} documentos`}{' '}
            con sus versiones anteriores, y los correos que se le enviaron. Queda sólo un renglón en la bitácora, sin el
            nombre.
          </p>
          <p>Entrégaselo a la persona: es su comprobante. No se vuelve a mostrar completo.</p>
        </section>
      )}
      {clockReading && <ClockAheadNotice {...clockReading} />}
      <PlannedDeletions deletions={plannedDeletions} />
      <EntryRequests requests={requests} />
      <div className={formStyles.twoColumns}>
        <div>
          <table className={formStyles.table}>
            <caption>Qué se borra y cuándo</caption>
            <thead>
              <tr>
                <th scope="col">Edición</th>
                <th scope="col">Inscripciones</th>
                <th scope="col">Final</th>
                <th scope="col">Días</th>
                <th scope="col">Se borran</th>
              </tr>
            </thead>
            <tbody>
              {retentionPeriods.length === 0 && (
                <tr>
                  <td colSpan={5}>No hay inscripciones guardadas.</td>
                </tr>
              )}
              {retentionPeriods.map(({ edition, entryCount, final, days, firstDueAt, lastDueAt }) => (
                <tr key={edition}>
                  <td>Edición {edition}</td>
                  <td data-label="Inscripciones">{entryCount.toLocaleString('es-MX')}</td>
                  <td data-label="Final">{formatDateTime(final)}</td>
                  <td data-label="Se conservan">{quantity(days, 'día')}</td>
                  <td data-label="Se borran">
                    {firstDueAt.getTime() === lastDueAt.getTime()
                      ? `el ${formatDateTime(firstDueAt)}`
                      : `del ${formatDateTime(firstDueAt)} al ${formatDateTime(lastDueAt)}`}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {(pending.length > 0 || finished.length > 0) && (
            <table className={formStyles.table}>
              <caption>Borrados</caption>
              <thead>
                <tr>
                  <th scope="col">Cuándo</th>
                  <th scope="col">Por qué</th>
                  <th scope="col">Acuse</th>
                  <th scope="col">Quién</th>
                  <th scope="col">Cómo va</th>
                </tr>
              </thead>
              <tbody>
                {[...pending, ...finished].map(({ acknowledgementCode, at, reason, organiserEmail, isDone }) => (
                  <tr key={acknowledgementCode}>
                    <td>{formatDateTime(at)}</td>
                    <td>{reason === 'solicitud' ? 'A solicitud de la persona' : 'Venció su plazo'}</td>
                    <td data-label="Acuse">{acknowledgementCode}</td>
                    <td data-label="Quién">{organiserEmail ?? 'El sitio'}</td>
                    <td>{isDone ? 'Terminado' : 'Empezado: el sitio lo termina por sí solo'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </div>
        <Form
          method="post"
          onSubmit={preventResubmit}
          className={formStyles.form}
          aria-labelledby="borrar"
          key={actionData?.ok ? actionData.acknowledgement?.code : ''}
        >
          <h2 id="borrar">Borrar a solicitud de la persona</h2>
          <label htmlFor="folio">Folio</label>
          <input
            id="folio"
            name="folio"
            required
            autoComplete="off"
            maxLength={20}
            placeholder="XXXX-XXXX-XXXX"
            defaultValue={actionData && !actionData.ok ? actionData.folio : chosenEntry?.folio}
          />
          {chosenEntry && (
            <p>
              Es la inscripción de <b>{chosenEntry.titular}</b> ({chosenEntry.detalle}).
            </p>
          )}
          <label className={formStyles.checkbox}>
            <input type="checkbox" name="seguro" required />
            Entiendo que no se puede deshacer
          </label>
          <p className={formStyles.buttons}>
            <Button type="submit" look="outline" isBusy={isBusy}>
              Borrar la inscripción
            </Button>
          </p>
        </Form>
      </div>
    </>
  )
}
