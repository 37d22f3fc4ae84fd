import { data } from 'react-router'
import type { SignInRefusal } from '#app/accounts/schema.ts'
import type { WorkChallenge } from '#app/core/http/proof-of-work.ts'
import type { RefusedSignIn } from './password-form.tsx'

/** Message of the organisers' password form for every refusal, so that no refusal reveals which accounts exist (§8). */
export const ORGANISER_REFUSAL_MESSAGE = 'Credenciales incorrectas o usuario no existe.'

interface Refusal {
  reason: SignInRefusal
  retrySeconds?: number
  reto?: WorkChallenge
}

/** Longest address that is shown again: 64 characters, @ and 255 characters (RFC 5321 §4.5.3.1). */
const MAX_ECHOED_CHARACTERS = 320

/** Returns the form's state after a refused sign-in. @param signInResult the refusal; undefined if the sign-in failed by a fault */
export function refusalOf(form: FormData, message: string, signInResult?: Refusal): RefusedSignIn {
  const email = form.get('correo')
  return {
    message,
    email: typeof email === 'string' ? email.slice(0, MAX_ECHOED_CHARACTERS) : '',
    ...(signInResult?.reason === 'espera' &&
      signInResult.retrySeconds !== undefined && { retrySeconds: signInResult.retrySeconds }),
    ...(signInResult?.reason === 'saturado' && { overload: { challenge: signInResult.reto } }),
  }
}

/**
 * Returns the message for a form of the login wall that got no answer. The password form's must not differ from its refusals (§8).
 * @param intent of the pressed button
 */
export const unansweredMessageOf = (intent: FormDataEntryValue | null): string =>
  intent === 'entrar' ? ORGANISER_REFUSAL_MESSAGE : 'No llegó la respuesta. Revisa tu conexión e inténtalo de nuevo.'

const SIGN_IN_INTENTS = ['entrar', 'llave', 'segundo', 'respaldo', 'segundo-llave']

/**
 * Submits the organisers' login wall from the browser. Without an answer, a refusal is shown beside the form, and the typed text
 * stays.
 * @throws the action's responses, and the errors of every other form of the screen
 */
export async function signInOrRefusal<Answer>(request: Request, serverAction: () => Promise<Answer>) {
  const requestCopy = request.clone()
  try {
    return await serverAction()
  } catch (error) {
    if (error instanceof Response) throw error
    const form = await requestCopy.formData()
    const intent = form.get('hacer')
    if (!SIGN_IN_INTENTS.includes(String(intent))) throw error
    // After a 5xx status the router does not revalidate, which would fail without a connection.
    return data(refusalOf(form, unansweredMessageOf(intent)), 503)
  }
}
