import type { EarlyRoute } from '#app/core/http/early-route.server.ts'
import { textResponse } from '#app/core/http/same-origin.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { registrationsOf } from './guards.server.ts'

/** Answers the uploads of both forms (tus protocol). @see https://tus.io/protocols/resumable-upload */
export const uploads: EarlyRoute = {
  paths: ['/subidas', '/subidas/*'],
  methods: ['ANY'],
  takesFiles: true,
  // The URL of an upload never has a query.
  answer: async (request, context) =>
    new URL(request.url).search === ''
      ? registrationsOf(context).handle(request, servicesOf(context).facts)
      : textResponse('Esta dirección no se usa así.', 400),
}
