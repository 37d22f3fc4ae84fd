import type { EarlyRoute } from '#app/core/http/early-route.server.ts'
import { tallyOf } from './guards.server.ts'

/**
 * The links of the published chain that are closed so far, for whoever keeps them as a witness. A whole town may ask at
 * once, so it is answered without the router.
 */
export const seals: EarlyRoute = {
  paths: ['/misspopularidad/sellos.json'],
  methods: ['GET'],
  answer: (request, context) => tallyOf(context).sellos.answer(request),
}
