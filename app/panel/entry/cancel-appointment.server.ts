import type { Actor } from '#app/audit/mutations.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { DISK_FULL_MESSAGE, withDiskFullRefusal } from '#app/core/uploads/disk-space.server.ts'
import { cancelAppointment } from '#app/entries/letters/appointments.server.ts'

const CANCELLED_MESSAGE =
  'La cita quedó cancelada. En «Historia» está el mensaje, y si le salió por correo; si no dejó correo, avísale por teléfono.'
const CHANGED_MESSAGE = 'Esa cita ya no era la suya: mientras tanto cambió o se canceló.'

export async function cancelAppointmentInWords(
  services: Services,
  appointment: Parameters<typeof cancelAppointment>[1],
  actor: Actor,
): Promise<{ ok: boolean; message: string }> {
  const outcome = await withDiskFullRefusal(services, async () => ({
    ok: await cancelAppointment(services, appointment, actor),
  }))
  if ('reason' in outcome) return { ok: false, message: DISK_FULL_MESSAGE }
  return { ok: outcome.ok, message: outcome.ok ? CANCELLED_MESSAGE : CHANGED_MESSAGE }
}
