import type { RouterContextProvider } from 'react-router'

/** An address that is answered before the router looks at it; app/early-routes.server.ts lists them all. */
export interface EarlyRoute {
  /** In the syntax of Hono's router: `*` for a rest, `:name` for a part. */
  paths: readonly string[]
  /** Requests of other methods go on to the router, which knows none of these addresses. */
  methods: readonly ('GET' | 'POST' | 'ANY')[]
  /** It takes files, and limits their bytes and their time itself. */
  takesFiles?: true
  /**
   * @returns undefined where there is nothing at this very address: the request then goes on to the next step of
   * server/app.ts
   */
  answer(request: Request, context: Readonly<RouterContextProvider>): Promise<Response | undefined>
}
