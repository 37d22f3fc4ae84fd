import { accountsOf } from '#app/accounts/guards.server.ts'
import type { EarlyRoute } from '#app/core/http/early-route.server.ts'
import { CROSS_ORIGIN_FORM_MESSAGE, isSameOriginForm, textResponse } from '#app/core/http/same-origin.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { votingOf } from './guards.server.ts'
import { answerVote } from './vote-request.server.ts'

/** Answers votes before the router runs, since a whole town may vote at once. Refuses forms of other sites with 403. */
export const vote: EarlyRoute = {
  paths: ['/misspopularidad/voto'],
  methods: ['POST'],
  async answer(request, context) {
    const { services, facts } = servicesOf(context)
    if (!isSameOriginForm(request, services.settings.publicUrl)) return textResponse(CROSS_ORIGIN_FORM_MESSAGE, 403)
    const { getSession } = accountsOf(context)
    return answerVote(request, { voting: votingOf(context), getSession, client: facts.client })
  },
}
