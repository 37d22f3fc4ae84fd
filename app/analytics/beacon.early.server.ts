import type { RouterContextProvider } from 'react-router'
import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import type { Direccion } from '#app/core/http/early-route.server.ts'
import { ENVIO_AJENO, isOwnForm, sentence } from '#app/core/http/same-origin.server.ts'
import { screensContext, servicesOf } from '#app/core/http/services.server.ts'
import { visitasOf } from './guards.server.ts'
import { isRobot } from './rules.ts'
import { QUE, VISTO } from './schema.ts'

/** Where a browser tells of what the server does not see: `?que=…&cual=…`, without a body that counts. */
export const visto: Direccion = {
  paths: [VISTO],
  methods: ['POST'],
  async answer(request, context) {
    const { services, facts } = servicesOf(context)
    if (!isOwnForm(request, services.settings.publicUrl)) return sentence(ENVIO_AJENO, 403)
    const params = new URL(request.url).searchParams
    const que = QUE.find((one) => one === params.get('que'))
    const cual = params.get('cual') ?? ''
    if (que && !isRobot(request.headers.get('user-agent') ?? undefined) && (await isKnown(que, cual, context)))
      visitasOf(context).aviso(que, cual, facts.client)
    return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } })
  },
}

/** Whether there is such a thing to be counted, so that nobody fills the sums with what he made up. */
async function isKnown(que: (typeof QUE)[number], cual: string, context: Readonly<RouterContextProvider>) {
  if (que === 'pantalla') return (await context.get(screensContext)()).includes(cual)
  const { patrocinadores, popularidad, candidatas } = await loadEdicion()
  if (que === 'patrocinador')
    return [...patrocinadores, ...popularidad.patrocinadores].some(({ nombre }) => nombre === cual)
  return candidatas.some(({ id }) => id === cual)
}
