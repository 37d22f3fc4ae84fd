import { channel } from 'node:diagnostics_channel'

/** A refusal and its reason, without personal data. */
export interface CountedRefusal {
  de: 'voto' | 'registro' | 'edicion'
  motivo: string
}

const refusalChannel = channel('certamen:rechazo')

/** Publishes a refusal to its counters (node:diagnostics_channel); costs nothing without subscribers. */
export function noteRefusal(refusal: CountedRefusal): void {
  if (refusalChannel.hasSubscribers) refusalChannel.publish(refusal)
}

/** @returns a function that ends the subscription */
export function onRefusal(count: (refusal: CountedRefusal) => void): () => void {
  const hear = (message: unknown) => count(message as CountedRefusal)
  refusalChannel.subscribe(hear)
  return () => void refusalChannel.unsubscribe(hear)
}
