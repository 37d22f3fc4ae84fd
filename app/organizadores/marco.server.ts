import type { RouterContextProvider } from 'react-router'
import { may } from '#app/cuentas/rules.ts'
import type { Rol } from '#app/cuentas/schema.ts'
import { countInscripciones } from '#app/inscripciones/data.server.ts'
import { servicesOf } from '#app/platform/services.server.ts'
import { readElegida } from './guards.server.ts'
import type { MarcoDelPanel } from './marco.tsx'

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
