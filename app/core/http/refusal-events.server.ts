import { channel } from 'node:diagnostics_channel'

/** A refusal without personal data, for the metrics. */
export interface CountedRefusal {
  area: 'voto' | 'registro' | 'edicion'
  reason: string
}

const refusalChannel = channel('certamen:rechazo')

/** Publishes a refusal to the subscribers that count refusals (node:diagnostics_channel). */
export function noteRefusal(refusal: CountedRefusal): void {
  if (refusalChannel.hasSubscribers) refusalChannel.publish(refusal)
}

/** Subscribes to refusals. @returns a function that ends the subscription */
export function onRefusal(count: (refusal: CountedRefusal) => void): () => void {
  const listener = (message: unknown) => count(message as CountedRefusal)
  refusalChannel.subscribe(listener)
  return () => void refusalChannel.unsubscribe(listener)
}
