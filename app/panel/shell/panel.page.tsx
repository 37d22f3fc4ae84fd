import { useEffect, useState } from 'react'
import { Outlet, redirect, useLocation, useRevalidator } from 'react-router'
import { accountsOf, mustAddSecondFactor } from '#app/accounts/guards.server.ts'
import { listDeactivations } from '#app/accounts/people/deactivations.server.ts'
import { may } from '#app/accounts/rules.ts'
import { announceSession, onSessionEnd, useSessionMark } from '#app/accounts/sessions/browser-signals.ts'
import { checkLoginWall, loginWallAction } from '#app/accounts/sign-in/login-wall.server.ts'
import { LoginWall } from '#app/accounts/sign-in/login-wall.tsx'
import { signInOrRefusal } from '#app/accounts/sign-in/refusal.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { proxyWarning } from '#app/core/http/proxy-check.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { readDiskSpace } from '#app/core/uploads/disk-space.server.ts'
import { countRequests } from '#app/entries/help-requests.server.ts'
import { countUndelivered } from '#app/entries/letters/data.server.ts'
import { NO_MAIL_SERVER_MESSAGE } from '#app/entries/letters/schema.ts'
import { isKeyUnsaved, KEY_UNSAVED_NOTICE } from '#app/ops/backup/own-key.server.ts'
import { countFaults, listAllPlannedDeletions } from '#app/ops/health/data.server.ts'
import { diskSpaceNotice, faultsNotice, plannedDeletionNotice } from '#app/ops/health/rules.ts'
import type { Route } from './+types/panel.page'
import { Notices } from './notices.tsx'
import { ACCOUNT_PATH, sectionsOf } from './sections.ts'
import { SessionEndedDialog } from './session-ended-dialog.tsx'
import styles from './shell.module.css'
import { readPanelShell } from './shell.server.ts'
import { PanelShell } from './shell.tsx'
import { readVotingMail } from './voting-mail.server.ts'

// Client-side navigation keeps the document's content security policy, so every panel screen allows the iframes that some
// of them show (`showsFrames`).
export const handle = {
  noindex: true,
  prefetch: false,
  hasOwnSignOut: true,
  staysOnSessionEnd: true,
  showsFrames: true,
}

