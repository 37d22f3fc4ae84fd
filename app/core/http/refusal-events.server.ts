import { channel } from 'node:diagnostics_channel'

/** What was refused, and why; of nobody in particular. */
export interface RechazoContado {
  de: 'voto' | 'registro'
  motivo: string
}

const canal = channel('certamen:rechazo')

/** Tells whoever counts refusals of one; costs nothing where nobody does. */
export function noteRechazo(rechazo: RechazoContado): void {
  if (canal.hasSubscribers) canal.publish(rechazo)
}

/** @returns ends it */
export function onRechazo(count: (rechazo: RechazoContado) => void): () => void {
  const hear = (message: unknown) => count(message as RechazoContado)
  canal.subscribe(hear)
  return () => void canal.unsubscribe(hear)
}
