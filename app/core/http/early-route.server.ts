import type { RouterContextProvider } from 'react-router'

/** An early route is answered before the router sees the request; app/early-routes.server.ts lists them all. */
export interface EarlyRoute {
  /** The paths are in the syntax of Hono's router: `*` for the rest of a path, `:name` for one part. */
  paths: readonly string[]
  /** Requests of other methods go on to the router, which knows none of these addresses. */
  methods: readonly ('GET' | 'POST' | 'ANY')[]
  /** The route takes files, and limits their bytes and their time itself. */
  takesFiles?: true
  /**
   * Answers a request.
   * @returns undefined when there is nothing at the address: the request goes on to the next step of server/app.ts
   */
  answer(request: Request, context: Readonly<RouterContextProvider>): Promise<Response | undefined>
}
