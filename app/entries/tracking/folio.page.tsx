import { useEffect, useRef, useState } from 'react'
import { data, Form, useLocation, useNavigation, useSubmit } from 'react-router'
import { cuentasOf } from '#app/accounts/guards.server.ts'
import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { networksOf } from '#app/core/http/client-networks.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { readFolio } from '#app/entries/folio.ts'
import { registrosOf } from '#app/entries/submission/guards.server.ts'
import { answerInit, type ResultadoFolio } from '#app/entries/submission/schema.ts'
import { TextField } from '#app/ui/forms/field.tsx'
import { Franja } from '#app/ui/photos/photo-header.tsx'
import { Banner } from '#app/ui/primitives/banner.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import { unir } from '#app/ui/styles/class-names.ts'
import type { Route } from './+types/folio.page'
import { Seguimiento } from './entry-state.tsx'
import styles from './folio.module.css'

const EJEMPLO = '7K3M-Q9XT-04WB'

export const handle = { prefetch: false, archivos: true }

export async function loader() {
  const { registro } = await loadEdicion()
  return { imagen: registro.imagen }
}

/** Two forms: which entry (urlencoded), and a document that was asked for again (multipart). No folio stands in an address. */
export async function action({ request, context }: Route.ActionArgs) {
  const { facts } = servicesOf(context)
  const registros = registrosOf(context)
  const trazas = networksOf(facts.client).map((red) => cuentasOf(context).traceOf(`folio:${red}`))
  const isDocument = request.headers.get('content-type')?.startsWith('multipart/form-data') ?? false
  const resultado = isDocument
    ? await registros.receiveReposicion(request, facts, trazas)
    : await registros.consultFolio(trazas, await folioOf(request))
  return data(resultado, answerInit(resultado))
}

async function folioOf(request: Request): Promise<string> {
  const form = await request.formData().catch(() => undefined)
  return String(form?.get('folio') ?? '').slice(0, 100)
}

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders

export const meta: Route.MetaFunction = (args) =>
  cabeza({ pantalla: 'Tu folio', descripcion: 'Consulta con tu folio qué recibimos de tu registro y cómo va.' }, args)

/** What became of an entry, for whoever has its folio. */
export default function Folio({ loaderData: { imagen }, actionData }: Route.ComponentProps) {
  const outcome = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const { hash } = useLocation()
  const submit = useSubmit()
  const busy = useNavigation().state === 'submitting'
  /** What a document that this page's own script sent came to; a folio that is asked for afterwards takes its place. */
  const [enviado, setEnviado] = useState<{ tras: typeof actionData; resultado: ResultadoFolio }>()
  const resultado = enviado && enviado.tras === actionData ? enviado.resultado : actionData
  const onEnviado = (resultado: ResultadoFolio) => setEnviado({ tras: actionData, resultado })
  const rechazo = resultado && !resultado.ok ? resultado : undefined
  const isOfTheField =
    rechazo?.reason === 'folioDesconocido' || (rechazo?.reason === 'datosInvalidos' && !rechazo.vista)
  const isAnswered = resultado !== undefined && resultado.vista !== undefined
  useEffect(() => {
    if (resultado) (isOfTheField ? field : outcome).current?.focus()
  }, [resultado, isOfTheField])

  // A link brings the folio behind «#», which no server and no log gets to see; nor does it stay in the address.
  useEffect(() => {
    const folio = readFolio(hash.slice(1))
    if (!folio) return
    field.current!.value = folio
    history.replaceState(history.state, '', '/folio')
    void submit({ folio }, { method: 'post', action: '/folio', replace: true, preventScrollReset: true })
  }, [hash, submit])

  return (
    <>
      <Franja imagen={imagen} titulo="Tu folio" className={styles.franja}>
        <p>Con él ves qué recibimos de tu registro y cómo va.</p>
        <Form className={styles.form} method="post" action="/folio" noValidate>
          <TextField
            ref={field}
            id="folio"
            name="folio"
            label="Folio"
            hint="Son doce letras y números. Lo viste al terminar tu registro; si es de un traje, está también en tu correo."
            placeholder={EJEMPLO}
            defaultValue={rechazo?.folio}
            error={isOfTheField && <Escrito>{rechazo.message}</Escrito>}
            answered
            type="text"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            required
          />
          <Button className={styles.consult} look={isAnswered ? 'outline' : 'main'} type="submit" busy={busy}>
            Consultar
          </Button>
        </Form>
      </Franja>
      <div className={unir(styles.page, isAnswered && styles.answered)}>
        {rechazo && !rechazo.vista && !isOfTheField && <Banner tone="bad" message={rechazo.message} ref={outcome} />}
        {resultado?.ok && (
          <Seguimiento vista={resultado.vista} mensaje={resultado.mensaje} onEnviado={onEnviado} ref={outcome} />
        )}
        {rechazo?.vista && (
          <Seguimiento
            vista={rechazo.vista}
            rechazo={{ message: rechazo.message, solicitud: rechazo.solicitud }}
            onEnviado={onEnviado}
            ref={outcome}
          />
        )}
      </div>
    </>
  )
}

/** A sentence with the sample folio in one piece. */
function Escrito({ children }: { children: string }) {
  const [before, after] = children.split(EJEMPLO)
  if (after === undefined) return children
  return (
    <>
      {before}
      <span className={styles.ejemplo}>{EJEMPLO}</span>
      {after}
    </>
  )
}
