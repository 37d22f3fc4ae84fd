import type { KeyObject } from 'node:crypto'
import type pg from 'pg'
import { createContext, type RouterContextProvider } from 'react-router'
import type { Database } from '#app/core/db/database.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import type { Log } from '#app/core/process/log.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import type { Clock } from '#app/core/time/clock.server.ts'

/** What a running site has at hand; loaders and actions get it from their context. */
export interface Services {
  settings: Settings
  clock: Clock
  db: Database
  storage: ObjectStorage
  log: Log
  /** How threads reach the same database, for work over many rows; undefined: it is done here. */
  hilos?: {
    conexion: string | pg.PoolConfig
    /** So many rows are worth their start. */
    desde: number
  }
  /** A key of its own for each purpose, out of the site's secret (SESSION_SECRET). */
  keyed(purpose: string): KeyObject
}

/** Unset while public screens are rendered ahead: their loaders read content only. */
export const servicesContext = createContext<Services | null>(null)

/** The request's own facts, set by the server for every dynamic answer. */
export interface RequestFacts {
  id: string
  /** The client's network address; IPv6 cut to its /64. Never logged. `networksOf` says what is around it. */
  client: string
  /** It says that a proxy handed it on, and none is trusted: `client` may be the proxy's. */
  isForwarded?: boolean
  /** Allows this answer's inline pieces; empty for an answer that many share. */
  nonce: string
}

export const requestContext = createContext<RequestFacts | null>(null)

/** What a dynamic screen's loader or action works with. */
export function servicesOf(context: Readonly<RouterContextProvider>): { services: Services; facts: RequestFacts } {
  const services = context.get(servicesContext)
  const facts = context.get(requestContext)
  if (!services || !facts) throw new Error('This screen is dynamic; it cannot be rendered ahead')
  return { services, facts }
}

/**
 * Stands for the site's origin in the screens that are rendered ahead; server/pages.ts puts the real one in its place
 * at the start.
 */
export const ORIGIN_TO_COME = 'https://sitio.invalid'

/** The site's origin as visitors reach it, without a final slash, for whatever has to name a whole address. */
export const originOf = (context: Readonly<RouterContextProvider>): string =>
  context.get(servicesContext)?.settings.publicUrl ?? ORIGIN_TO_COME

/**
 * Addresses of the screens that search engines may show; set for every answer by server/render.ts, which knows the
 * routes.
 */
export const screensContext = createContext<() => Promise<string[]>>()
