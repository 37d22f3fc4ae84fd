import { data } from 'react-router'
import { listAccounts, type RoleAccount } from '#app/accounts/data.server.ts'
import { actorOf } from '#app/accounts/guards.server.ts'
import { resendPasswordLink } from '#app/accounts/people/another-link.server.ts'
import {
  cancelDeactivation,
  listDeactivations,
  requestDeactivation,
} from '#app/accounts/people/deactivations.server.ts'
import { type AccountRefusal, accreditJournalist } from '#app/accounts/people/mutations.server.ts'
import { changeOrganiserRole, inviteOrganiser } from '#app/accounts/people/organisers.server.ts'
import { ROLE_NAMES, ROLES } from '#app/accounts/role-names.ts'
import { may } from '#app/accounts/rules.ts'
import { checkLoginWall, requireOrganiser, requireReauthentication } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { endOfDay, formatDateTime, formatShortDate, isoDateOf } from '#app/core/time/mexico-dates.ts'
import { DISK_FULL_MESSAGE, DISK_FULL_STATUS, withDiskFullRefusal } from '#app/core/uploads/disk-space.server.ts'
import { deleteRequest, dismissPressRequest, listPressRequests } from '#app/entries/help-requests.server.ts'
import { readMailAvailability } from '#app/mail/data.server.ts'
import { mailSenderOf } from '#app/mail/mutations.server.ts'
import { OutcomeNotice } from '#app/panel/outcome-notice.tsx'
import { readField } from '#app/panel/rules.ts'
import type { AccountStatus, PanelAccount } from '#app/panel/schema.ts'
import { ScreenHeading } from '#app/panel/screen-heading.tsx'
import type { Route } from './+types/people.page'
import { AccountList, AccreditForm, InviteForm } from './account-list.tsx'
import { PasswordLink } from './password-link.tsx'
import { PermissionTable } from './permission-table.tsx'
import { PressRequests } from './press-requests.tsx'

export async function loader({ request, context }: Route.LoaderArgs) {
  const access = await checkLoginWall(request, context, 'personas')
  if (!access.isOpen) return null
  const { db, clock, settings } = servicesOf(context).services
  const now = clock.now()
  const deactivations = (await listDeactivations(db)).map(({ effectiveAt, ...deactivation }) => ({
    ...deactivation,
    effectiveAtText: formatDateTime(effectiveAt),
  }))
  const people = (await listAccounts(db)).map(
    (account): PanelAccount => ({
      email: account.email,
      role: account.role,
      outlet: account.outlet,
      lastDay: account.validUntil && isoDateOf(account.validUntil),
      status: accountStatusOf(account, now),
      deactivation: deactivations.find(({ email }) => email === account.email),
      isOwn: account.email === access.session.email,
    }),
  )
  return {
    people,
    pressRequests: await listPressRequests(db),
    today: isoDateOf(now),
    hasMailServer: settings.smtpUrl !== undefined,
  }
}

function accountStatusOf({ deactivatedAt, validUntil, hasPassword }: RoleAccount, now: Date): AccountStatus {
  if (deactivatedAt) return 'deactivated'
  if (validUntil && validUntil <= now) return 'expired'
  return hasPassword ? 'active' : 'invited'
}

const NO_ROLE_REFUSAL = { ok: false, reason: 'noRole' } as const

const REFUSAL_MESSAGES: Partial<Record<AccountRefusal | 'noRole', string>> = {
  noRole: 'Elige qué puede hacer esa persona.',
  address: 'Ese correo no es una dirección válida. Revísalo: sólo letras sin acento, números y signos usuales.',
  outlet: 'Escribe el nombre del medio, con 120 caracteres como máximo.',
  pastDate: 'Ese día ya pasó: elige uno que todavía no llegue, o deja la fecha vacía.',
  alreadyUsed: 'Esa dirección ya tiene cuenta de otra clase. Dala de baja primero, o usa otra dirección.',
  unknown: 'Esa cuenta ya no está: puede ser que alguien la haya dado de baja mientras tanto.',
  alreadyRequested: 'Esa baja ya se pidió: surte efecto a las 24 horas, si nadie la detiene.',
  wrongRole:
    'Ese cambio no se hace así: a quien lleva todo se le da de baja, con 24 horas de aviso, y luego se le invita de nuevo.',
  lastAdmin: 'Es la única cuenta de organización que queda: invita a otra persona antes.',
}

