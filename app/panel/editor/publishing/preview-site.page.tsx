import { data, Form, redirect } from 'react-router'
import { createCookies } from '#app/accounts/sessions/cookies.server.ts'
import { checkLoginWall, requireOrganiser } from '#app/accounts/sign-in/login-wall.server.ts'
import { PREVIEW_COOKIE, readPreviewCookie, writePreviewCookie } from '#app/cms/editions/preview-cookie.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { formatDateTimeLocal, parseDateTimeLocal } from '#app/core/time/mexico-dates.ts'
import { readPublishedContent } from '#app/panel/editor/data.server.ts'
import { EDITABLE_SCREENS } from '#app/panel/editor/editable-screens.ts'
import { EditedYear } from '#app/panel/editor/edited-year.tsx'
import { BackAndHelp } from '#app/panel/editor/handbook/back-and-help.tsx'
import { readChosenEdition } from '#app/panel/guards.server.ts'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button } from '#app/ui/components/button.tsx'
import type { Route } from './+types/preview-site.page'
import styles from './publish.module.css'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'sitio')).isOpen) return null
  const { services } = servicesOf(context)
  const { settings, db, clock } = services
  const previewRequest = readPreviewCookie(createCookies(settings.publicUrl).read(request, PREVIEW_COOKIE))
  const { year, edition } = await readChosenEdition(request, context)
  const { values } = await readPublishedContent(db, year)
  const { fechas } = values['edicion.yaml'] as {
    fechas: { aperturaVotacion?: string; cierreVotacion: string; coronacion: string }
  }
  return {
    edition,
    preview: previewRequest,
    moments: [
      ...(fechas.aperturaVotacion === undefined
        ? []
        : [
            {
              label: 'Un minuto antes de que abra la votación',
              localTime: formatDateTimeLocal(plusMinutes(fechas.aperturaVotacion, -1)),
            },
          ]),
      {
        label: 'Un minuto antes de que cierre la votación',
        localTime: formatDateTimeLocal(plusMinutes(fechas.cierreVotacion, -1)),
      },
      {
        label: 'Un minuto después de que cierre la votación',
        localTime: formatDateTimeLocal(plusMinutes(fechas.cierreVotacion, 1)),
      },
      { label: 'El día de la coronación', localTime: formatDateTimeLocal(plusMinutes(fechas.coronacion, 0)) },
    ],
    now: formatDateTimeLocal(clock.now().toISOString()),
  }
}

const plusMinutes = (iso: string, minutes: number) => new Date(Date.parse(iso) + minutes * 60_000).toISOString()

/** Time after which a preview that was not left ends by itself. */
const PREVIEW_SECONDS = 4 * 3_600

export async function action({ request, context }: Route.ActionArgs) {
  await requireOrganiser(request, context, 'sitio')
  const { services } = servicesOf(context)
  const { publicUrl } = services.settings
  const form = await request.formData()
  const previewCookie = (value: string, seconds: number) =>
    createCookies(publicUrl).toSetCookieHeader(PREVIEW_COOKIE, value, seconds)
  if (form.get('hacer') === 'salir')
    return redirect('/organizadores/sitio', { headers: { 'set-cookie': previewCookie('', 0) } })
  const typedMoment = String(form.get('momento') ?? '')
  const moment = typedMoment === '' ? undefined : parseDateTimeLocal(typedMoment)
  if (typedMoment !== '' && moment === undefined)
    return data(
      { message: 'Esa fecha no se entiende. Elige el día y la hora, o deja el campo vacío.', typed: typedMoment },
      { status: 422 },
    )
  const path = EDITABLE_SCREENS.find(({ id }) => id === form.get('pantalla'))?.path ?? '/'
  const { year } = await readPublishedContent(services.db, (await readChosenEdition(request, context)).year)
  return redirect(path, {
    headers: { 'set-cookie': previewCookie(writePreviewCookie({ edition: year, moment }), PREVIEW_SECONDS) },
  })
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Ver el sitio así, El sitio' }, args)

/**
 * Starts or ends a preview of the whole site, for organisers only, with the draft and at a chosen moment or now. The forms load a
 * document, since the preview changes every screen.
 */
export default function PreviewSitePage({ loaderData, actionData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { edition, preview, moments } = loaderData
  return (
    <>
      <BackAndHelp section="ver" />
      <h1>Ver el sitio así</h1>
      <EditedYear edition={edition} />
      <p className={styles.explanation}>
        Abre el sitio completo con tu borrador, en cualquier pantalla y a la hora que quieras. Sólo lo ves tú, mientras
        tengas tu sesión iniciada; lleva una franja que dice «Vista previa», y desde ahí no se envía nada.
      </p>
      {actionData && <Banner tone="bad" message={actionData.message} />}
      <Form method="post" className={styles.form} reloadDocument>
        <label htmlFor="momento">Día y hora que marca el sitio (vacío: ahora)</label>
        <input
          id="momento"
          type="datetime-local"
          name="momento"
          list="momentos"
          defaultValue={actionData?.typed ?? (preview?.moment ? formatDateTimeLocal(preview.moment) : '')}
        />
        <datalist id="momentos">
          {moments.map(({ label, localTime }) => (
            <option key={localTime} value={localTime} label={label} />
          ))}
        </datalist>
        <p className={styles.buttons}>
          <Button type="submit">Ver el sitio así</Button>
        </p>
      </Form>
      <div className={styles.moments}>
        {moments.map(({ label, localTime }) => (
          <Form method="post" key={localTime} reloadDocument>
            <input type="hidden" name="momento" value={localTime} />
            <Button type="submit" look="outline">
              {label}
            </Button>
          </Form>
        ))}
      </div>
      {preview && (
        <Form method="post" className={styles.form} reloadDocument>
          <input type="hidden" name="hacer" value="salir" />
          <Button type="submit" look="quiet">
            Salir de la vista previa
          </Button>
        </Form>
      )}
    </>
  )
}
