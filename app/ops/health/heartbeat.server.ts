const TIMEOUT_MS = 10_000

/**
 * Pings the monitoring service, which raises an alarm if the pings stop.
 * @throws if the service does not answer, or refuses the ping
 */
export async function ping(url: string): Promise<void> {
  const response = await fetch(url, { method: 'GET', signal: AbortSignal.timeout(TIMEOUT_MS) })
  await response.body?.cancel()
  if (!response.ok) throw Object.assign(new Error(`AVISO_URL answered ${response.status}`), { code: response.status })
}
