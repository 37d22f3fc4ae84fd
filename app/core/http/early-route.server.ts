import type { RouterContextProvider } from 'react-router'

/** A route that is answered before the router sees the request; app/early-routes.server.ts lists all early routes. */
export interface EarlyRoute {
  /** Paths in the syntax of Hono's router: `*` for the rest of a path, `:name` for one part. */
  paths: readonly string[]
  /** Requests of other methods go on to the router, which has no route for these paths. */
  methods: readonly ('GET' | 'POST' | 'ANY')[]
  /** Whether the route takes files. It limits their bytes itself; server/main.ts ends a body that stalls. */
  takesFiles?: true
  /**
   * Answers a request.
   * @returns undefined if the route has nothing at the path; the request then goes on to the next step of server/app.ts
   */
  answer(request: Request, context: Readonly<RouterContextProvider>): Promise<Response | undefined>
}
