import type { KeyObject } from 'node:crypto'
import type pg from 'pg'
import { createContext, type RouterContextProvider } from 'react-router'
import type { Database } from '#app/core/db/database.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import type { Log } from '#app/core/process/log.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import type { Clock } from '#app/core/time/clock.server.ts'

/** Services of a running site; loaders and actions get them from their context. */
export interface Services {
  settings: Settings
  clock: Clock
  db: Database
  storage: ObjectStorage
  log: Log
  /** How worker threads reach the same database, for work over many rows; undefined: no threads are used. */
  threads?: {
    connection: string | pg.PoolConfig
    /** Number of rows from which threads are worth their start. */
    fromRows: number
  }
  /** Derives a separate key for each purpose from the site's secret (SESSION_SECRET). */
  keyed(purpose: string): KeyObject
}

/** Unset while public screens are prerendered: their loaders read content only. */
export const servicesContext = createContext<Services | null>(null)

/** Facts about a request, set by the server for every dynamic answer. */
export interface RequestFacts {
  id: string
  /** The client's network address; IPv6 as its /64. Never logged. `networksOf` adds the network around it. */
  client: string
  /** The request says that a proxy forwarded it, but none is trusted: `client` may be the proxy's address. */
  isForwarded?: boolean
  /** CSP nonce for this answer's inline scripts and styles; empty for an answer that visitors share. */
  nonce: string
}

export const requestContext = createContext<RequestFacts | null>(null)

/** Services and facts of a request, for a dynamic screen's loader or action. */
export function servicesOf(context: Readonly<RouterContextProvider>): { services: Services; facts: RequestFacts } {
  const services = context.get(servicesContext)
  const facts = context.get(requestContext)
  if (!services || !facts) throw new Error('This screen is dynamic; it cannot be rendered ahead')
  return { services, facts }
}

/** Placeholder for the site's origin in prerendered screens; server/pages.ts replaces it at the start. */
export const ORIGIN_TO_COME = 'https://sitio.invalid'

/** The site's public origin, without a trailing slash. */
export const originOf = (context: Readonly<RouterContextProvider>): string =>
  context.get(servicesContext)?.settings.publicUrl ?? ORIGIN_TO_COME

/**
 * Addresses of the screens that search engines may show; server/render.ts, which knows the routes, sets them for every answer.
 */
export const screensContext = createContext<() => Promise<string[]>>()
