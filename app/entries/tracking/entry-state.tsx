import { type FormEvent, type Ref, useEffect, useRef, useState } from 'react'
import { newUuid } from '#app/core/text/uuid.ts'
import { enMexico, formatLongDateTime } from '#app/core/time/mexico-dates.ts'
import { WAITING } from '#app/core/uploads/retry-wait.ts'
import { Rename } from '#app/entries/chosen-files/rename.tsx'
import { documentName, kindOf, MISSING_DOCUMENT } from '#app/entries/definitions/document-kinds.ts'
import { hasForbiddenCharacter, refuseFile } from '#app/entries/documents/file-rules.ts'
import type { EntryState, FolioView } from '#app/entries/schema.ts'
import type { FolioResult } from '#app/entries/submission/schema.ts'
import type { Sending } from '#app/entries/submission/send.client.ts'
import { dropUpload } from '#app/entries/submission/upload.client.ts'
import { useSending, warmUp } from '#app/entries/submission/use-sending.ts'
import { SendingProgress } from '#app/ui/forms/sending-progress.tsx'
import { Banner } from '#app/ui/primitives/banner.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import styles from './folio.module.css'

const STATES: Readonly<Record<EntryState, { nombre: string; explica: string }>> = {
  recibida: { nombre: 'Recibida', explica: 'Tu registro está completo. El comité todavía no empieza a revisarlo.' },
  'en-revision': { nombre: 'En revisión', explica: 'El comité está revisando tu registro.' },
  'falta-documento': { nombre: 'Falta un documento', explica: 'El comité te buscará para decirte cuál.' },
  aceptada: { nombre: 'Aceptada', explica: 'El comité aceptó tu registro.' },
  rechazada: { nombre: 'Rechazada', explica: 'El comité no aceptó tu registro.' },
}

interface EntryTrackingProps {
  vista: FolioView
  /** Says that a document was just received. */
  mensaje?: string | undefined
  /** Refusal of a sent document, with the id of its request. */
  rechazo?: { message: string; solicitud: number | undefined }
  /** Called with the answer to a document that was sent from here. */
  onEnviado(result: FolioResult): void
  /** The element that takes the focus after an answer. */
  ref: Ref<HTMLDivElement>
}

const REQUEST_SENTENCES = {
  uno: 'El comité necesita que subas otra vez un documento.',
  varios: 'El comité necesita que subas otra vez estos documentos.',
}

