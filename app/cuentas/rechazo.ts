import { data } from 'react-router'
import type { Rechazado } from './acceso.tsx'

/** Beside the organisers' forms, whatever the cause, so that nobody learns which accounts there are. @source §8 */
export const RECHAZO_DE_ORGANIZACION = 'Credenciales incorrectas o usuario no existe.'

/** RFC 5321 §4.5.3.1.3 leaves no address longer than this. */
const MAX_ECHO = 320

/** What the form says of a sign-in that was not accepted. @param espera seconds until the next attempt is looked at */
export function rechazoDe(form: FormData, mensaje: string, espera?: number): Rechazado {
  const correo = form.get('correo')
  return {
    mensaje,
    correo: typeof correo === 'string' ? correo.slice(0, MAX_ECHO) : '',
    ...(espera !== undefined && { espera }),
  }
}

/**
 * The organisers' door as the browser sends it: that no answer came is told beside the form, in the words of a refusal,
 * and what was typed stays. What else the screen sends fails as it does anywhere.
 * @throws what the action throws
 */
export async function entrarOrRechazo<Answer>(request: Request, serverAction: () => Promise<Answer>) {
  const sent = request.clone()
  try {
    return await serverAction()
  } catch (error) {
    if (error instanceof Response) throw error
    const form = await sent.formData()
    if (form.get('hacer') !== 'entrar') throw error
    // As a fault, after which nothing is asked for anew: a line that broke would break again.
    return data(rechazoDe(form, RECHAZO_DE_ORGANIZACION), 503)
  }
}
