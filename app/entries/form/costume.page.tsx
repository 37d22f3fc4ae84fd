import { randomUUID } from 'node:crypto'
import { data } from 'react-router'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { COSTUME_FORM } from '#app/entries/definitions/costume-form.ts'
import { receiveRegistration } from '#app/entries/submission/receive.early.server.ts'
import { findSubmissionObstacle } from '#app/entries/submission/refusal.server.ts'
import { answerInit } from '#app/entries/submission/schema.ts'
import { registrationsOf } from '#app/entries/submission/uploads.early.server.ts'
import { withoutMailPromise } from '#app/mail/data.server.ts'
import type { Route } from './+types/costume.page'
import { RegistrationScreen } from './registration-screen.tsx'

export const handle = { prefetch: false, takesFiles: true }

export async function loader({ context }: Route.LoaderArgs) {
  const { registroTraje, tarjetas } = await loadEdition()
  const { services } = servicesOf(context)
  const obstacleMessage = await findSubmissionObstacle(services, COSTUME_FORM)
  return {
    submissionId: randomUUID() as string,
    texts: { ...registroTraje, exito: withoutMailPromise(registroTraje.exito, services.settings) },
    obstacleMessage,
    shareCard: tarjetas['registro-traje-tipico'],
  }
}

/** Receives a form that is posted without the page's script, which posts to registro-traje-tipico/envio. */
export async function action({ request, context }: Route.ActionArgs) {
  const result = await receiveRegistration('traje', request, registrationsOf(context), servicesOf(context).facts)
  return data(result, answerInit(result))
}

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders

export const meta: Route.MetaFunction = (args) =>
  pageMeta(
    {
      screen: 'Registro de Traje Típico',
      description: args.loaderData?.texts.entrada,
      shareCard: args.loaderData?.shareCard,
    },
    args,
  )

export default function CostumeRegistrationPage({
  loaderData: { submissionId, texts, obstacleMessage },
  actionData,
}: Route.ComponentProps) {
  return (
    <RegistrationScreen
      descriptor={COSTUME_FORM}
      title="Registro de Traje Típico"
      texts={texts}
      submissionId={submissionId}
      result={actionData}
      obstacleMessage={obstacleMessage}
    />
  )
}
