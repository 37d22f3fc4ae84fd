import { randomUUID } from 'node:crypto'
import { data } from 'react-router'
import { cabeza } from '#app/contenido/cabeza.ts'
import { loadEdicion } from '#app/contenido/contenido.server.ts'
import { servicesOf } from '#app/platform/services.server.ts'
import { Franja } from '#app/ui/franja.tsx'
import type { Route } from './+types/registro.page'
import { receiveRegistro } from './mutations.server.ts'
import styles from './registro.page.module.css'
import { Registro } from './registro.tsx'
import { answerInit } from './schema.ts'

/** Nothing is fetched ahead beside an upload, nor may it put the form at risk (see Enlace). */
export const handle = { prefetch: false }

/** A fresh entrega each time: it names one submission, and owns what is uploaded for it. */
export async function loader() {
  const { registro, tarjetas } = await loadEdicion()
  return { entrega: randomUUID() as string, registro, tarjeta: tarjetas.registro }
}

/** What the page's own script does through registro/envio, for a browser where it did not run (yet). */
export async function action({ request, context }: Route.ActionArgs) {
  const { services, facts } = servicesOf(context)
  const resultado = await receiveRegistro(request, services, facts)
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

export default function RegistroPage({ loaderData: { entrega, registro }, actionData }: Route.ComponentProps) {
  return (
    <>
      <Franja imagen={registro.imagen} titulo="Registro de Candidatas">
        <p>{registro.entrada}</p>
      </Franja>
      <div className={styles.page}>
        <div>
          <Registro entrega={entrega} resultado={actionData} textos={registro} />
        </div>
        <aside className={styles.notes} aria-label="Antes de empezar">
          {registro.notas.map(({ titulo, texto }) => (
            <section key={titulo}>
              <h2>{titulo}</h2>
              <p>{texto}</p>
            </section>
          ))}
        </aside>
      </div>
    </>
  )
}
