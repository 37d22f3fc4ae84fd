import type { Settings } from '#app/core/process/env.server.ts'

const TIMEOUT_MS = 2_000
const LOCAL_HOST = /^(localhost|127\..*|\[::1\])$/

/** Returns URLs of other machines in the settings, whose answers have a date to compare this machine's clock with. */
export const outsideAddresses = ({ heartbeatUrl, backupUrl, storageUrl }: Partial<Settings>): URL[] =>
  // Only the home of the monitoring service, since a request to the whole AVISO_URL would count as a ping.
  [heartbeatUrl && new URL('/', heartbeatUrl).href, ...[backupUrl, storageUrl].map(endpointOf)]
    .flatMap((address) => URL.parse(address ?? '') ?? [])
    .filter(({ hostname }) => !LOCAL_HOST.test(hostname))

const endpointOf = (place: string | undefined) => URL.parse(place ?? '')?.searchParams.get('endpoint') ?? undefined

/**
 * Compares this machine's clock with the date in another machine's answer, which has whole seconds.
 * @returns the first machine that answers, and how far this machine's clock is ahead of it
 */
export async function readClockOffset(
  addresses: readonly URL[],
): Promise<{ host: string; aheadMs: number } | undefined> {
  for (const address of addresses) {
    const sentAtMs = Date.now()
    const answer = await fetch(address, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(() => undefined)
    const remoteMs = Date.parse(answer?.headers.get('date') ?? '')
    if (!Number.isNaN(remoteMs)) return { host: address.hostname, aheadMs: (sentAtMs + Date.now()) / 2 - remoteMs }
  }
  return undefined
}
