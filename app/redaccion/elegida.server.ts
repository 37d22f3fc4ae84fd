import type { RouterContextProvider } from 'react-router'
import { cookieOf, prefijoDe } from '#app/cuentas/cookies.server.ts'
import { listEdiciones } from '#app/edicion/anios.server.ts'
import { servicesOf } from '#app/platform/services.server.ts'

const nombreDe = (publicUrl: string) => `${prefijoDe(publicUrl)}.edicion`

/** The edition that an organiser is writing, and all that there are. */
export async function readElegida(request: Request, context: Readonly<RouterContextProvider>) {
  const { db, settings } = servicesOf(context).services
  const ediciones = await listEdiciones(db)
  const asked = Number(cookieOf(request.headers.get('cookie'), nombreDe(settings.publicUrl)) ?? Number.NaN)
  const elegida = ediciones.find(({ anio }) => anio === asked) ?? ediciones.find(({ actual }) => actual)
  if (!elegida) throw new Error('There is no edition to write')
  return { ...elegida, ediciones }
}

/** A Set-Cookie line that keeps which edition is written. */
export function elegir(publicUrl: string, anio: number): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${nombreDe(publicUrl)}=${anio}; Max-Age=${30 * 86_400}; Path=/; HttpOnly; SameSite=Lax${secure}`
}
