import type { Settings } from '#app/core/process/env.server.ts'

const TIMEOUT_MS = 2_000
const LOCAL_HOST = /^(localhost|127\..*|\[::1\])$/

/** Returns HTTP addresses of other machines in the settings: by the date in their answers this machine's clock is compared. */
export const outsideAddresses = ({ heartbeatUrl, backupUrl, storageUrl }: Partial<Settings>): URL[] =>
  // A request to the whole AVISO_URL would count as a sign of life, so only the service's own home is asked.
  [heartbeatUrl && new URL('/', heartbeatUrl).href, ...[backupUrl, storageUrl].map(endpointOf)]
    .flatMap((address) => URL.parse(address ?? '') ?? [])
    .filter(({ hostname }) => !LOCAL_HOST.test(hostname))

const endpointOf = (place: string | undefined) => URL.parse(place ?? '')?.searchParams.get('endpoint') ?? undefined

/**
 * Compares this machine's clock with the date that another machine writes into its answer, which has whole seconds.
 * @returns the first machine that answers, and by how many milliseconds this machine is ahead of it
 */
export async function readClockOffset(
  addresses: readonly URL[],
): Promise<{ host: string; aheadMs: number } | undefined> {
  for (const address of addresses) {
    const sentAt = Date.now()
    const answer = await fetch(address, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(() => undefined)
    const said = Date.parse(answer?.headers.get('date') ?? '')
    if (!Number.isNaN(said)) return { host: address.hostname, aheadMs: (sentAt + Date.now()) / 2 - said }
  }
  return undefined
}
