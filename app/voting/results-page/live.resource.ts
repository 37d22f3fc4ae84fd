import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { tallyOf } from '#app/voting/sealing/guards.server.ts'
import type { Route } from './+types/live.resource'

/** Live results for organisers' open screens, as server-sent events. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const may = async () => (await checkLoginWall(request, context, 'resultados')).isOpen
  if (!(await may())) return new Response('Sólo para la organización.', { status: 403 })
  return new Response(tallyOf(context).liveResults.stream(request.signal, may), {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'private, no-store',
      'x-accel-buffering': 'no',
    },
  })
}
