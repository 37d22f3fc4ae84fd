import type { RouterContextProvider } from 'react-router'
import { may } from '#app/accounts/rules.ts'
import type { Rol } from '#app/accounts/schema.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { countInscripciones } from '#app/entries/data.server.ts'
import { readElegida } from '#app/panel/guards.server.ts'
import type { MarcoDelPanel } from './frame.tsx'

/** What the panel's frame shows to an organiser, and how many entries there are of each kind and state. */
export async function readMarco(request: Request, context: Readonly<RouterContextProvider>, rol: Rol | null) {
  const { anio, ediciones } = await readElegida(request, context)
  const conteo = may(rol, 'inscripciones') ? await countInscripciones(servicesOf(context).services.db, anio) : undefined
  const inscripciones =
    conteo &&
    Object.values(conteo)
      .flatMap((byState) => Object.values(byState))
      .reduce((sum, count) => sum + count, 0)
  const marco: MarcoDelPanel = { anio, rol, hayOtras: ediciones.length > 1, inscripciones, soloCuenta: false }
  return { marco, conteo }
}
