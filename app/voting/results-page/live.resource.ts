import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { PRIVATE_HEADERS } from '#app/core/http/private-headers.ts'
import { tallyOf } from '#app/voting/sealing/guards.server.ts'
import type { Route } from './+types/live.resource'

/** Streams live results to organisers as server-sent events, and ends the stream of an organiser who has lost access. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const mayRead = async () => (await checkLoginWall(request, context, 'resultados')).isOpen
  if (!(await mayRead())) return new Response('Sólo para la organización.', { status: 403 })
  return new Response(tallyOf(context).liveResults.stream(request.signal, mayRead), {
    headers: {
      ...PRIVATE_HEADERS,
      'content-type': 'text/event-stream; charset=utf-8',
      // Tells nginx not to hold events back.
      'x-accel-buffering': 'no',
    },
  })
}
