import { useEffect, useState } from 'react'
import { Outlet, redirect, useLocation, useRevalidator } from 'react-router'
import { readRemainingCodes, readUnusedCodes } from '#app/accounts/data.server.ts'
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
import { readMailOutlook } from '#app/mail/data.server.ts'
import { isKeyUnsaved, KEY_UNSAVED_NOTICE } from '#app/ops/backup/own-key.server.ts'
import { countFaults, listAllPlannedDeletions } from '#app/ops/health/data.server.ts'
import { diskSpaceNotice, faultsNotice, plannedDeletionNotice } from '#app/ops/health/rules.ts'
import type { Route } from './+types/panel.page'
import styles from './frame.module.css'
import { readPanelFrame } from './frame.server.ts'
import { Frame } from './frame.tsx'
import { Notices } from './notices.tsx'
import { ACCOUNT_PATH, sectionsOf } from './sections.ts'
import { SessionEndedDialog } from './session-ended-dialog.tsx'

// Client-side navigation keeps the document, so every screen must allow the frames that some screens show (`showsFrames`).
export const handle = { noindex: true, prefetch: false, hasOwnSignOut: true, isKeptOnEnd: true, showsFrames: true }

/** Reads the login wall or the frame's data. Each screen in the frame must check the session itself, since loaders run apart. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const pathname = new URL(request.url).pathname.replace(/\.data$/, '')
  const isAccountPage = pathname === ACCOUNT_PATH
  const access = await checkLoginWall(request, context, 'organizadores', { withoutSecondFactor: isAccountPage })
  if (!access.isOpen) {
    // Without a required second factor, only the account screen opens.
    if (access.loginWall.state === 'no-second-factor' && !isAccountPage) throw redirect(ACCOUNT_PATH)
    return access
  }
  const { session } = access
  await accountsOf(context).touchSession(request)
  // A role without entries starts at its first section.
  if (pathname === '/organizadores' && !may(session.role, 'inscripciones'))
    throw redirect(sectionsOf(session.role, false)[0]!.path)
  const { frame, counts } = await readPanelFrame(request, context, session.role)
  // An account without a required second factor sees its account screen and nothing else.
  if (mustAddSecondFactor(accountsOf(context), session)) {
    const bare = { ...frame, entryCount: undefined, isAccountOnly: true }
    return { isOpen: true as const, frame: bare, counts: undefined, notices: [], hasHint: false }
  }
  const { services, facts } = servicesOf(context)
  const { db, settings } = services
  const mayManagePrivacy = may(session.role, 'privacidad')
  const [
    space,
    unusedCodes,
    plannedDeletions,
    faults,
    isUnsaved,
    remaining,
    undeliveredCount,
    outlook,
    requests,
    deactivations,
  ] = await Promise.all([
    readDiskSpace(settings.dataDir, settings.diskReserve),
    readUnusedCodes(db),
    mayManagePrivacy ? listAllPlannedDeletions(db) : [],
    mayManagePrivacy ? countFaults(db) : 0,
    mayManagePrivacy && isKeyUnsaved(db, settings),
    readRemainingCodes(db),
    may(session.role, 'mensajes') ? countUndelivered(db, frame.year) : 0,
    readMailOutlook(services),
    may(session.role, 'personas') ? countRequests(db) : undefined,
    may(session.role, 'personas') ? listDeactivations(db) : [],
  ])
  const notices = [
    diskSpaceNotice(space),
    deactivations.length > 0 && DEACTIVATION_ASKED,
    outlook === 'waits' && MAIL_WAITS,
    faults > 0 && faultsNotice(faults),
    ...plannedDeletions.filter(({ heldAt }) => heldAt === undefined).map(plannedDeletionNotice),
    remaining.codes <= 0 && NO_CODES_LEFT,
    unusedCodes && unusedCodesNotice(unusedCodes),
    proxyWarning(settings, facts.isForwarded),
    outlook === 'none' && NO_MAIL_SERVER_MESSAGE,
    isUnsaved && KEY_UNSAVED_NOTICE,
    undeliveredCount > 0 && undeliveredNotice(undeliveredCount),
    requests && requests.entrants > 0 && ENTRANTS_ASK,
    requests && requests.outlets > 0 && OUTLETS_ASK,
  ].filter((notice) => notice !== undefined && notice !== false)
  const hint = session.secondFactor === 'missing' && !isAccountPage
  return { isOpen: true as const, frame, counts, notices, hasHint: hint }
}

const DEACTIVATION_ASKED =
  'Alguien pidió dar de baja a quien lleva todo. Si no debe ser, detenla en «Personas» antes de que surta efecto.'
const MAIL_WAITS =
  'El servidor de correo no recibe mensajes ahora. Lo que el sitio manda espera y sale solo después; quien pide un código para votar lee que lo intente en unos minutos. Avisa a quien cuida el servidor.'

const NO_CODES_LEFT =
  'Ya salieron todos los códigos para votar que caben en el correo de un día. Quien pide uno lee que lo intente más tarde; los recibos y los avisos siguen saliendo. En «Edición» dice cuántos van de cada clase y se cambia cuántos mensajes admite tu proveedor.'

const ENTRANTS_ASK =
  'Piden por el sitio su folio o que se borre su registro. Mira quién en «Privacidad», donde dice qué hacer.'
const OUTLETS_ASK = 'Hay medios que piden su acreditación. Mira cuáles en «Personas».'

const undeliveredNotice = (count: number) =>
  count === 1
    ? 'Un correo no llegó. Mira cuál en «Mensajes».'
    : `${count.toLocaleString('es-MX')} correos no llegaron. Mira cuáles en «Mensajes».`

/** Words the warning about voting codes; the numbers are those of the last minutes. */
const unusedCodesNotice = ({ sent, used }: { sent: number; used: number }) =>
  `Se piden códigos que nadie usa. En los últimos minutos salieron ${sent.toLocaleString('es-MX')} códigos para votar y se usaron ${used.toLocaleString('es-MX')}. Quizá alguien los pide para direcciones ajenas. El sitio ya lo frena: a una red que no usa los suyos le manda pocos. Los votos y el panel siguen igual.`

export const action = async ({ request, context }: Route.ActionArgs) =>
  (await loginWallAction(request, context)) ?? new Response('Esta dirección no se usa así.', { status: 400 })

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  signInOrRefusal(request, serverAction)

export { revalidateUnlessView as shouldRevalidate } from '#app/panel/rules.ts'

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Organización' }, args)

export default function Panel({ loaderData, actionData }: Route.ComponentProps) {
  useSessionMark(loaderData.isOpen)
  const { pathname, search } = useLocation()
  const { revalidate } = useRevalidator()
  const [hasEnded, setHasEnded] = useState(false)
  const { isOpen } = loaderData
  useEffect(() => {
    if (!isOpen) return
    // A form that was sent after the session's end shows its own login wall (`entrar-aqui`), so the dialog stays away.
    return onSessionEnd(() => setHasEnded((before) => before || document.getElementById('entrar-aqui') === null))
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
  const { frame, counts, notices, hasHint } = loaderData
  const goOn = () => {
    setHasEnded(false)
    announceSession()
    void revalidate()
  }
  return (
    <Frame {...frame}>
      <div className={styles.content} inert={hasEnded} data-espera={hasEnded || undefined}>
        <Notices notices={notices} hasHint={hasHint} pathname={pathname} />
        <Outlet context={counts} />
      </div>
      {hasEnded && <SessionEndedDialog onSignedIn={goOn} />}
    </Frame>
  )
}
