import { randomUUID } from 'node:crypto'
import { data } from 'react-router'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { CANDIDATE_FORM } from '#app/entries/definitions/candidate-form.ts'
import { receiveRegistration } from '#app/entries/submission/receive.early.server.ts'
import { findSubmissionObstacle } from '#app/entries/submission/refusal.server.ts'
import { answerInit } from '#app/entries/submission/schema.ts'
import { registrationsOf } from '#app/entries/submission/uploads.early.server.ts'
import type { Route } from './+types/candidate.page'
import { RegistrationScreen } from './registration-screen.tsx'

/** No screens are prefetched here: their files would compete with uploads, and the router reloads the page if a module fails to load. */
export const handle = { prefetch: false, takesFiles: true }

/** Returns a fresh submission id (a secret that owns a submission's uploads), the page's texts, and why no registration can be sent. */
export async function loader({ context }: Route.LoaderArgs) {
  const { registro, tarjetas } = await loadEdition()
  const obstacleMessage = await findSubmissionObstacle(servicesOf(context).services, CANDIDATE_FORM)
  return { submissionId: randomUUID() as string, texts: registro, obstacleMessage, shareCard: tarjetas.registro }
}

/** Receives a form that is posted without the page's script, which posts to registro/envio. */
export async function action({ request, context }: Route.ActionArgs) {
  const result = await receiveRegistration('candidata', request, registrationsOf(context), servicesOf(context).facts)
  return data(result, answerInit(result))
}

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders

export const meta: Route.MetaFunction = (args) =>
  pageMeta(
    {
      screen: 'Registro de Candidatas',
      description: args.loaderData?.texts.entrada,
      shareCard: args.loaderData?.shareCard,
    },
    args,
  )

export default function CandidateRegistrationPage({
  loaderData: { submissionId, texts, obstacleMessage },
  actionData,
}: Route.ComponentProps) {
  return (
    <RegistrationScreen
      descriptor={CANDIDATE_FORM}
      title="Registro de Candidatas"
      texts={texts}
      submissionId={submissionId}
      result={actionData}
      obstacleMessage={obstacleMessage}
    />
  )
}
