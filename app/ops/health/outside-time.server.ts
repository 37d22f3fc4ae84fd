import type { Settings } from '#app/core/process/env.server.ts'

/** Limit of each request. Up to three machines are asked in turn, within the limit of a check (TIMEOUT_MS of check.server.ts). */
const TIMEOUT_MS = 2_000
const LOCAL_HOST = /^(localhost|127\..*|\[::1\])$/

/** Returns the URLs of other machines in the settings. The dates of their answers are compared with this machine's clock. */
export const outsideUrls = ({ heartbeatUrl, backupUrl, storageUrl }: Partial<Settings>): URL[] =>
  // The monitoring service is asked for its home page, since a request to AVISO_URL itself would count as a ping.
  [heartbeatUrl && new URL('/', heartbeatUrl).href, ...[backupUrl, storageUrl].map(endpointOf)]
    .flatMap((url) => URL.parse(url ?? '') ?? [])
    .filter(({ hostname }) => !LOCAL_HOST.test(hostname))

const endpointOf = (destination: string | undefined) =>
  URL.parse(destination ?? '')?.searchParams.get('endpoint') ?? undefined

/**
 * Compares this machine's clock with the date in another machine's answer, which is in whole seconds.
 * @returns host of the first machine that answers, and how far this machine's clock is ahead of its clock; undefined if no
 * machine answers with a date
 */
export async function readClockOffset(urls: readonly URL[]): Promise<{ host: string; aheadMs: number } | undefined> {
  for (const url of urls) {
    const sentAtMs = Date.now()
    const response = await fetch(url, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(() => undefined)
    const remoteMs = Date.parse(response?.headers.get('date') ?? '')
    if (!Number.isNaN(remoteMs)) return { host: url.hostname, aheadMs: (sentAtMs + Date.now()) / 2 - remoteMs }
  }
  return undefined
}
