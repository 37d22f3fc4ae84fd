import type { KeyObject } from 'node:crypto'
import { createContext, type RouterContextProvider } from 'react-router'
import type { Database } from '#app/core/db/database.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import type { Log } from '#app/core/process/log.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import type { Clock } from '#app/core/time/clock.server.ts'

/** Services of a running site, which loaders and actions get from their context. */
export interface Services {
  settings: Settings
  clock: Clock
  db: Database
  storage: ObjectStorage
  log: Log
  /** Derives a separate key for each purpose from the site's secret (SESSION_SECRET). */
  keyed(purpose: string): KeyObject
}

/** Holds the services; null while public screens are prerendered, whose loaders read content only. */
export const servicesContext = createContext<Services | null>(null)

/** Facts about a request, which the server sets for every dynamic response. */
export interface RequestFacts {
  id: string
  /** Network of the client: an IPv4 address, or the /64 of an IPv6 address; empty if it is unknown. Never logged. */
  client: string
  /** Whether the request has a header of a proxy although no proxy is trusted. `client` may then be the proxy's address. */
  isForwarded?: boolean
  /** CSP nonce of the response's inline scripts and styles. Empty for a response that visitors share. */
  nonce: string
}

export const requestContext = createContext<RequestFacts | null>(null)

/** Returns services and facts for the loader or action of a dynamic screen. @throws while a screen is prerendered */
export function servicesOf(context: Readonly<RouterContextProvider>): { services: Services; facts: RequestFacts } {
  const services = context.get(servicesContext)
  const facts = context.get(requestContext)
  if (!services || !facts) throw new Error('This screen is dynamic; it cannot be prerendered')
  return { services, facts }
}

/** Placeholder for the site's origin in prerendered screens; server/pages.ts replaces it when it loads them into memory. */
export const ORIGIN_PLACEHOLDER = 'https://sitio.invalid'

/** Returns the site's public origin, without a trailing slash, or its placeholder in prerendered screens. */
export const originOf = (context: Readonly<RouterContextProvider>): string =>
  context.get(servicesContext)?.settings.publicUrl ?? ORIGIN_PLACEHOLDER

/** Lists the paths of the screens that search engines may show; server/render.ts, which knows the routes, sets it. */
export const screensContext = createContext<() => Promise<string[]>>()
