import type { RouterContextProvider } from 'react-router'
import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import type { EarlyRoute } from '#app/core/http/early-route.server.ts'
import { RefusalError, refusalResponse } from '#app/core/http/refusal.server.ts'
import { textResponse } from '#app/core/http/same-origin.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { fileIntakeOf } from './file-intake.server.ts'
import { UPLOAD_MESSAGES, UPLOADS_PATH, uploadStatusOf } from './upload-protocol.ts'

/** Identifies the organiser who uploads files, or returns why the request is refused. */
export async function identifySender(
  request: Request,
  context: Readonly<RouterContextProvider>,
): Promise<{ ok: true; userId: string } | { ok: false; refusal: RefusalError }> {
  const access = await checkLoginWall(request, context, 'sitio').catch((error: unknown) => {
    if (error instanceof Response) return undefined
    throw error
  })
  // The login wall threw a response: the organiser's role does not include «El sitio».
  if (!access) return { ok: false, refusal: new RefusalError('permiso', UPLOAD_MESSAGES.permiso) }
  if (access.isOpen) return { ok: true, userId: access.session.userId }
  const { state } = access.loginWall
  const reason = state === 'forbidden' ? 'permiso' : state === 'no-second-factor' ? 'segundo' : 'sesion'
  return { ok: false, refusal: new RefusalError(reason, UPLOAD_MESSAGES[reason]) }
}

export const organiserUploads: EarlyRoute = {
  paths: [UPLOADS_PATH, `${UPLOADS_PATH}/*`],
  methods: ['ANY'],
  takesFiles: true,
  // An upload's URL never has a query.
  async answer(request, context) {
    if (new URL(request.url).search !== '') return textResponse('Esta dirección no se usa así.', 400)
    const admission = await identifySender(request, context)
    if (!admission.ok) return refusalResponse('edicion', admission.refusal, uploadStatusOf(admission.refusal.reason))
    return fileIntakeOf(context).handle(request, servicesOf(context).facts, admission.userId)
  },
}
