import { data } from 'react-router'
import { removeLlave } from '#app/accounts/second-factor/passkeys.server.ts'
import {
  activateSegundo,
  beginSegundo,
  removeCodigos,
  renewRespaldos,
} from '#app/accounts/second-factor/totp.server.ts'
import type { Autor } from '#app/audit/mutations.server.ts'
import type { Services } from '#app/core/http/services.server.ts'

interface Orden {
  hacer: string
  /** What was typed. */
  codigo: string
  /** Id of a passkey. */
  llave: string
  userId: string
  autor: Autor
  /** Keeps the passkey that the browser has just made. */
  addLlave(): Promise<{ respaldos: string[] } | undefined>
  /** Ends the account's other sessions: they began without a second step. */
  endOthers(): Promise<void>
}

/**
 * What «Mi cuenta» does about the second step, once its person has said who it is.
 * @returns undefined when the form asks for something else; `respaldos` are shown this once
 */
export async function accionDeSegundo(
  services: Services,
  { hacer, codigo, llave, userId, autor, addLlave, endOthers }: Orden,
) {
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
  // The password was said again, so that one can be made now.
  if (hacer === 'llave-pedir') return done('Listo, eres tú. Ahora pulsa «Agregar llave de acceso».')
  if (hacer === 'llave-agregar') {
    const hecho = await addLlave()
    if (!hecho)
      return refuse('Esa llave no se pudo guardar: quizá tardó demasiado, o ya la tenías. Inténtalo de nuevo.')
    await endOthers()
    return done('Listo: con esta llave entras sin escribir tu contraseña.', hecho.respaldos)
  }
  if (hacer === 'llave-quitar')
    return (await removeLlave(services.db, userId, llave, autor))
      ? done('Quitaste esa llave de acceso.')
      : refuse('Esa llave ya no estaba.')
  if (hacer === 'segundo-quitar')
    return (await removeCodigos(services.db, userId, autor))
      ? done('Quitaste la aplicación de códigos.')
      : refuse('No tienes una aplicación de códigos.')
  return undefined
}
