import type { RouterContextProvider } from 'react-router'

/** An address that is answered before the router looks at it; app/direcciones.server.ts lists them all. */
export interface Direccion {
  /** As Hono's router takes them: `*` for a rest, `:name` for a part. */
  paths: readonly string[]
  /** Those of other methods are the router's, which knows none of these addresses. */
  methods: readonly ('GET' | 'POST' | 'ANY')[]
  /** It takes files, and limits their bytes and their time itself. */
  takesFiles?: true
  /** @returns undefined where there is nothing at this very address: it is asked for further on */
  answer(request: Request, context: Readonly<RouterContextProvider>): Promise<Response | undefined>
}
