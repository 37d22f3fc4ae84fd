import { data, Form } from 'react-router'
import * as v from 'valibot'
import { actorOf } from '#app/accounts/guards.server.ts'
import { checkLoginWall, requireOrganiser, requireReauthentication } from '#app/accounts/sign-in/login-wall.server.ts'
import { listSettings, readEditionSettings } from '#app/cms/edition-settings/data.server.ts'
import { changeSetting } from '#app/cms/edition-settings/mutations.server.ts'
import { periodStateOf } from '#app/cms/edition-settings/rules.ts'
import { PRIVACY_DAYS, SETTINGS, type SettingName } from '#app/cms/edition-settings/schema.ts'
import { loadEdition, loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { quantity } from '#app/core/text/quantity.ts'
import {
  formatDateTime,
  formatDateTimeLocal,
  formatLongDateTime,
  parseDateTimeLocal,
} from '#app/core/time/mexico-dates.ts'
import { DISK_FULL_MESSAGE, DISK_FULL_STATUS, withDiskFullRefusal } from '#app/core/uploads/disk-space.server.ts'
import { countExpiredEntries } from '#app/entries/retention/schedule.server.ts'
import { readMailUsage } from '#app/mail/data.server.ts'
import { type MailUsage, remainingCodes } from '#app/mail/rules.ts'
import formStyles from '#app/panel/forms.module.css'
import { OutcomeNotice } from '#app/panel/outcome-notice.tsx'
import { entryCountInWords, parseId, readField, votePeriodInWords } from '#app/panel/rules.ts'
import { ScreenHeading } from '#app/panel/screen-heading.tsx'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { isBeforeClosing } from '#app/voting/election/rules.ts'
import type { Route } from './+types/edition.page'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'edicion')).isOpen) return null
  const { db, clock } = servicesOf(context).services
  const { anio, fechas, candidatas } = await loadEdition()
  const [settings, stored, mailUsage] = await Promise.all([
    readEditionSettings(db),
    listSettings(db, anio),
    readMailUsage(db),
  ])
  return {
    settings,
    stored,
    mailUsage,
    hasCandidates: candidatas.length > 0,
    voteOpening: fechas.aperturaVotacion,
    voteClosing: fechas.cierreVotacion,
    now: clock.now(),
  }
}

