import { data } from 'react-router'
import type { Autor } from '#app/bitacora/mutations.server.ts'
import { activateSegundo, beginSegundo, removeCodigos, renewRespaldos } from '#app/cuentas/segundo.server.ts'
import type { Services } from '#app/platform/services.server.ts'

interface Orden {
  hacer: string
  /** What was typed. */
  codigo: string
  userId: string
  autor: Autor
  /** Ends the account's other sessions: they began without a second step. */
  endOthers(): Promise<void>
}

/**
 * What «Mi cuenta» does about the second step, once its person has said who it is.
 * @returns undefined when the form asks for something else; `respaldos` are shown this once
 */
export async function accionDeSegundo(services: Services, { hacer, codigo, userId, autor, endOthers }: Orden) {
  const done = (mensaje: string, respaldos: readonly string[] = []) => ({ ok: true as const, mensaje, respaldos })
  const refuse = (mensaje: string) => data({ ok: false as const, mensaje }, { status: 422 })
  if (hacer === 'segundo-empezar')
    return (await beginSegundo(services, userId))
      ? done('Escanea el cuadro con tu aplicación y escribe el código que muestre.')
      : refuse('Ya tienes una aplicación de códigos. Para cambiar de teléfono, quítala primero.')
  if (hacer === 'segundo-activar') {
    const hecho = await activateSegundo(services, userId, codigo, autor)
    if (!hecho.ok)
      return refuse(
        'Ese código no es. Revisa que la hora de tu teléfono sea la automática, y escribe el que muestra ahora.',
      )
    await endOthers()
    return done('Listo: desde ahora entras con tu contraseña y un código de tu aplicación.', hecho.respaldos)
  }
  if (hacer === 'segundo-respaldos')
    return done('Éstos son tus códigos nuevos.', await renewRespaldos(services, userId, autor))
  if (hacer === 'segundo-quitar')
    return (await removeCodigos(services.db, userId, autor))
      ? done('Quitaste la aplicación de códigos.')
      : refuse('No tienes una aplicación de códigos.')
  return undefined
}
