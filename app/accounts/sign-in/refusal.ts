import { data } from 'react-router'
import type { MotivoDeAcceso } from '#app/accounts/schema.ts'
import type { Reto } from '#app/core/http/proof-of-work.ts'
import type { Rechazado } from './password-form.tsx'

/**
 * Stands beside the organisers' forms, whatever the cause, so that nobody learns which accounts there are.
 * @source §8
 */
export const RECHAZO_DE_ORGANIZACION = 'Credenciales incorrectas o usuario no existe.'

interface Refusal {
  reason: MotivoDeAcceso
  retrySeconds?: number
  reto?: Reto
}

/** RFC 5321 §4.5.3.1.3 leaves no address longer than this. */
const MAX_ECHO = 320

/** What the form says of a sign-in that was not accepted. @param acceso undefined: no answer came */
export function rechazoDe(form: FormData, mensaje: string, acceso?: Refusal): Rechazado {
  const correo = form.get('correo')
  return {
    mensaje,
    correo: typeof correo === 'string' ? correo.slice(0, MAX_ECHO) : '',
    ...(acceso?.reason === 'espera' && acceso.retrySeconds !== undefined && { espera: acceso.retrySeconds }),
    ...(acceso?.reason === 'saturado' && { saturado: { reto: acceso.reto } }),
  }
}

/**
 * Sends the organisers' door from the browser. When no answer comes, the words of a refusal say so beside the form, and
 * what was typed stays. Any other form of the screen fails as it does anywhere.
 * @throws what the action throws
 */
export async function entrarOrRechazo<Answer>(request: Request, serverAction: () => Promise<Answer>) {
  const sent = request.clone()
  try {
    return await serverAction()
  } catch (error) {
    if (error instanceof Response) throw error
    const form = await sent.formData()
    const hacer = form.get('hacer')
    if (['segundo', 'respaldo', 'segundo-llave', 'llave'].includes(String(hacer)))
      return data(rechazoDe(form, 'No llegó la respuesta. Revisa tu conexión e inténtalo de nuevo.'), 503)
    if (hacer !== 'entrar') throw error
    // After an answer of 5xx the router reloads nothing: a line that broke would break again.
    return data(rechazoDe(form, RECHAZO_DE_ORGANIZACION), 503)
  }
}
