import { PRIVATE_HEADERS } from '#app/core/http/private-headers.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import type { Route } from './+types/finish-upload.resource'
import { fileIntakeOf } from './file-intake.server.ts'
import { statusOf } from './upload-protocol.ts'
import { identifySender } from './uploads.early.server.ts'

/** Stores a complete upload, and answers with an IntakeResult. */
export async function action({ request, context }: Route.ActionArgs) {
  const admission = await identifySender(request, context)
  if (!admission.ok) {
    const { reason, message } = admission.refusal
    return Response.json({ ok: false, reason, message }, { status: statusOf(reason), headers: PRIVATE_HEADERS })
  }
  const form = await request.formData()
  const sent = { entrega: form.get('entrega'), subida: form.get('subida') }
  const intake = await fileIntakeOf(context).receive(admission.userId, sent, servicesOf(context).facts)
  return Response.json(intake, { status: intake.ok ? 200 : statusOf(intake.reason), headers: PRIVATE_HEADERS })
}