export async function action({ request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'personas')
  const { services } = servicesOf(context)
  const form = await request.formData()
  const fieldText = (name: string) => readField(form, name)
  const [intent, email, outlet, day] = [fieldText('hacer'), fieldText('correo'), fieldText('medio'), fieldText('hasta')]
  const role = ROLES.find((knownRole) => knownRole === fieldText('rol'))
  const typedAccount = { intent, email, outlet, role, lastDay: day }
  const refuse = (message: string, status = 422) =>
    data({ ok: false as const, message, typed: typedAccount }, { status })
  await requireReauthentication(request, context, session, form)
  const actor = { ...actorOf(context, session), quien: session.userId }
  const mailContext = { sender: mailSenderOf(services), now: services.clock.now() }
  const validUntil = endOfDay(day)
  if (intent === 'acreditar' && day !== '' && !validUntil) return refuse('Escribe la fecha como día, mes y año.')
  if (intent === 'retirar' && email === session.email)
    return refuse('No puedes darte de baja: pídeselo a otra persona de la organización.')
  const actions = {
    acreditar: () => accreditJournalist(services.db, { email, outlet, validUntil }, actor, mailContext),
    invitar: async () => (role ? inviteOrganiser(services.db, { email, role }, actor, mailContext) : NO_ROLE_REFUSAL),
    encargo: async () => (role ? changeOrganiserRole(services.db, email, role, actor) : NO_ROLE_REFUSAL),
    enlace: () => resendPasswordLink(services.db, email, actor, mailContext),
    retirar: () => requestDeactivation(services.db, email, mailContext.now, actor),
    detener: () => cancelDeactivation(services.db, email, actor),
    quitar: () => dismissPressRequest(services.db, email, actor),
  }
  if (!Object.hasOwn(actions, intent)) return refuse('Ese botón no se entendió. Recarga la página.')
  const actionResult = await withDiskFullRefusal<
    { ok: true; link?: string | undefined; effectiveAt?: Date } | { ok: false; reason: AccountRefusal | 'noRole' }
  >(services, () => actions[intent as keyof typeof actions]())
  if (!actionResult.ok && actionResult.reason === 'sin-espacio') return refuse(DISK_FULL_MESSAGE, DISK_FULL_STATUS)
  if (!actionResult.ok) return refuse(REFUSAL_MESSAGES[actionResult.reason] ?? 'No se pudo hacer.')
  if (intent === 'acreditar') await deleteRequest(services.db, email)
  const mailAvailability = await readMailAvailability(services)
  const linkSentence = {
    goes: `${email} recibirá un correo con el enlace para elegir su contraseña.`,
    waits: `el servidor de correo no recibe mensajes ahora. Mándale tú a ${email} el enlace de aquí abajo, o espera a que salga.`,
    none: `este sitio todavía no manda correos. Mándale tú a ${email} el enlace de aquí abajo.`,
  }[mailAvailability]
  if (intent === 'enlace' && mailAvailability !== 'goes' && actionResult.link === undefined)
    return refuse(
      `No salió ningún correo a ${email}, y el enlace de quien lleva todo va sólo por correo. ${
        email === session.email
          ? 'Cambia tu contraseña en «Mi cuenta», con la de ahora. Si no la recuerdas,'
          : 'Quien sabe la de ahora la cambia en «Mi cuenta». Si no la recuerda,'
      } quien cuida el servidor pone otra.`,
    )
  const message = {
    acreditar: `Listo: ${actionResult.link !== undefined ? linkSentence : mailAvailability === 'goes' ? `${email} recibirá un correo que le dice cómo quedó; sigue entrando con su contraseña.` : `avísale tú a ${email}, que sigue entrando con su contraseña: el correo no sale ahora.`} ${typedText(outlet)} queda acreditado ${validUntil ? `hasta el ${formatShortDate(day)}` : 'sin último día'}.`,
    invitar: `Listo: ${linkSentence}`,
    encargo: `Listo: ${email} tiene ahora este encargo: ${role && ROLE_NAMES[role]}. Sus sesiones terminaron.`,
    enlace:
      mailAvailability === 'goes'
        ? `Listo: mandamos otro enlace a ${email}. El anterior ya no sirve.`
        : `Listo: hay otro enlace, y el anterior ya no sirve; ${linkSentence}`,
    retirar:
      actionResult.effectiveAt && actionResult.effectiveAt > mailContext.now
        ? `${email} quedará de baja el ${formatDateTime(actionResult.effectiveAt)}. Hasta entonces cualquiera de la organización puede detenerlo${mailAvailability === 'goes' ? '; ya se lo dijimos a todos' : ' aquí; avísales tú, que el correo no sale ahora'}.`
        : `Listo: ${email} ya no puede entrar, y sus sesiones terminaron.`,
    quitar: `Listo: ${email} ya no está entre quienes piden su acreditación.`,
    detener: `Listo: la baja de ${email} quedó detenida.`,
  }[intent as keyof typeof actions]
  // If mail goes out, only the mail has the link, since an organiser who saw it could sign in and vote as that person. Without mail
  // the organiser has to pass it on.
  const link =
    actionResult.link === undefined || mailAvailability === 'goes' ? undefined : { url: actionResult.link, email }
  return { ok: true as const, message, link, formKey: crypto.randomUUID() }
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Personas' }, args)

export default function PeoplePage({ loaderData, actionData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { people, pressRequests, today, hasMailServer } = loaderData
  const typedAccount = actionData?.ok === false ? actionData.typed : undefined
  const journalists = people.filter(({ role }) => role === 'prensa')
  const organisers = people.filter(({ role }) => may(role, 'organizadores'))
  // A new key empties a form after success; a refused form keeps its typed values.
  const formKey = actionData?.ok ? actionData.formKey : 'igual'
  return (
    <>
      <ScreenHeading title="Personas" />
      {actionData && <OutcomeNotice outcome={actionData} />}
      {actionData?.ok && actionData.link && <PasswordLink key={actionData.formKey} {...actionData.link} />}
      <PressRequests requests={pressRequests} />
      <AccountList title="Organización" emptyText="" accounts={organisers} />
      <PermissionTable />
      <InviteForm
        key={`organizacion ${formKey}`}
        typedAccount={typedAccount?.intent === 'invitar' ? typedAccount : undefined}
        hasMailServer={hasMailServer}
      />
      <AccountList
        title="Prensa acreditada"
        emptyText={`Todavía no hay medios acreditados. Acredita al primero aquí abajo: ${hasMailServer ? 'le llegará un correo para elegir su contraseña' : 'verás su enlace para elegir contraseña, y se lo mandas'}.`}
        accounts={journalists}
      />
      <AccreditForm
        key={`prensa ${formKey}`}
        today={today}
        typedAccount={typedAccount?.intent === 'acreditar' ? typedAccount : undefined}
      />
    </>
  )
}
