import { randomUUID } from 'node:crypto'
import { data } from 'react-router'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { COSTUME_FORM } from '#app/entries/definitions/costume-form.ts'
import { refuseClosed } from '#app/entries/submission/data.server.ts'
import { registrationsOf } from '#app/entries/submission/guards.server.ts'
import { answerInit } from '#app/entries/submission/schema.ts'
import type { Route } from './+types/costume.page'
import { RegistrationScreen } from './registration-screen.tsx'

/** No prefetching: it would compete with uploads, and a module that fails to load makes the router reload the page. */
export const handle = { prefetch: false, archivos: true }

/** Issues a fresh submission id, which names one submission and owns its uploads. */
export async function loader({ context }: Route.LoaderArgs) {
  const { registroTraje, tarjetas } = await loadEdition()
  const closed = (await refuseClosed(servicesOf(context).services, COSTUME_FORM))?.message
  return { entrega: randomUUID() as string, registroTraje, cerrado: closed, tarjeta: tarjetas['registro-traje-tipico'] }
}

/** Receives the plain form of a browser without the page's script, which posts to registro-traje-tipico/envio instead. */
export async function action({ request, context }: Route.ActionArgs) {
  const result = await registrationsOf(context).receive('traje', request, servicesOf(context).facts)
  return data(result, answerInit(result))
}

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders

export const meta: Route.MetaFunction = (args) =>
  pageMeta(
    {
      pantalla: 'Registro de Traje Típico',
      descripcion: args.loaderData?.registroTraje.entrada,
      tarjeta: args.loaderData?.tarjeta,
    },
    args,
  )

export default function TrajePage({
  loaderData: { entrega, registroTraje, cerrado },
  actionData,
}: Route.ComponentProps) {
  return (
    <RegistrationScreen
      forma={COSTUME_FORM}
      titulo="Registro de Traje Típico"
      textos={registroTraje}
      entrega={entrega}
      resultado={actionData}
      cerrado={cerrado}
    />
  )
}
