import { channel } from 'node:diagnostics_channel'

/** What was refused, and why; of nobody in particular. */
export interface CountedRefusal {
  de: 'voto' | 'registro'
  motivo: string
}

const canal = channel('certamen:rechazo')

/** Tells whoever counts refusals of one; costs nothing where nobody does. */
export function noteRefusal(refusal: CountedRefusal): void {
  if (canal.hasSubscribers) canal.publish(refusal)
}

/** @returns ends it */
export function onRefusal(count: (refusal: CountedRefusal) => void): () => void {
  const hear = (message: unknown) => count(message as CountedRefusal)
  canal.subscribe(hear)
  return () => void canal.unsubscribe(hear)
}
