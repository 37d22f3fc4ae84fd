import type { RouterContextProvider } from 'react-router'
import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import type { EarlyRoute } from '#app/core/http/early-route.server.ts'
import { RefusalError, refusalResponse } from '#app/core/http/refusal.server.ts'
import { textResponse } from '#app/core/http/same-origin.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { fileIntakeOf } from './file-intake.server.ts'
import { MESSAGES, statusOf, UPLOADS_PATH } from './upload-protocol.ts'

/** Identifies the organiser who sends files, or says why the request is refused. */
export async function identifySender(
  request: Request,
  context: Readonly<RouterContextProvider>,
): Promise<{ ok: true; userId: string } | { ok: false; refusal: RefusalError }> {
  const access = await checkLoginWall(request, context, 'sitio').catch((error: unknown) => {
    if (error instanceof Response) return undefined
    throw error
  })
  // The organiser's role does not include «El sitio».
  if (!access) return { ok: false, refusal: new RefusalError('permiso', MESSAGES.permiso) }
  if (access.isOpen) return { ok: true, userId: access.session.userId }
  const { state } = access.loginWall
  const reason = state === 'forbidden' ? 'permiso' : state === 'no-second-factor' ? 'segundo' : 'sesion'
  return { ok: false, refusal: new RefusalError(reason, MESSAGES[reason]) }
}

export const siteUploads: EarlyRoute = {
  paths: [UPLOADS_PATH, `${UPLOADS_PATH}/*`],
  methods: ['ANY'],
  takesFiles: true,
  // An upload's address never has a query.
  async answer(request, context) {
    if (new URL(request.url).search !== '') return textResponse('Esta dirección no se usa así.', 400)
    const admission = await identifySender(request, context)
    if (!admission.ok) return refusalResponse('edicion', admission.refusal, statusOf(admission.refusal.reason))
    return fileIntakeOf(context).handle(request, servicesOf(context).facts, admission.userId)
  },
}
