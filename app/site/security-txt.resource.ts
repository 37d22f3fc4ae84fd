import { originOf, servicesOf } from '#app/core/http/services.server.ts'
import type { Route } from './+types/security-txt.resource'

/** Whoever finds it older than that asks for it again. */
const VALID_DAYS = 180
const DAY_MS = 24 * 60 * 60_000

/**
 * Where to tell of a hole in the site. The sender's address stands in it only where a mail server carries the site's mail:
 * without one, nobody may have the mailbox. Readers compare the date with clocks of their own, so it is the machine's.
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
