import type { VisitSource } from './schema.ts'

/** Hosts of referers. Names such as com.whatsapp are Android apps, whose referers begin with android-app://. */
const SOURCE_DOMAINS: readonly [domain: string, source: VisitSource][] = [
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
 * Returns the source of a visit.
 * @param referer the Referer header; undefined without one, as after a tap in WhatsApp
 * @param search query of the opened URL, to which Facebook and Instagram add parameters; counts without a usable referer
 * @param host the site's own host
 */
export function sourceOf(referer: string | undefined, search: string, host: string): VisitSource {
  if (referer) {
    const refererHost = URL.parse(referer)?.hostname ?? ''
    if (refererHost === host) return 'sitio'
    const knownSource = SOURCE_DOMAINS.find(([domain]) => refererHost === domain || refererHost.endsWith(`.${domain}`))
    if (knownSource) return knownSource[1]
    if (/(^|\.)google\.[a-z.]+$/.test(refererHost)) return 'buscador'
    if (refererHost !== '') return 'otro-sitio'
  }
  if (search.includes('igsh')) return 'instagram'
  return search.includes('fbclid=') ? 'facebook' : 'directo'
}

/** Matches the user agents of crawlers, link previews and monitors. */
const ROBOT_AGENT =
  /bot\b|crawl|spider|slurp|preview|facebookexternalhit|whatsapp\/|telegram|monitor|uptime|lighthouse/i

export const isRobot = (agent: string | undefined): boolean => agent !== undefined && ROBOT_AGENT.test(agent)
