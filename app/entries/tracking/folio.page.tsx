import { useEffect, useRef, useState } from 'react'
import { data, Form, useLocation, useNavigation, useSubmit } from 'react-router'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { parseFolio } from '#app/entries/folio.ts'
import { consultFolio, receiveReplacement } from '#app/entries/submission/document-replacement.server.ts'
import { answerInit, type FolioResult } from '#app/entries/submission/schema.ts'
import { folioTracesOf, registrationsOf } from '#app/entries/submission/uploads.early.server.ts'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { TextField } from '#app/ui/forms/field.tsx'
import { PhotoHeader } from '#app/ui/photos/photo-header.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import type { Route } from './+types/folio.page'
import { EntryTracking } from './entry-tracking.tsx'
import styles from './folio.module.css'

const EXAMPLE_FOLIO = '7K3M-Q9XT-04WB'

export const handle = { prefetch: false, takesFiles: true }

export async function loader() {
  const { registro } = await loadEdition()
  return { picture: registro.imagen }
}

/** Receives two forms: a folio to look up (urlencoded), and a requested document (multipart). No requested URL has the folio. */
export async function action({ request, context }: Route.ActionArgs) {
  const { services, facts } = servicesOf(context)
  const traces = folioTracesOf(context)
  const isDocument = request.headers.get('content-type')?.startsWith('multipart/form-data') ?? false
  const result = isDocument
    ? await receiveReplacement(request, registrationsOf(context), facts, traces)
    : await consultFolio(services, traces, await folioOf(request))
  return data(result, answerInit(result))
}

async function folioOf(request: Request): Promise<string> {
  const form = await request.formData().catch(() => undefined)
  return String(form?.get('folio') ?? '').slice(0, 100)
}

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders

export const meta: Route.MetaFunction = (args) =>
  pageMeta({ screen: 'Tu folio', description: 'Consulta con tu folio qué recibimos de tu registro y cómo va.' }, args)

export default function FolioPage({ loaderData: { picture }, actionData }: Route.ComponentProps) {
  const answer = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const { hash } = useLocation()
  const submit = useSubmit()
  const isBusy = useNavigation().state === 'submitting'
  /** Result of a document that the page's script sent; valid until the next lookup of a folio changes `actionData`. */
  const [sentResult, setSentResult] = useState<{ previousActionData: typeof actionData; result: FolioResult }>()
  const result = sentResult && sentResult.previousActionData === actionData ? sentResult.result : actionData
  const onSent = (newResult: FolioResult) => setSentResult({ previousActionData: actionData, result: newResult })
  const refusal = result && !result.ok ? result : undefined
  const isFieldError =
    refusal?.reason === 'folioDesconocido' || (refusal?.reason === 'datosInvalidos' && !refusal.vista)
  const hasEntry = result?.vista !== undefined
  useEffect(() => {
    if (result) (isFieldError ? field : answer).current?.focus()
  }, [result, isFieldError])

  // A link has the folio in the fragment, which no server and no log sees; the address bar then loses the folio.
  useEffect(() => {
    const folio = parseFolio(hash.slice(1))
    if (!folio) return
    field.current!.value = folio
    history.replaceState(history.state, '', '/folio')
    void submit({ folio }, { method: 'post', action: '/folio', replace: true, preventScrollReset: true })
  }, [hash, submit])

  return (
    <>
      <PhotoHeader picture={picture} title="Tu folio" className={styles.strip}>
        <p>Con él ves qué recibimos de tu registro y cómo va.</p>
        <Form className={styles.form} method="post" action="/folio" noValidate>
          <TextField
            ref={field}
            id="folio"
            name="folio"
            label="Folio"
            hint={
              <>
                Son doce letras y números que viste al registrarte. <a href="/mis-datos">¿Lo perdiste?</a>
              </>
            }
            placeholder={EXAMPLE_FOLIO}
            defaultValue={refusal?.folio}
            error={isFieldError && <MessageWithExample>{refusal.message}</MessageWithExample>}
            isAnswerToSubmit
            type="text"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            required
          />
          <Button className={styles.consult} look={hasEntry ? 'outline' : 'main'} type="submit" isBusy={isBusy}>
            Consultar
          </Button>
        </Form>
      </PhotoHeader>
      <div className={joinClasses(styles.page, hasEntry && styles.answered)}>
        {refusal && !refusal.vista && !isFieldError && <Banner tone="bad" message={refusal.message} ref={answer} />}
        {result?.ok && <EntryTracking view={result.vista} message={result.mensaje} onSent={onSent} ref={answer} />}
        {refusal?.vista && (
          <EntryTracking
            view={refusal.vista}
            refusal={{ message: refusal.message, requestId: refusal.solicitud }}
            onSent={onSent}
            ref={answer}
          />
        )}
      </div>
    </>
  )
}

/** Shows a message whose sample folio is not broken across lines. */
function MessageWithExample({ children }: { children: string }) {
  const [before, after] = children.split(EXAMPLE_FOLIO)
  if (after === undefined) return children
  return (
    <>
      {before}
      <span className={styles.example}>{EXAMPLE_FOLIO}</span>
      {after}
    </>
  )
}
