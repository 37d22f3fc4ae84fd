import { readAjustes } from '#app/cms/settings/data.server.ts'
import { estadoDe } from '#app/cms/settings/rules.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { enMexico } from '#app/core/time/mexico-dates.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import { Rechazo } from './refusal.server.ts'
import { MENSAJES } from './schema.ts'

/**
 * Whether a form takes entries now, by the site's clock and the edition's settings.
 * @returns undefined while it does; else why not, with the date in its message
 */
export async function refuseCerrado({ db, clock }: Services, forma: Forma): Promise<Rechazo | undefined> {
  const { [forma.periodo]: periodo } = await readAjustes(db)
  const estado = estadoDe(periodo, clock.now())
  if (estado === 'abierto') return undefined
  const message =
    estado === 'antes'
      ? MENSAJES.porAbrir(forma.deQuien, enMexico(new Date(periodo.abre)))
      : MENSAJES.cerrado(forma.deQuien, enMexico(new Date(periodo.cierra)))
  return new Rechazo('cerrado', message)
}
