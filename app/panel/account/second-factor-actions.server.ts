import { data } from 'react-router'
import { removePasskey } from '#app/accounts/second-factor/passkeys.server.ts'
import {
  activateSegundo,
  beginSegundo,
  removeAuthenticator,
  renewRecoveryCodes,
} from '#app/accounts/second-factor/totp.server.ts'
import type { Actor } from '#app/audit/mutations.server.ts'
import type { Services } from '#app/core/http/services.server.ts'

interface Order {
  hacer: string
  /** The typed code. */
  codigo: string
  /** Id of a passkey. */
  llave: string
  userId: string
  autor: Actor
  /** Stores the passkey that the browser has just made; undefined where it is refused. */
  addLlave(): Promise<{ respaldos: string[] } | undefined>
  /** Ends the account's other sessions, which began without a second factor. */
  endOthers(): Promise<void>
}

/**
 * Carries out the second-factor actions of «Mi cuenta», after the reauthentication.
 * @returns undefined for another action; new recovery codes (`respaldos`) are in this answer only
 */
export async function secondFactorAction(
  services: Services,
  { hacer, codigo, llave, userId, autor, addLlave, endOthers }: Order,
) {
  const done = (message: string, recoveryCodes: readonly string[] = []) => ({
    ok: true as const,
    mensaje: message,
    respaldos: recoveryCodes,
  })
  const refuse = (message: string) => data({ ok: false as const, mensaje: message }, { status: 422 })
  if (hacer === 'segundo-empezar')
    return (await beginSegundo(services, userId))
      ? done('Escanea el cuadro con tu aplicación y escribe el código que muestre.')
      : refuse('Ya tienes una aplicación de códigos. Para cambiar de teléfono, quítala primero.')
  if (hacer === 'segundo-activar') {
    const outcome = await activateSegundo(services, userId, codigo, autor)
    if (!outcome.ok)
      return refuse(
        'Ese código no es. Revisa que la hora de tu teléfono sea la automática, y escribe el que muestra ahora.',
      )
    await endOthers()
    return done('Listo: desde ahora entras con tu contraseña y un código de tu aplicación.', outcome.respaldos)
  }
  if (hacer === 'segundo-respaldos')
    return done('Éstos son tus códigos nuevos.', await renewRecoveryCodes(services, userId, autor))
  // The password was just checked, so the browser can make a passkey now.
  if (hacer === 'llave-pedir') return done('Listo, eres tú. Ahora pulsa «Agregar llave de acceso».')
  if (hacer === 'llave-agregar') {
    const outcome = await addLlave()
    if (!outcome)
      return refuse('Esa llave no se pudo guardar: quizá tardó demasiado, o ya la tenías. Inténtalo de nuevo.')
    await endOthers()
    return done('Listo: con esta llave entras sin escribir tu contraseña.', outcome.respaldos)
  }
  if (hacer === 'llave-quitar')
    return (await removePasskey(services.db, userId, llave, autor))
      ? done('Quitaste esa llave de acceso.')
      : refuse('Esa llave ya no estaba.')
  if (hacer === 'segundo-quitar')
    return (await removeAuthenticator(services.db, userId, autor))
      ? done('Quitaste la aplicación de códigos.')
      : refuse('No tienes una aplicación de códigos.')
  return undefined
}
