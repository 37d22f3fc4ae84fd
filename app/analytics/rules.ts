import type { Source } from './schema.ts'

const SOURCE_DOMAINS: readonly [domain: string, fuente: Source][] = [
  ['facebook.com', 'facebook'],
  ['fb.com', 'facebook'],
  ['fb.me', 'facebook'],
  ['messenger.com', 'facebook'],
  ['com.facebook.katana', 'facebook'],
  ['com.facebook.orca', 'facebook'],
  ['instagram.com', 'instagram'],
  ['com.instagram.android', 'instagram'],
  ['whatsapp.com', 'whatsapp'],
  ['wa.me', 'whatsapp'],
  ['com.whatsapp', 'whatsapp'],
  ['tiktok.com', 'otra-red'],
  ['t.co', 'otra-red'],
  ['x.com', 'otra-red'],
  ['twitter.com', 'otra-red'],
  ['youtube.com', 'otra-red'],
  ['threads.net', 'otra-red'],
  ['bing.com', 'buscador'],
  ['duckduckgo.com', 'buscador'],
  ['yahoo.com', 'buscador'],
  ['ecosia.org', 'buscador'],
]

/**
 * Finds out where a visitor came from.
 * @param referer the Referer header; undefined without one, as after a tap in WhatsApp
 * @param search query of the opened address, to which Facebook and Instagram add their parameters
 * @param host the site's own host
 */
export function sourceOf(referer: string | undefined, search: string, host: string): Source {
  if (referer) {
    const from = URL.parse(referer)?.hostname ?? ''
    if (from === host) return 'sitio'
    const known = SOURCE_DOMAINS.find(([domain]) => from === domain || from.endsWith(`.${domain}`))
    if (known) return known[1]
    if (/(^|\.)google\.[a-z.]+$/.test(from)) return 'buscador'
    if (from !== '') return 'otro-sitio'
  }
  if (search.includes('igsh')) return 'instagram'
  return search.includes('fbclid=') ? 'facebook' : 'directo'
}

/** The pattern matches the user agents of crawlers, link previews and monitors. */
const ROBOT = /bot\b|crawl|spider|slurp|preview|facebookexternalhit|whatsapp\/|telegram|monitor|uptime|lighthouse/i

export const isRobot = (agent: string | undefined): boolean => agent !== undefined && ROBOT.test(agent)
