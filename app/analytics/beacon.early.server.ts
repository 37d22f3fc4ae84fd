import type { RouterContextProvider } from 'react-router'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import type { EarlyRoute } from '#app/core/http/early-route.server.ts'
import { CROSS_ORIGIN_FORM_MESSAGE, isSameOriginForm, textResponse } from '#app/core/http/same-origin.server.ts'
import { screensContext, servicesOf } from '#app/core/http/services.server.ts'
import { visitsOf } from './guards.server.ts'
import { isRobot } from './rules.ts'
import { BEACON_PATH, VISIT_EVENTS } from './schema.ts'

/**
 * Counts an event that only the browser sees: POST `?que=…&cual=…`, without a body. Answers 204 even if the event is not counted,
 * and 403 to a request of another site.
 */
export const visitBeacon: EarlyRoute = {
  paths: [BEACON_PATH],
  methods: ['POST'],
  async answer(request, context) {
    const { services, facts } = servicesOf(context)
    if (!isSameOriginForm(request, services.settings.publicUrl)) return textResponse(CROSS_ORIGIN_FORM_MESSAGE, 403)
    const params = new URL(request.url).searchParams
    const event = VISIT_EVENTS.find((knownEvent) => knownEvent === params.get('que'))
    const target = params.get('cual') ?? ''
    if (
      event &&
      !isRobot(request.headers.get('user-agent') ?? undefined) &&
      (await isKnownTarget(event, target, context))
    )
      visitsOf(context).countEvent(event, target, facts.client)
    return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } })
  },
}

/** Returns whether the event's target exists, so that a script cannot fill the table with invented names. */
async function isKnownTarget(
  event: (typeof VISIT_EVENTS)[number],
  target: string,
  context: Readonly<RouterContextProvider>,
) {
  if (event === 'pantalla') return (await context.get(screensContext)()).includes(target)
  const { patrocinadores, popularidad, candidatas } = await loadEdition()
  if (event === 'patrocinador')
    return [...patrocinadores, ...popularidad.patrocinadores].some(({ nombre }) => nombre === target)
  return candidatas.some(({ id }) => id === target)
}
