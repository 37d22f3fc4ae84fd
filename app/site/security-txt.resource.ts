import { originOf, servicesOf } from '#app/core/http/services.server.ts'
import { DAY_MS } from '#app/core/time/durations.ts'
import type { Route } from './+types/security-txt.resource'

/** The file expires after this many days; a reader then fetches it again. */
const VALID_DAYS = 180

/**
 * Names the contact for reports of security problems. The sender's address is listed only with a mail server: without one, the
 * mailbox may not exist. Readers compare `Expires` with their own clocks, so it follows the machine's clock.
 * @source RFC 9116
 */
export function loader({ context }: Route.LoaderArgs) {
  const { settings } = servicesOf(context).services
  const origin = originOf(context)
  const lines = [
    ...(settings.smtpUrl === undefined ? [] : [`Contact: mailto:${encodeURI(settings.mailFrom)}`]),
    `Contact: ${origin}/aviso-de-privacidad`,
    `Expires: ${new Date(Date.now() + VALID_DAYS * DAY_MS).toISOString()}`,
    'Preferred-Languages: es, en',
    `Canonical: ${origin}/.well-known/security.txt`,
    '',
  ]
  return new Response(lines.join('\n'), {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=3600' },
  })
}
