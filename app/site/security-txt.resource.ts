import { originOf, servicesOf } from '#app/core/http/services.server.ts'
import { DAY_MS } from '#app/core/time/durations.ts'
import type { Route } from './+types/security-txt.resource'

/** Days until `Expires`, which should be less than a year ahead (RFC 9116 §2.5.5). */
const VALID_DAYS = 180

/**
 * Serves the contact for reports of security problems. The mail sender's address is listed only if the site has a mail server,
 * since otherwise the mailbox may not exist. `Expires` follows the machine's clock instead of the site's, since readers compare
 * it with their own clocks.
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
