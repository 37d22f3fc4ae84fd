import { data } from 'react-router'
import type { SignInRefusal } from '#app/accounts/schema.ts'
import type { WorkChallenge } from '#app/core/http/proof-of-work.ts'
import type { RefusedSignIn } from './password-form.tsx'

/**
 * Stands beside the organisers' forms, whatever the cause, so that nobody learns which accounts there are.
 * @source §8
 */
export const ORGANISER_SIGN_IN_REFUSAL = 'Credenciales incorrectas o usuario no existe.'

interface Refusal {
  reason: SignInRefusal
  retrySeconds?: number
  reto?: WorkChallenge
}

/** RFC 5321 §4.5.3.1.3 leaves no address longer than this. */
const MAX_ECHO = 320

/** What the form says of a sign-in that was not accepted. @param signInResult undefined: no answer came */
export function refusalOf(form: FormData, message: string, signInResult?: Refusal): RefusedSignIn {
  const email = form.get('correo')
  return {
    mensaje: message,
    correo: typeof email === 'string' ? email.slice(0, MAX_ECHO) : '',
    ...(signInResult?.reason === 'espera' &&
      signInResult.retrySeconds !== undefined && { espera: signInResult.retrySeconds }),
    ...(signInResult?.reason === 'saturado' && { saturado: { reto: signInResult.reto } }),
  }
}

/**
 * Sends the organisers' door from the browser. When no answer comes, the words of a refusal say so beside the form, and
 * what was typed stays. Any other form of the screen fails as it does anywhere.
 * @throws what the action throws
 */
export async function signInOrRefusal<Answer>(request: Request, serverAction: () => Promise<Answer>) {
  const sent = request.clone()
  try {
    return await serverAction()
  } catch (error) {
    if (error instanceof Response) throw error
    const form = await sent.formData()
    const intent = form.get('hacer')
    if (['segundo', 'respaldo', 'segundo-llave', 'llave'].includes(String(intent)))
      return data(refusalOf(form, 'No llegó la respuesta. Revisa tu conexión e inténtalo de nuevo.'), 503)
    if (intent !== 'entrar') throw error
    // After an answer of 5xx the router reloads nothing: a line that broke would break again.
    return data(refusalOf(form, ORGANISER_SIGN_IN_REFUSAL), 503)
  }
}
