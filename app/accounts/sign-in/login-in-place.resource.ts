import type { Route } from './+types/login-in-place.resource'
import { checkLoginWall, loginWallAction } from './login-wall.server.ts'
import type { LoginInPlaceResponse } from './login-wall.tsx'

const NO_STORE = { 'cache-control': 'private, no-store' }

const answer = (said: LoginInPlaceResponse, init: ResponseInit = {}) => {
  const headers = new Headers(init.headers)
  headers.set('cache-control', NO_STORE['cache-control'])
  return Response.json(said, { ...init, headers })
}

/** How the organisers' door stands, for one that is shown above a screen. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const entrance = await checkLoginWall(request, context, 'organizadores')
  return answer(entrance.abierta ? { abierta: true } : { puerta: entrance.puerta })
}

/** What such a door sends. */
export async function action({ request, context }: Route.ActionArgs) {
  const done = await loginWallAction(request, context)
  if (!done) return answer({ mensaje: 'Ese botón no se entendió. Recarga la página.', correo: '' }, { status: 400 })
  // A step was made: how the door stands is asked for next, with the cookies that come with it.
  if (done instanceof Response) return answer({ paso: true }, { headers: done.headers })
  return answer(done.data, {
    status: done.init?.status ?? 401,
    ...(done.init?.headers && { headers: done.init.headers }),
  })
}
