import { randomUUID } from 'node:crypto'
import { data } from 'react-router'
import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { FORMA_CANDIDATA } from '#app/entries/definitions/candidate-form.ts'
import { refuseCerrado } from '#app/entries/submission/data.server.ts'
import { registrosOf } from '#app/entries/submission/guards.server.ts'
import { answerInit } from '#app/entries/submission/schema.ts'
import type { Route } from './+types/candidate-registration.page'
import { Pantalla } from './registration-screen.tsx'

/** Nothing is fetched ahead beside an upload, nor may it put the form at risk (see Enlace). */
export const handle = { prefetch: false, archivos: true }

/** A fresh entrega each time: it names one submission, and owns what is uploaded for it. */
export async function loader({ context }: Route.LoaderArgs) {
  const { registro, tarjetas } = await loadEdicion()
  const cerrado = (await refuseCerrado(servicesOf(context).services, FORMA_CANDIDATA))?.message
  return { entrega: randomUUID() as string, registro, cerrado, tarjeta: tarjetas.registro }
}

/** What the page's own script does through registro/envio, for a browser where it did not run (yet). */
export async function action({ request, context }: Route.ActionArgs) {
  const resultado = await registrosOf(context).receive('candidata', request, servicesOf(context).facts)
  return data(resultado, answerInit(resultado))
}

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders

export const meta: Route.MetaFunction = (args) =>
  cabeza(
    {
      pantalla: 'Registro de Candidatas',
      descripcion: args.loaderData?.registro.entrada,
      tarjeta: args.loaderData?.tarjeta,
    },
    args,
  )

export default function RegistroPage({ loaderData: { entrega, registro, cerrado }, actionData }: Route.ComponentProps) {
  return (
    <Pantalla
      forma={FORMA_CANDIDATA}
      titulo="Registro de Candidatas"
      textos={registro}
      entrega={entrega}
      resultado={actionData}
      cerrado={cerrado}
    />
  )
}