/** An entry as the holder of its folio sees it: state, note, received documents, open requests. */
export function EntryTracking({ vista, mensaje, rechazo, onEnviado, ref }: EntryTrackingProps) {
  const { nombre, explica } = STATES[vista.estado]
  const asked = vista.solicitudes.length
  const said = rechazo?.message ?? mensaje
  // A request that was closed has no row to show the message in.
  const beside = vista.solicitudes.some(({ id }) => id === rechazo?.solicitud)
  return (
    <>
      {said && !beside && <Banner tone={rechazo ? 'bad' : 'good'} message={said} ref={ref} />}
      <section className={styles.entry} data-state={vista.estado} aria-labelledby="estado">
        <div className={styles.answer}>
          <div className={styles.head} tabIndex={-1} ref={said ? undefined : ref}>
            <p className={styles.folio}>{vista.folio}</p>
            <h2 className={styles.state} id="estado">
              {nombre}
            </h2>
            <p className={styles.whose}>
              {vista.detalle ? (
                <>
                  <strong>{vista.detalle}</strong>, traje típico de {vista.titular}
                </>
              ) : (
                <strong>{vista.titular}</strong>
              )}
            </p>
            <p>{asked === 0 ? explica : asked === 1 ? REQUEST_SENTENCES.uno : REQUEST_SENTENCES.varios}</p>
            {vista.nota && (
              <blockquote className={styles.note}>
                <p>{vista.nota}</p>
                <footer>El comité organizador</footer>
              </blockquote>
            )}
          </div>

          {vista.solicitudes.map((documentRequest) => (
            <RequestDetails
              key={documentRequest.id}
              solicitud={documentRequest}
              folio={vista.folio}
              rechazo={rechazo?.solicitud === documentRequest.id ? rechazo.message : undefined}
              rechazoRef={ref}
              onEnviado={onEnviado}
            />
          ))}
        </div>

        <div>
          <h3>Lo que recibimos</h3>
          <p className={styles.when}>
            Registro de {vista.tipo === 'traje' ? 'traje típico' : 'candidata'}, {enMexico(new Date(vista.recibida))}
          </p>
          <ul className={styles.files}>
            {vista.documentos.map((document) => (
              <li
                key={`${document.clase}-${document.lado}-${document.recibido}`}
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
  solicitud: FolioView['solicitudes'][number]
  folio: string
  /** Why the document sent for this request was refused. */
  rechazo: string | undefined
  rechazoRef: Ref<HTMLDivElement>
  onEnviado(result: FolioResult): void
}

/**
 * Form of one requested document, sent as the registration itself is: in chunks, for as long as the page is open. Faults of the
 * file's name or size are reported before sending.
 */
function RequestDetails({ solicitud, folio, rechazo, rechazoRef, onEnviado }: RequestedDocumentProps) {
  const { id, clase, lado, nota, entrega } = solicitud
  const name = documentName(clase, lado)
  const control = useRef<HTMLInputElement>(null)
  const said = useRef<HTMLDivElement>(null)
  /** Fault of the file chosen last; null when it has none. */
  const [problem, setReparo] = useState<{ message: string; file: File } | null>()
  /** Why the last sending of this file failed. */
  const [failure, setFallo] = useState<string>()
  const { enCurso, espera, bytes, ...sending } = useSending()
  const button = useRef<HTMLButtonElement>(null)
  /** The chosen file, and its upload. */
  const chosenFile = useRef<{ id: string; file: File; url: string | undefined; entrega: string }>(undefined)
  useEffect(() => {
    if (failure) said.current?.focus()
  }, [failure])

  function look() {
    const file = control.current?.files?.[0]
    const refusal = file && refuseFile(clase, file)
    setReparo(refusal ? { message: refusal.message, file } : null)
    setFallo(undefined)
    if (chosenFile.current) dropUpload(chosenFile.current.entrega, chosenFile.current.url)
    chosenFile.current = undefined
    warmUp()
  }

  function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    void sending.send<FolioResult>({
      prepare,
      onUrl(_, url) {
        chosenFile.current!.url = url
      },
      onFin(fin) {
        if (fin.estado === 'detenido') return
        // Without the uploader the plain form is posted.
        if (fin.estado === 'sinCargador') form.submit()
        else if (fin.estado === 'rechazo') setFallo(fin.message)
        else if (fin.resultado.ok || fin.resultado.vista) onEnviado(fin.resultado)
        else setFallo(fin.resultado.message)
      },
    })
  }

  /** @returns undefined for a document that would be refused, and says why */
  function prepare(): Sending | undefined {
    if (problem) {
      said.current?.focus()
      return undefined
    }
    const file = control.current?.files?.[0]
    if (!file) {
      setFallo(MISSING_DOCUMENT)
      return undefined
    }
    if (chosenFile.current?.entrega !== entrega || chosenFile.current.file !== file)
      chosenFile.current = { id: newUuid(), file, url: undefined, entrega }
    setFallo(undefined)
    setReparo(undefined)
    return {
      destino: '/folio/envio',
      entrega,
      folio,
      archivos: [{ ...chosenFile.current, clase, lado: lado ?? undefined }],
      valores: () => ({ folio, solicitud: String(id) }),
    }
  }

  function rename([file]: File[]) {
    const list = new DataTransfer()
    list.items.add(file!)
    control.current!.files = list.files
    look()
  }

  const message = failure ?? (problem === undefined ? rechazo : problem?.message)
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
        ref={control}
        id={`archivo-${id}`}
        name={clase}
        type="file"
        accept={kindOf(clase).accept}
        required
        aria-describedby={`pista-${id}`}
        onChange={look}
        // The file cannot be changed under a running upload.
        onClick={(event) => enCurso && event.preventDefault()}
        onDrop={(event) => enCurso && event.preventDefault()}
      />
      <p className={styles.when} id={`pista-${id}`}>
        {kindOf(clase).pista}. El nombre del archivo, sin acentos ni ñ.
      </p>
      {message && !enCurso && (
        <Banner tone="bad" message={message} ref={problem || failure ? said : rechazoRef}>
          {problem && hasForbiddenCharacter(problem.file.name) && (
            <Rename control={`archivo-${id}`} files={[problem.file]} onRename={rename} />
          )}
        </Banner>
      )}
      <Button type="submit" busy={enCurso} ref={button}>
        {enCurso ? 'Subiendo información...' : 'Enviar documento'}
      </Button>
      {enCurso && (
        <SendingProgress
          className={styles.sending}
          label={`Avance de ${name}`}
          sent={bytes[chosenFile.current?.id ?? ''] ?? 0}
          total={chosenFile.current?.file.size ?? 0}
          espera={espera && WAITING[espera]}
          onStop={() => {
            sending.stop()
            // The stop button disappears, so the focus moves to submit.
            button.current?.focus()
          }}
        />
      )}
    </form>
  )
}
