import { readAjustes } from '#app/ajustes/data.server.ts'
import { estadoDe } from '#app/ajustes/rules.ts'
import type { Forma } from '#app/inscripciones/forma.ts'
import { enMexico } from '#app/platform/fechas.ts'
import type { Services } from '#app/platform/services.server.ts'
import { Rechazo } from './rechazo.server.ts'
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
