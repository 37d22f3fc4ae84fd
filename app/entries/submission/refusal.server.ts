import { readEditionSettings } from '#app/cms/edition-settings/data.server.ts'
import { periodStateOf } from '#app/cms/edition-settings/rules.ts'
import { asRefusalError as asRefusal, RefusalError as Refusal } from '#app/core/http/refusal.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { formatLongDateTimeWithZone } from '#app/core/time/mexico-dates.ts'
import { readDiskSpace } from '#app/core/uploads/disk-space.server.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { REGISTRATION_MESSAGES, type RefusalReason } from './schema.ts'

/** Thrown to refuse a registration or one of its files, for a reason that schema.ts lists. */
export const RefusalError = Refusal
export type RefusalError = Refusal<RefusalReason>

/** Returns a caught error if it is a refusal. The cast is safe, since all reasons of the uploads are reasons of schema.ts. */
export const asRefusalError = (error: unknown): RefusalError | undefined => asRefusal(error) as RefusalError | undefined

/**
 * Returns, before a form is filled in, why it cannot be sent: the form is closed, or the disk has no room for an entry.
 * @returns undefined while the form can be sent
 */
export async function readClosedMessage(services: Services, descriptor: FormDescriptor): Promise<string | undefined> {
  const closedRefusal = await refuseClosed(services, descriptor)
  if (closedRefusal) return closedRefusal.message
  const { availableBytes } = await readDiskSpace(services.settings.dataDir, services.settings.diskReserve)
  return availableBytes < TYPICAL_ENTRY_BYTES ? DISK_FULL_MESSAGE : undefined
}

/** Size of the documents of a typical entry. */
const TYPICAL_ENTRY_BYTES = 16 * 1024 ** 2
const DISK_FULL_MESSAGE =
  'Por ahora no podemos recibir registros: al servidor se le acabó el espacio, y el comité ya lo sabe. Vuelve más tarde; lo que hayas llenado en este equipo no se pierde.'

/**
 * Checks by the site's clock and the edition's settings whether a form is open.
 * @returns undefined while the form is open; else the refusal, with the date in its message
 */
export async function refuseClosed(
  { db, clock }: Services,
  descriptor: FormDescriptor,
): Promise<RefusalError | undefined> {
  const { [descriptor.periodSetting]: period } = await readEditionSettings(db)
  const state = periodStateOf(period, clock.now())
  if (state === 'abierto') return undefined
  const message =
    state === 'antes'
      ? REGISTRATION_MESSAGES.porAbrir(descriptor.entrantsText, formatLongDateTimeWithZone(new Date(period.abre)))
      : REGISTRATION_MESSAGES.cerrado(descriptor.entrantsText, formatLongDateTimeWithZone(new Date(period.cierra)))
  return new RefusalError('cerrado', message)
}
