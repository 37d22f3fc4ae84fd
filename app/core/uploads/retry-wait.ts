/** Reason why the sending of files or of a form waits. */
export type WaitReason = 'offline' | 'retrying' | 'busy' | 'limit' | 'fault' | 'blocked' | 'whole'

export const WAIT_MESSAGES: Readonly<Record<WaitReason, string>> = {
  offline: 'Sin conexión: seguimos en cuanto vuelva la señal.',
  retrying: 'La conexión va y viene; lo seguimos intentando.',
  busy: 'El sitio está recibiendo muchos archivos; seguimos en un momento.',
  limit:
    'Desde tu conexión llegaron demasiados archivos; seguimos por nuestra cuenta en unos minutos, o en cuanto cambies a otra.',
  fault: 'Algo falló de nuestro lado; lo intentamos otra vez.',
  blocked:
    'Tu red no deja llegar el envío a nuestro sitio. Si pide entrar o aceptar algo, hazlo; si no, cambia a otra, por ejemplo a los datos de tu teléfono. Lo seguimos intentando.',
  whole: 'Tu red no deja enviar por partes: va todo de una vez. Puede tardar; deja abierta esta página.',
}

/** Waits before the tries for every reason but faults; further tries use the last wait. */
const WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000]
/** Waits after faults. Together they are shorter than FAULT_DEADLINE_MS (retry-policy.ts). */
const FAULT_WAITS_MS = [3_000, 9_000]

/**
 * Returns the milliseconds until the next try.
 * @param attempt number of the try that has just failed, from 0
 * @param random from 0 to 1; spreads the tries of devices whose connections came back at the same moment (jitter)
 */
export function retryWaitMs(
  attempt: number,
  reason: WaitReason,
  retryAfterSeconds: number | undefined,
  random = Math.random(),
): number {
  const waitsMs = reason === 'fault' ? FAULT_WAITS_MS : WAITS_MS
  const waitMs = waitsMs[Math.min(attempt, waitsMs.length - 1)]!
  return Math.max(1_000 * (retryAfterSeconds ?? 0), waitMs * (0.75 + random / 2))
}
