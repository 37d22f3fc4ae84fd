import { type FormEvent, type Ref, type SyntheticEvent, useEffect, useRef, useState } from 'react'
import { newUuid } from '#app/core/text/uuid.ts'
import { formatLongDateTime, formatLongDateTimeWithZone } from '#app/core/time/mexico-dates.ts'
import { dropUpload } from '#app/core/uploads/drop-upload.client.ts'
import { WAIT_MESSAGES } from '#app/core/uploads/retry-wait.ts'
import { RenameButton } from '#app/entries/chosen-files/rename-button.tsx'
import { documentName, kindOf, MISSING_DOCUMENT_MESSAGE } from '#app/entries/definitions/document-kinds.ts'
import { findFileRefusal, hasForbiddenCharacter } from '#app/entries/document-viewing/file-rules.ts'
import type { EntryState, FolioView } from '#app/entries/schema.ts'
import type { FolioResult } from '#app/entries/submission/schema.ts'
import type { Sending } from '#app/entries/submission/send.client.ts'
import { preloadUploader, useSending } from '#app/entries/submission/use-sending.ts'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { SendingProgress } from '#app/ui/forms/sending-progress.tsx'
import { EntrySteps } from './entry-steps.tsx'
import styles from './folio.module.css'
import { WhatToBring } from './what-to-bring.tsx'

const STATE_TITLES: Readonly<Record<EntryState, string>> = {
  recibida: 'Recibida',
  'en-revision': 'En revisión',
  'falta-documento': 'Falta un documento',
  aceptada: 'Aceptada',
  rechazada: 'Rechazada',
}

interface EntryTrackingProps {
  view: FolioView
  message?: string | undefined
  /** Refusal of a sent document; `requestId` is the id of its document request. */
  refusal?: { message: string; requestId: number | undefined }
  /** Called with the answer to a document that was sent from here, if it was received or the answer has the entry. */
  onSent(result: FolioResult): void
  /** Element that takes the focus after an answer: the message or, without a message, the heading. */
  ref: Ref<HTMLDivElement>
}

/** Shows an entry to the holder of its folio: its state, its documents, and a form for each requested document. */
export function EntryTracking({ view, message, refusal, onSent, ref }: EntryTrackingProps) {
  const bannerMessage = refusal?.message ?? message
  // A request that was closed meanwhile has no form, so its message is shown above the entry.
  const hasRequestForm = view.solicitudes.some(({ id }) => id === refusal?.requestId)
  return (
    <>
      {bannerMessage && !hasRequestForm && <Banner tone={refusal ? 'bad' : 'good'} message={bannerMessage} ref={ref} />}
      <section className={styles.entry} data-state={view.estado} aria-labelledby="estado">
        <EntrySteps {...view} />
        <div className={styles.answer}>
          <div className={styles.head} tabIndex={-1} ref={bannerMessage ? undefined : ref}>
            <p className={styles.folio}>{view.folio}</p>
            <h2 className={styles.state} id="estado">
              {STATE_TITLES[view.estado]}
            </h2>
            <p className={styles.whose}>
              {view.detalle ? (
                <>
                  <strong>{view.detalle}</strong>, traje típico de {view.titular}
                </>
              ) : (
                <strong>{view.titular}</strong>
              )}
            </p>
            <p>{view.explicacion}</p>
            {view.cita && (
              <p>
                {view.cita.texto} <a href={view.cita.calendario}>Guardar la cita en mi calendario</a>
              </p>
            )}
            {view.nota && (
              <blockquote className={styles.note}>
                <p>{view.nota}</p>
                <footer>El comité organizador</footer>
              </blockquote>
            )}
          </div>

          {view.solicitudes.map((documentRequest) => (
            <RequestedDocument
              key={documentRequest.id}
              request={documentRequest}
              folio={view.folio}
              refusalMessage={refusal?.requestId === documentRequest.id ? refusal.message : undefined}
              refusalRef={ref}
              onSent={onSent}
            />
          ))}
          <WhatToBring kinds={view.documentos.map(({ clase }) => clase)} />
        </div>

        <div>
          <h3>Lo que recibimos</h3>
          <p className={styles.when}>
            Registro de {view.tipo === 'traje' ? 'traje típico' : 'candidata'},{' '}
            {formatLongDateTimeWithZone(new Date(view.recibida))}
          </p>
          <ul className={styles.files}>
            {view.documentos.map((document) => (
              <li
                key={[document.clase, document.lado, document.recibido].join()}
                data-old={document.reemplazado || undefined}
              >
                <span className={styles.kind}>{documentName(document.clase, document.lado)}</span>
                <span className={styles.name}>{document.nombre}</span>
                <span className={styles.when}>
                  {formatLongDateTime(new Date(document.recibido))}
                  {document.reemplazado && ' · Lo sustituye otro más nuevo'}
                </span>
              </li>
            ))}
          </ul>
        </div>
      </section>
    </>
  )
}

interface RequestedDocumentProps {
  request: FolioView['solicitudes'][number]
  folio: string
  /** Refusal of the document that was sent for this request. */
  refusalMessage: string | undefined
  refusalRef: Ref<HTMLDivElement>
  onSent(result: FolioResult): void
}

