import type { KeyObject } from 'node:crypto'
import { createContext, type RouterContextProvider } from 'react-router'
import type { Database } from '#app/core/db/database.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import type { Log } from '#app/core/process/log.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import type { Clock } from '#app/core/time/clock.server.ts'

/** Loaders and actions get these services of a running site from their context. */
export interface Services {
  settings: Settings
  clock: Clock
  db: Database
  storage: ObjectStorage
  log: Log
  /** Derives a separate key for each purpose from the site's secret (SESSION_SECRET). */
  keyed(purpose: string): KeyObject
}

/** The context holds null while public screens are prerendered: their loaders read content only. */
export const servicesContext = createContext<Services | null>(null)

/** The server sets these facts about a request for every dynamic answer. */
export interface RequestFacts {
  id: string
  /**
   * This is the client's network address; an IPv6 address is given as its /64. It is never logged. `networksOf` adds the network
   * around it.
   */
  client: string
  /** The request says that a proxy forwarded it, but none is trusted: `client` may be the proxy's address. */
  isForwarded?: boolean
  /** The CSP nonce for the answer's inline scripts and styles; it is empty for an answer that visitors share. */
  nonce: string
}

export const requestContext = createContext<RequestFacts | null>(null)

/** Returns services and facts of a request, for a dynamic screen's loader or action. @throws while a screen is prerendered */
export function servicesOf(context: Readonly<RouterContextProvider>): { services: Services; facts: RequestFacts } {
  const services = context.get(servicesContext)
  const facts = context.get(requestContext)
  if (!services || !facts) throw new Error('This screen is dynamic; it cannot be prerendered')
  return { services, facts }
}

/** Prerendered screens have this placeholder for the site's origin; server/pages.ts replaces it at the start. */
export const ORIGIN_PLACEHOLDER = 'https://sitio.invalid'

/** Returns the site's public origin, without a trailing slash; in prerendered screens its placeholder. */
export const originOf = (context: Readonly<RouterContextProvider>): string =>
  context.get(servicesContext)?.settings.publicUrl ?? ORIGIN_PLACEHOLDER

/**
 * Search engines may show the screens at these addresses; server/render.ts, which knows the routes, sets them for every answer.
 */
export const screensContext = createContext<() => Promise<string[]>>()
