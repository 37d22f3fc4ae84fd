import { data } from 'react-router'
import { removePasskey } from '#app/accounts/second-factor/passkeys.server.ts'
import {
  activateAuthenticator,
  beginAuthenticator,
  removeAuthenticator,
  renewRecoveryCodes,
} from '#app/accounts/second-factor/totp.server.ts'
import type { Actor } from '#app/audit/mutations.server.ts'
import type { Services } from '#app/core/http/services.server.ts'

interface SecondFactorRequest {
  intent: string
  code: string
  passkeyId: string
  userId: string
  actor: Actor
  /** Stores the passkey that the browser has just created; undefined if the passkey is refused. */
  addPasskey(): Promise<{ recoveryCodes: string[] } | undefined>
  /** Ends the account's other sessions, since they may have begun without the second factor. */
  endOtherSessions(): Promise<void>
}

/**
 * Performs the second-factor actions of «Mi cuenta»; the caller must have reauthenticated the organiser. New
 * recovery codes are shown once, from this result, since the database has only their hashes.
 * @returns undefined for another intent
 */
export async function secondFactorAction(
  services: Services,
  { intent, code, passkeyId, userId, actor, addPasskey, endOtherSessions }: SecondFactorRequest,
) {
  const success = (message: string, recoveryCodes: readonly string[] = []) => ({
    ok: true as const,
    message,
    recoveryCodes,
  })
  const refuse = (message: string) => data({ ok: false as const, message }, { status: 422 })
  if (intent === 'segundo-empezar')
    return (await beginAuthenticator(services, userId))
      ? success('Escanea el cuadro con tu aplicación y escribe el código que muestre.')
      : refuse('Ya tienes una aplicación de códigos. Para cambiar de teléfono, quítala primero.')
  if (intent === 'segundo-activar') {
    const activation = await activateAuthenticator(services, userId, code, actor)
    if (!activation.ok)
      return refuse(
        'Ese código no es. Revisa que la hora de tu teléfono sea la automática, y escribe el que muestra ahora.',
      )
    await endOtherSessions()
    return success(
      'Listo: desde ahora entras con tu contraseña y un código de tu aplicación.',
      activation.recoveryCodes,
    )
  }
  if (intent === 'segundo-respaldos')
    return success('Éstos son tus códigos nuevos.', await renewRecoveryCodes(services, userId, actor))
  // `llave-pedir` asks only for the reauthentication, which the caller has done; the next press creates the passkey.
  if (intent === 'llave-pedir') return success('Listo, eres tú. Ahora pulsa «Agregar llave de acceso».')
  if (intent === 'llave-agregar') {
    const addition = await addPasskey()
    if (!addition)
      return refuse('Esa llave no se pudo guardar: quizá tardó demasiado, o ya la tenías. Inténtalo de nuevo.')
    await endOtherSessions()
    return success('Listo: con esta llave entras sin escribir tu contraseña.', addition.recoveryCodes)
  }
  if (intent === 'llave-quitar')
    return (await removePasskey(services.db, userId, passkeyId, actor))
      ? success('Quitaste esa llave de acceso.')
      : refuse('Esa llave ya no estaba.')
  if (intent === 'segundo-quitar')
    return (await removeAuthenticator(services.db, userId, actor))
      ? success('Quitaste la aplicación de códigos.')
      : refuse('No tienes una aplicación de códigos.')
  return undefined
}