export async function action({ request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'edicion')
  const { services } = servicesOf(context)
  const { anio } = await loadEditionCard()
  const form = await request.formData()
  const fieldText = (name: string) => readField(form, name)
  const setting = Object.keys(SETTINGS).find((name) => name === fieldText('ajuste')) as SettingName | undefined
  const values = {
    abre: fieldText('abre'),
    cierra: fieldText('cierra'),
    dias: fieldText('dias'),
    cuota: fieldText('cuota').trim(),
    publica: form.has('publica'),
  }
  /** @param confirmation retention in days that the organiser has to confirm first, and the number of entries that then expire */
  const refuse = (message: string, status: number, confirmation?: { days: number; expiringCount: number }) =>
    data({ ok: false as const, setting: setting ?? '', message, values, confirmation }, { status })
  if (!setting) return refuse('Ese ajuste no existe.', 400)
  await requireReauthentication(request, context, session, form)
  // An empty mail quota removes the organisers' value, as does the button «contenido».
  const isFromContent = fieldText('hacer') === 'contenido' || (setting === 'correo.cuota' && values.cuota === '')
  const days = isFromContent ? PRIVACY_DAYS : Number(values.dias || Number.NaN)
  const value = isFromContent
    ? undefined
    : setting === 'prensa.publica'
      ? values.publica
      : setting === 'privacidad.dias'
        ? days
        : setting === 'correo.cuota'
          ? Number(values.cuota)
          : { abre: parseDateTimeLocal(values.abre) ?? '', cierra: parseDateTimeLocal(values.cierra) ?? '' }
  // The organiser confirms exactly this number of days.
  if (setting === 'privacidad.dias' && v.is(SETTINGS[setting], days) && fieldText('seguro') !== String(days)) {
    const expiringCount = await countExpiredEntries(services, days)
    if (expiringCount > 0)
      return refuse(
        `No se guardó todavía. Con ${daysInWords(days)} vence el plazo de ${entryCountInWords(expiringCount)}: lo que vence se anuncia por correo y se borra 72 horas después, con sus documentos, y no se puede deshacer. Si es lo que quieres, marca la casilla en «Privacidad», más abajo, y repítelo.`,
        422,
        { days, expiringCount },
      )
  }
  const version = Math.min(parseId(fieldText('version')), MAX_VERSION)
  const changeResult = await withDiskFullRefusal(services, () =>
    changeSetting(
      services.db,
      anio,
      { name: setting, value, version },
      actorOf(context, session),
      services.clock.now(),
    ),
  )
  if (changeResult.ok) return { ok: true as const, setting, message: 'Listo: el cambio ya está en vigor.' }
  if (changeResult.reason === 'sin-espacio') return refuse(DISK_FULL_MESSAGE, DISK_FULL_STATUS)
  if (changeResult.reason === 'version')
    return refuse(
      `No se guardó: mientras tanto ${changeResult.author ?? 'otra persona'} cambió este ajuste. Lo que escribiste sigue aquí: revísalo y vuelve a guardar.`,
      409,
    )
  return refuse(
    setting === 'privacidad.dias' ? 'Escribe un número entero de días, entre 1 y 3650.' : changeResult.message,
    422,
  )
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'
export { revalidateAfterConflict as shouldRevalidate } from '#app/panel/rules.ts'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Ajustes del año' }, args)

/** Maximum of PostgreSQL's `integer`. */
const MAX_VERSION = 2 ** 31 - 1

const daysInWords = (days: number) => (days === 1 ? 'un día' : `${days} días`)
const formatNumber = (number: number) => number.toLocaleString('es-MX')

const usedInWords = ({ codes, unprovenCodes, receipts, others }: MailUsage) =>
  `En las últimas 24 horas: ${quantity(codes, 'código')} para votar (de ellos, ${formatNumber(unprovenCodes)} desde donde nadie ha usado uno), ${quantity(receipts, 'recibo')} y ${formatNumber(others)} de lo demás.`

function remainingInWords(quota: number | undefined, usage: MailUsage): string {
  if (quota === undefined)
    return 'Si escribes cuántos mensajes admite tu proveedor, el sitio guarda una parte para recibos, cuentas y avisos: los códigos se quedan con siete de cada diez, y los que piden extraños, con la mitad de ésos.'
  const { codes, unprovenCodes } = remainingCodes(quota, usage)
  const remaining = Math.max(0, quota - usage.codes - usage.receipts - usage.others)
  return `${remaining === 1 ? 'Queda' : 'Quedan'} ${formatNumber(remaining)} de ${formatNumber(quota)}: hasta ${quantity(codes, 'código')} más (${formatNumber(unprovenCodes)}, para quien los pide desde donde nadie ha usado uno).`
}

const PERIOD_MESSAGES = { antes: 'Todavía no abre.', abierto: 'Está abierto ahora.', despues: 'Ya cerró.' }

export default function EditionPage({ loaderData, actionData }: Route.ComponentProps) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  if (!loaderData) return null
  const { settings, stored, mailUsage, hasCandidates, voteOpening, voteClosing, now } = loaderData
  const typedValuesOf = (setting: SettingName) =>
    actionData && !actionData.ok && actionData.setting === setting ? actionData.values : undefined
  const confirmation = actionData && !actionData.ok ? actionData.confirmation : undefined
  const formFooter = (setting: SettingName) => {
    const storedSetting = stored[setting]
    return (
      <>
        <input type="hidden" name="ajuste" value={setting} />
        <input type="hidden" name="version" value={storedSetting?.version ?? 0} />
        <p className={formStyles.buttons}>
          <Button type="submit" look="outline" isBusy={isBusy} name="hacer" value="guardar">
            Guardar
          </Button>
          {storedSetting?.isSet && (
            <Button type="submit" look="quiet" isBusy={isBusy} name="hacer" value="contenido" formNoValidate>
              {setting === 'correo.cuota' ? 'Quitar el número' : 'Volver a lo que dice el contenido'}
            </Button>
          )}
        </p>
        <p className={formStyles.lastChange}>
          {storedSetting?.isSet
            ? `Lo cambió ${storedSetting.author ?? 'alguien'} el ${formatDateTime(storedSetting.at)}.`
            : setting === 'correo.cuota'
              ? 'Todavía no se ha dicho cuántos.'
              : 'Es lo que dice el contenido de la edición.'}
        </p>
      </>
    )
  }
  return (
    <>
      <ScreenHeading title="Ajustes del año" />
      <p className={formStyles.lead}>
        Los cambios entran en vigor en cuanto los guardas. Las horas son de la Ciudad de México.
      </p>
      {actionData && <OutcomeNotice outcome={actionData} />}
      <div className={formStyles.grid}>
        {(['registro.candidatas', 'registro.trajes'] as const).map((setting) => {
          const period = settings[setting]
          const name = setting === 'registro.candidatas' ? 'Registro de candidatas' : 'Registro de trajes típicos'
          const id = setting.replace('.', '-')
          return (
            <Form
              method="post"
              onSubmit={preventResubmit}
              className={formStyles.form}
              aria-labelledby={id}
              key={setting}
            >
              <h2 id={id}>{name}</h2>
              <p>{PERIOD_MESSAGES[periodStateOf(period, now)]}</p>
              <label htmlFor={`${id}-abre`}>Abre</label>
              <input
                id={`${id}-abre`}
                type="datetime-local"
                name="abre"
                required
                key={`a${period.abre}`}
                defaultValue={typedValuesOf(setting)?.abre ?? formatDateTimeLocal(period.abre)}
              />
              <label htmlFor={`${id}-cierra`}>Cierra</label>
              <input
                id={`${id}-cierra`}
                type="datetime-local"
                name="cierra"
                required
                key={`c${period.cierra}`}
                defaultValue={typedValuesOf(setting)?.cierra ?? formatDateTimeLocal(period.cierra)}
              />
              {formFooter(setting)}
            </Form>
          )
        })}
        <section className={formStyles.form} aria-labelledby="votacion">
          <h2 id="votacion">Votación</h2>
          <p>{votePeriodInWords({ hasCandidates, opening: voteOpening, closing: voteClosing }, now)}</p>
          <p>
            {isBeforeClosing(voteClosing, now) ? 'Cierra' : 'Cerró'} el {formatLongDateTime(new Date(voteClosing))}
          </p>
          <p className={formStyles.lastChange}>
            Se cambia en <Link to="/organizadores/sitio/certamen">El sitio › El certamen</Link>.
          </p>
        </section>
        <Form method="post" onSubmit={preventResubmit} className={formStyles.form} aria-labelledby="prensa">
          <h2 id="prensa">Material de prensa</h2>
          <label className={formStyles.checkbox}>
            <input
              type="checkbox"
              name="publica"
              key={String(settings['prensa.publica'])}
              defaultChecked={typedValuesOf('prensa.publica')?.publica ?? settings['prensa.publica']}
            />
            Cualquiera puede abrirlo, sin cuenta
          </label>
          {formFooter('prensa.publica')}
        </Form>
        <Form method="post" onSubmit={preventResubmit} className={formStyles.form} aria-labelledby="correo">
          <h2 id="correo">Correo</h2>
          <p>{usedInWords(mailUsage)}</p>
          <p id="quedan">{remainingInWords(settings['correo.cuota'], mailUsage)}</p>
          <label htmlFor="cuota">Mensajes que tu proveedor de correo deja enviar en un día</label>
          <input
            id="cuota"
            type="number"
            name="cuota"
            min={10}
            step={1}
            aria-describedby="quedan"
            key={`c${settings['correo.cuota']}`}
            defaultValue={typedValuesOf('correo.cuota')?.cuota ?? settings['correo.cuota']}
          />
          {formFooter('correo.cuota')}
        </Form>
        <Form method="post" onSubmit={preventResubmit} className={formStyles.form} aria-labelledby="privacidad">
          <h2 id="privacidad">Privacidad</h2>
          <p id="promesa">
            El aviso de privacidad promete {PRIVACY_DAYS} días: con menos se cumple; para conservarlas más, primero hay
            que cambiar el aviso.
          </p>
          <label htmlFor="dias">
            Días que se conservan las inscripciones y sus documentos después de la final (o de su llegada, si llegan
            después)
          </label>
          <input
            id="dias"
            type="number"
            name="dias"
            min={1}
            max={3650}
            step={1}
            required
            aria-describedby="promesa"
            key={settings['privacidad.dias']}
            defaultValue={typedValuesOf('privacidad.dias')?.dias ?? settings['privacidad.dias']}
          />
          {confirmation && (
            <label className={formStyles.checkbox}>
              <input type="checkbox" name="seguro" value={confirmation.days} key={confirmation.days} />
              Entiendo que con {daysInWords(confirmation.days)} vence el plazo de{' '}
              {entryCountInWords(confirmation.expiringCount)}, y que lo que se borra no se puede recuperar
            </label>
          )}
          {formFooter('privacidad.dias')}
        </Form>
      </div>
    </>
  )
}
