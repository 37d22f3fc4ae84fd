import { readSettings } from '#app/cms/edition-settings/data.server.ts'
import { statusOf } from '#app/cms/edition-settings/rules.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { formatLongDateTimeWithZone } from '#app/core/time/mexico-dates.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { RefusalError } from './refusal.server.ts'
import { MESSAGES } from './schema.ts'

/**
 * Checks whether a form is open, by the site's clock and the edition's settings.
 * @returns undefined while it is open; else the refusal, with the date in its message
 */
export async function refuseClosed(
  { db, clock }: Services,
  descriptor: FormDescriptor,
): Promise<RefusalError | undefined> {
  const { [descriptor.periodSetting]: period } = await readSettings(db)
  const state = statusOf(period, clock.now())
  if (state === 'abierto') return undefined
  const message =
    state === 'antes'
      ? MESSAGES.porAbrir(descriptor.entrantsText, formatLongDateTimeWithZone(new Date(period.abre)))
      : MESSAGES.cerrado(descriptor.entrantsText, formatLongDateTimeWithZone(new Date(period.cierra)))
  return new RefusalError('cerrado', message)
}
