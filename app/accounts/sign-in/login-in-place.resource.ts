import { PRIVATE_HEADERS } from '#app/core/http/private-headers.ts'
import type { Route } from './+types/login-in-place.resource'
import { checkLoginWall, loginWallAction } from './login-wall.server.ts'
import type { LoginInPlaceResponse } from './login-wall.tsx'

const respond = (body: LoginInPlaceResponse, init: ResponseInit = {}) => {
  const headers = new Headers(init.headers)
  headers.set('cache-control', PRIVATE_HEADERS['cache-control'])
  return Response.json(body, { ...init, headers })
}

/** Answers with the state of the organisers' login wall, for a login above an open screen. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const wallCheck = await checkLoginWall(request, context, 'organizadores')
  return respond(wallCheck.isOpen ? { isOpen: true } : { loginWall: wallCheck.loginWall })
}

/** Receives the forms of a login above an open screen, and answers in JSON instead of redirects. */
export async function action({ request, context }: Route.ActionArgs) {
  const actionResult = await loginWallAction(request, context)
  if (!actionResult)
    return respond({ message: 'Ese botón no se entendió. Recarga la página.', email: '' }, { status: 400 })
  // After a step that succeeded, the browser asks for the new state, with the cookies of this response.
  if (actionResult instanceof Response) return respond({ hasStepSucceeded: true }, { headers: actionResult.headers })
  return respond(actionResult.data, {
    status: actionResult.init?.status ?? 401,
    ...(actionResult.init?.headers && { headers: actionResult.init.headers }),
  })
}
