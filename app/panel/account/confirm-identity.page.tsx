import { redirect } from 'react-router'
import { ReauthenticationPrompt } from '#app/accounts/reauthentication/prompt.tsx'
import { localPathOr } from '#app/accounts/rules.ts'
import { secondFactorMethods } from '#app/accounts/second-factor/totp.server.ts'
import { checkLoginWall, requireOrganiser, requireReauthentication } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { ScreenHeading } from '#app/panel/screen-heading.tsx'
import { buttonLook } from '#app/ui/components/button.tsx'
import type { Route } from './+types/confirm-identity.page'

/** Reads the path to return to; a URL outside the site becomes the panel's home. */
const destinationOf = (request: Request) => localPathOr(new URL(request.url).searchParams.get('ir'), '/organizadores')

/** Asks for reauthentication before a file download, and then links to the file. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const access = await checkLoginWall(request, context, 'organizadores')
  if (!access.isOpen) return null
  const { userId, isRecentlyAuthenticated } = access.session
  const methods = await secondFactorMethods(servicesOf(context).services.db, userId)
  return {
    destination: destinationOf(request),
    isRecent: isRecentlyAuthenticated,
    hasPasskey: methods?.hasPasskey ?? false,
  }
}

export async function action({ request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'organizadores')
  await requireReauthentication(request, context, session, await request.formData())
  throw redirect(destinationOf(request))
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Confirma que eres tú' }, args)

export default function ConfirmIdentityPage({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { destination, isRecent, hasPasskey } = loaderData
  if (!isRecent)
    return <ReauthenticationPrompt fields={[]} hasPasskey={hasPasskey} cancelPath="/organizadores" reloadsDocument />
  return (
    <>
      <ScreenHeading title="Ya confirmaste que eres tú" />
      <p>
        <a href={destination} className={buttonLook('main')}>
          Continuar
        </a>
      </p>
    </>
  )
}
