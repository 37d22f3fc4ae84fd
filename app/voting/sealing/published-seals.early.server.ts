import type { EarlyRoute } from '#app/core/http/early-route.server.ts'
import { tallyOf } from './guards.server.ts'

/**
 * The blocks closed so far, for visitors who save them as a witness. Answered before the router, since a whole town may ask
 * at once.
 */
export const seals: EarlyRoute = {
  paths: ['/misspopularidad/sellos.json'],
  methods: ['GET'],
  answer: (request, context) => tallyOf(context).publishedSeals.answer(request),
}
