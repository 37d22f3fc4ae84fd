import type { RouterContextProvider } from 'react-router'
import { abrirPuerta } from '#app/accounts/sign-in/login-wall.server.ts'
import type { Direccion } from '#app/core/http/early-route.server.ts'
import { Rechazo, rechazoResponse } from '#app/core/http/refusal.server.ts'
import { sentence } from '#app/core/http/same-origin.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { recepcionOf } from './file-intake.server.ts'
import { MENSAJES, SUBIDAS, statusOf } from './upload-protocol.ts'

/** The organiser who sends files, or why nobody does. */
export async function quienEnvia(
  request: Request,
  context: Readonly<RouterContextProvider>,
): Promise<{ ok: true; quien: string } | { ok: false; rechazo: Rechazo }> {
  const entrada = await abrirPuerta(request, context, 'sitio').catch((error: unknown) => {
    if (error instanceof Response) return undefined
    throw error
  })
  // An organiser whose part is another.
  if (!entrada) return { ok: false, rechazo: new Rechazo('permiso', MENSAJES.permiso) }
  if (entrada.abierta) return { ok: true, quien: entrada.sesion.userId }
  const { estado } = entrada.puerta
  const motivo = estado === 'sin-permiso' ? 'permiso' : estado === 'sin-segundo' ? 'segundo' : 'sesion'
  return { ok: false, rechazo: new Rechazo(motivo, MENSAJES[motivo]) }
}

/** The organisers' files on their way in. */
export const subidasDelSitio: Direccion = {
  paths: [SUBIDAS, `${SUBIDAS}/*`],
  methods: ['ANY'],
  takesFiles: true,
  // An upload's address has no query, however long.
  async answer(request, context) {
    if (new URL(request.url).search !== '') return sentence('Esta dirección no se usa así.', 400)
    const entra = await quienEnvia(request, context)
    if (!entra.ok) return rechazoResponse(entra.rechazo, statusOf(entra.rechazo.reason))
    return recepcionOf(context).handle(request, servicesOf(context).facts, entra.quien)
  },
}
