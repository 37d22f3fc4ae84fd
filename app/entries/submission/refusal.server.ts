import { readEditionSettings } from '#app/cms/edition-settings/data.server.ts'
import { periodStateOf } from '#app/cms/edition-settings/rules.ts'
import { asRefusalError, RefusalError } from '#app/core/http/refusal.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { formatLongDateTimeWithZone } from '#app/core/time/mexico-dates.ts'
import { readDiskSpace } from '#app/core/uploads/disk-space.server.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { REGISTRATION_MESSAGES, type RefusalReason } from './schema.ts'

/** Thrown to refuse a registration or one of its files, for a reason that schema.ts lists. */
export const RegistrationRefusalError = RefusalError
export type RegistrationRefusalError = RefusalError<RefusalReason>

/**
 * Returns the refusal that a caught error is or, for a full disk or a full queue, means; undefined for other errors. The cast is safe,
 * since schema.ts lists all these reasons.
 */
export const asRegistrationRefusal = (error: unknown): RegistrationRefusalError | undefined =>
  asRefusalError(error) as RegistrationRefusalError | undefined

/**
 * Returns, before a form is filled in, why it cannot be sent: the form is closed, or the disk has no room for an entry.
 * @returns undefined while the form can be sent
 */
export async function findSubmissionObstacle(
  services: Services,
  descriptor: FormDescriptor,
): Promise<string | undefined> {
  const closedRefusal = await findClosedRefusal(services, descriptor)
  if (closedRefusal) return closedRefusal.message
  const { availableBytes } = await readDiskSpace(services.settings.dataDir, services.settings.diskReserve)
  return availableBytes < TYPICAL_ENTRY_BYTES ? DISK_FULL_MESSAGE : undefined
}

/** Size of the documents of a typical entry. With less space beyond the disk's reserve, the form is not offered. */
const TYPICAL_ENTRY_BYTES = 16 * 1024 ** 2
const DISK_FULL_MESSAGE =
  'Por ahora no podemos recibir registros: al servidor se le acabó el espacio, y el comité ya lo sabe. Vuelve más tarde; lo que hayas llenado en este equipo no se pierde.'

/**
 * Checks whether a form is open, by the site's clock and the edition's settings.
 * @returns undefined while the form is open; else the refusal, with the date in its message
 */
export async function findClosedRefusal(
  { db, clock }: Services,
  descriptor: FormDescriptor,
): Promise<RegistrationRefusalError | undefined> {
  const { [descriptor.periodSetting]: period } = await readEditionSettings(db)
  const state = periodStateOf(period, clock.now())
  if (state === 'abierto') return undefined
  const message =
    state === 'antes'
      ? REGISTRATION_MESSAGES.porAbrir(descriptor.entrantsText, formatLongDateTimeWithZone(new Date(period.abre)))
      : REGISTRATION_MESSAGES.cerrado(descriptor.entrantsText, formatLongDateTimeWithZone(new Date(period.cierra)))
  return new RegistrationRefusalError('cerrado', message)
}