/**
 * Reads the login wall, or the shell's data and the notices. Redirects an organiser who lacks a required second factor to the
 * account's screen, and a role without entries from the inbox to its first section. Each panel screen must check the session
 * itself, since React Router runs loaders in parallel; without access its loader returns null, and this screen shows the login wall.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const pathname = new URL(request.url).pathname.replace(/\.data$/, '')
  const isAccountPage = pathname === ACCOUNT_PATH
  const access = await checkLoginWall(request, context, 'organizadores', { withoutSecondFactor: isAccountPage })
  if (!access.isOpen) {
    if (access.loginWall.state === 'no-second-factor' && !isAccountPage) throw redirect(ACCOUNT_PATH)
    return access
  }
  const { session } = access
  await accountsOf(context).touchSession(request)
  if (pathname === '/organizadores' && !may(session.role, 'inscripciones'))
    throw redirect(sectionsOf(session.role, false)[0]!.path)
  const { shell, entryCounts } = await readPanelShell(request, context, session.role)
  // An account that lacks the second factor it must have sees only its account screen.
  if (mustAddSecondFactor(accountsOf(context), session)) {
    const accountOnlyShell = { ...shell, entryCount: undefined, isAccountOnly: true }
    return {
      isOpen: true as const,
      shell: accountOnlyShell,
      entryCounts: undefined,
      notices: [],
      hasSecondFactorHint: false,
    }
  }
  const { services, facts } = servicesOf(context)
  const { db, settings } = services
  const mayManagePrivacy = may(session.role, 'privacidad')
  const [
    diskSpace,
    plannedDeletions,
    faultCount,
    isBackupKeyUnsaved,
    undeliveredCount,
    votingMail,
    helpRequests,
    deactivations,
  ] = await Promise.all([
    readDiskSpace(settings.dataDir, settings.diskReserve),
    mayManagePrivacy ? listAllPlannedDeletions(db) : [],
    mayManagePrivacy ? countFaults(db) : 0,
    mayManagePrivacy && isKeyUnsaved(db, settings),
    may(session.role, 'mensajes') ? countUndelivered(db, shell.year) : 0,
    readVotingMail(services),
    may(session.role, 'personas') ? countRequests(db) : undefined,
    may(session.role, 'personas') ? listDeactivations(db) : [],
  ])
  const notices = [
    diskSpaceNotice(diskSpace),
    deactivations.length > 0 && DEACTIVATION_NOTICE,
    ...votingMail.notices,
    faultCount > 0 && faultsNotice(faultCount),
    ...plannedDeletions.filter(({ heldAt }) => heldAt === undefined).map(plannedDeletionNotice),
    proxyWarning(settings, facts.isForwarded),
    !votingMail.hasMailServer && NO_MAIL_SERVER_MESSAGE,
    isBackupKeyUnsaved && KEY_UNSAVED_NOTICE,
    undeliveredCount > 0 && undeliveredNotice(undeliveredCount),
    helpRequests && helpRequests.entryRequestCount > 0 && ENTRANT_REQUESTS_NOTICE,
    helpRequests && helpRequests.pressRequestCount > 0 && OUTLET_REQUESTS_NOTICE,
  ].filter((notice) => notice !== undefined && notice !== false)
  const hasSecondFactorHint = session.secondFactor === 'missing' && !isAccountPage
  return { isOpen: true as const, shell, entryCounts, notices, hasSecondFactorHint }
}

const DEACTIVATION_NOTICE =
  'Alguien pidió dar de baja a quien lleva todo. Si no debe ser, detenla en «Personas» antes de que surta efecto.'

const ENTRANT_REQUESTS_NOTICE =
  'Piden por el sitio su folio o que se borre su registro. Mira quién en «Privacidad», donde dice qué hacer.'
const OUTLET_REQUESTS_NOTICE = 'Hay medios que piden su acreditación. Mira cuáles en «Personas».'

const undeliveredNotice = (count: number) =>
  count === 1
    ? 'Un correo no llegó. Mira cuál en «Mensajes».'
    : `${count.toLocaleString('es-MX')} correos no llegaron. Mira cuáles en «Mensajes».`

export const action = async ({ request, context }: Route.ActionArgs) =>
  (await loginWallAction(request, context)) ?? new Response('Esta dirección no se usa así.', { status: 400 })

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  signInOrRefusal(request, serverAction)

export { revalidateUnlessDocumentView as shouldRevalidate } from '#app/panel/rules.ts'

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Organización' }, args)

export default function PanelPage({ loaderData, actionData }: Route.ComponentProps) {
  useSessionMark(loaderData.isOpen)
  const { pathname, search } = useLocation()
  const { revalidate } = useRevalidator()
  const [hasEnded, setHasEnded] = useState(false)
  const { isOpen } = loaderData
  useEffect(() => {
    if (!isOpen) return
    // A form that was sent after the session's end shows its own login wall (`entrar-aqui`), so the dialog stays away.
    return onSessionEnd(() => setHasEnded((wasEnded) => wasEnded || document.getElementById('entrar-aqui') === null))
  }, [isOpen])
  const isPasswordJustSet = new URLSearchParams(search).get('aviso') === 'clave'
  if (!loaderData.isOpen)
    return (
      <LoginWall
        loginWall={loaderData.loginWall}
        title="Organización"
        message={
          isPasswordJustSet
            ? 'Listo: tu contraseña quedó guardada. Inicia sesión con ella para entrar al panel.'
            : 'Esta parte del sitio es de la organización: inicia sesión para ver y atender las inscripciones.'
        }
        refusal={actionData}
      />
    )
  const { shell, entryCounts, notices, hasSecondFactorHint } = loaderData
  const resume = () => {
    setHasEnded(false)
    announceSession()
    void revalidate()
  }
  return (
    <PanelShell {...shell}>
      <div className={styles.content} inert={hasEnded} data-session-ended={hasEnded || undefined}>
        <Notices notices={notices} hasSecondFactorHint={hasSecondFactorHint} pathname={pathname} />
        <Outlet context={entryCounts} />
      </div>
      {hasEnded && <SessionEndedDialog onSignedIn={resume} />}
    </PanelShell>
  )
}
