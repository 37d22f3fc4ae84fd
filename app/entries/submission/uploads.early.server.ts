import type { EarlyRoute } from '#app/core/http/early-route.server.ts'
import { sentence } from '#app/core/http/same-origin.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { registrationsOf } from './guards.server.ts'

/** Files on their way in. */
export const uploads: EarlyRoute = {
  paths: ['/subidas', '/subidas/*'],
  methods: ['ANY'],
  takesFiles: true,
  // An upload's address has no query, however long.
  answer: async (request, context) =>
    new URL(request.url).search === ''
      ? registrationsOf(context).handle(request, servicesOf(context).facts)
      : sentence('Esta dirección no se usa así.', 400),
}
