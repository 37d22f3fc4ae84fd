import { PRIVATE_HEADERS } from '#app/core/http/private-headers.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import type { Route } from './+types/finish-upload.resource'
import { fileIntakeOf } from './file-intake.server.ts'
import { uploadStatusOf } from './upload-protocol.ts'
import { identifySender } from './uploads.early.server.ts'

/** Stores a complete upload, and answers with an IntakeResult. */
export async function action({ request, context }: Route.ActionArgs) {
  const admission = await identifySender(request, context)
  if (!admission.ok) {
    const { reason, message } = admission.refusal
    return Response.json({ ok: false, reason, message }, { status: uploadStatusOf(reason), headers: PRIVATE_HEADERS })
  }
  const form = await request.formData()
  const upload = { entrega: form.get('entrega'), subida: form.get('subida') }
  const intakeResult = await fileIntakeOf(context).receive(admission.userId, upload, servicesOf(context).facts)
  return Response.json(intakeResult, {
    status: intakeResult.ok ? 200 : uploadStatusOf(intakeResult.reason),
    headers: PRIVATE_HEADERS,
  })
}
