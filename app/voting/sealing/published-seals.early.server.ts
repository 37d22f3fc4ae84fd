import type { EarlyRoute } from '#app/core/http/early-route.server.ts'
import { tallyOf } from './guards.server.ts'

/**
 * Answers with the blocks closed so far, for visitors who save them as a witness. A whole town may ask at once, so the answer does
 * not take the time of the router.
 */
export const seals: EarlyRoute = {
  paths: ['/misspopularidad/sellos.json'],
  methods: ['GET'],
  answer: (request, context) => tallyOf(context).publishedSeals.answer(request),
}
