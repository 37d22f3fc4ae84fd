import type { Route } from './+types/login-in-place.resource'
import { checkLoginWall, loginWallAction } from './login-wall.server.ts'
import type { LoginInPlaceResponse } from './login-wall.tsx'

const NO_STORE = { 'cache-control': 'private, no-store' }

const answer = (said: LoginInPlaceResponse, init: ResponseInit = {}) => {
  const headers = new Headers(init.headers)
  headers.set('cache-control', NO_STORE['cache-control'])
  return Response.json(said, { ...init, headers })
}

/** Answers with the state of the organisers' login wall, for a login above an open screen. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const entrance = await checkLoginWall(request, context, 'organizadores')
  return answer(entrance.isOpen ? { abierta: true } : { puerta: entrance.loginWall })
}

/** Takes the forms of a login above an open screen, and answers in JSON instead of redirects. */
export async function action({ request, context }: Route.ActionArgs) {
  const done = await loginWallAction(request, context)
  if (!done) return answer({ mensaje: 'Ese botón no se entendió. Recarga la página.', correo: '' }, { status: 400 })
  // A step succeeded: the browser asks for the new state next, with the cookies of this answer.
  if (done instanceof Response) return answer({ paso: true }, { headers: done.headers })
  return answer(done.data, {
    status: done.init?.status ?? 401,
    ...(done.init?.headers && { headers: done.init.headers }),
  })
}