/**
 * Shows the form of a requested document, which is sent like a registration: in chunks, with retries. Faults of the file's name
 * or size are reported before sending.
 */
function RequestedDocument({ request, folio, refusalMessage, refusalRef, onSent }: RequestedDocumentProps) {
  const { id, clase, lado, nota, entrega } = request
  const name = documentName(clase, lado)
  const fileInput = useRef<HTMLInputElement>(null)
  const banner = useRef<HTMLDivElement>(null)
  /** Fault of the chosen file, null without a fault; undefined before a file is chosen, and once the form was sent. */
  const [problem, setProblem] = useState<{ message: string; file: File } | null>()
  /** Message of the last sending's failure. */
  const [failure, setFailure] = useState<string>()
  const { isSending, waitReason, sentBytesById, ...sending } = useSending()
  const submitButton = useRef<HTMLButtonElement>(null)
  /** The chosen file with its upload, which the next press resumes. */
  const chosenFile = useRef<{ id: string; file: File; url: string | undefined; submissionId: string }>(undefined)
  useEffect(() => {
    if (failure) banner.current?.focus()
  }, [failure])

  function checkChosenFile() {
    const file = fileInput.current?.files?.[0]
    const refusal = file && findFileRefusal(clase, file)
    setProblem(refusal ? { message: refusal.message, file } : null)
    setFailure(undefined)
    if (chosenFile.current) dropUpload(chosenFile.current.submissionId, chosenFile.current.url)
    chosenFile.current = undefined
    preloadUploader()
  }

  function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    void sending.send(async (deliver) => {
      const preparedSending = prepareSending()
      if (!preparedSending) return
      const outcome = await deliver<FolioResult>(preparedSending, (_, url) => {
        chosenFile.current!.url = url
      })
      if (outcome.status === 'stopped') return
      // Without the uploader, the form is posted as without JavaScript.
      if (outcome.status === 'noUploader') form.submit()
      else if (outcome.status === 'refused') setFailure(outcome.message)
      else if (outcome.result.ok || outcome.result.vista) onSent(outcome.result)
      else setFailure(outcome.result.message)
    })
  }

  /** Checks the document before sending. @returns undefined for a document that would be refused; the form then shows the reason */
  function prepareSending(): Sending | undefined {
    if (problem) {
      banner.current?.focus()
      return undefined
    }
    const file = fileInput.current?.files?.[0]
    if (!file) {
      setFailure(MISSING_DOCUMENT_MESSAGE)
      return undefined
    }
    if (chosenFile.current?.submissionId !== entrega || chosenFile.current.file !== file)
      chosenFile.current = { id: newUuid(), file, url: undefined, submissionId: entrega }
    setFailure(undefined)
    setProblem(undefined)
    return {
      destination: '/folio/envio',
      submissionId: entrega,
      folio,
      files: [{ ...chosenFile.current, kind: clase, side: lado ?? undefined }],
      readValues: () => ({ folio, solicitud: String(id) }),
    }
  }

  function rename([file]: File[]) {
    const transfer = new DataTransfer()
    transfer.items.add(file!)
    fileInput.current!.files = transfer.files
    checkChosenFile()
  }

  const keepFileWhileSending = (event: SyntheticEvent) => isSending && event.preventDefault()
  const message = failure ?? (problem === undefined ? refusalMessage : problem?.message)
  return (
    <form className={styles.ask} method="post" action="/folio" encType="multipart/form-data" noValidate onSubmit={send}>
      <h3>Sube otra vez: {name}</h3>
      <p className={styles.reason}>{nota}</p>
      <input type="hidden" name="entrega" value={entrega} />
      <input type="hidden" name="folio" value={folio} />
      <input type="hidden" name="solicitud" value={id} />
      <label className={styles.label} htmlFor={`archivo-${id}`}>
        {name}
      </label>
      <input
        className={styles.file}
        ref={fileInput}
        id={`archivo-${id}`}
        name={clase}
        type="file"
        accept={kindOf(clase).accept}
        required
        aria-describedby={`pista-${id}`}
        onChange={checkChosenFile}
        onClick={keepFileWhileSending}
        onDrop={keepFileWhileSending}
      />
      <p className={styles.when} id={`pista-${id}`}>
        {kindOf(clase).hint}. El nombre del archivo, sin acentos ni ñ.
      </p>
      {message && !isSending && (
        <Banner tone="bad" message={message} ref={problem || failure ? banner : refusalRef}>
          {problem && hasForbiddenCharacter(problem.file.name) && (
            <RenameButton inputId={`archivo-${id}`} files={[problem.file]} onRename={rename} />
          )}
        </Banner>
      )}
      <Button type="submit" isBusy={isSending} ref={submitButton}>
        {isSending ? 'Subiendo información...' : 'Enviar documento'}
      </Button>
      {isSending && chosenFile.current && (
        <SendingProgress
          className={styles.sending}
          label={`Avance de ${name}`}
          sentBytes={sentBytesById[chosenFile.current.id] ?? 0}
          totalBytes={chosenFile.current.file.size}
          waitText={waitReason && WAIT_MESSAGES[waitReason]}
          onStop={() => {
            sending.stop()
            // The stop button disappears, so the submit button takes the focus.
            submitButton.current?.focus()
          }}
        />
      )}
    </form>
  )
}
