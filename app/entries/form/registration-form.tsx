import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { DocumentKind } from '#app/entries/definitions/document-kinds.ts'
import { type FormDescriptor, labelOf } from '#app/entries/definitions/form.ts'
import { emptyEarlyInput, type FormStart, initialStateFrom } from '#app/entries/form-state/initial-state.ts'
import type { FieldError } from '#app/entries/rules.ts'
import { Banner, Warning } from '#app/ui/components/banner.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { afterPaint } from '#app/ui/deferred/after-paint.ts'
import { type LazyCodeState, lazyCode } from '#app/ui/deferred/lazy-code.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import { DocumentRow } from './document-row.tsx'
import type { RegistrationControls, RegistrationListeners } from './registration-controller.client.tsx'
import styles from './registration-form.module.css'
import { TypedField, TypedFields } from './typed-fields.tsx'

type FormTools = typeof import('./registration-controller.client.tsx')

/** Code that is loaded at the form's first touch, or at once if there may be a draft; without it, the form is plain HTML. */
export const FORM_TOOLS = lazyCode<FormTools>(() => import('./registration-controller.client.tsx'))

export interface RegistrationFormTexts {
  /** Heading of the documents. */
  documentos: string
  advertencia: string
  pistas: Readonly<Partial<Record<DocumentKind, string>>>
  /** Sentence of consent, with the link to the privacy notice in its middle. */
  consentimiento: { antes: string; enlace: string; despues: string }
  exito: string
}

interface RegistrationFormProps extends RegistrationListeners {
  descriptor: FormDescriptor
  start: FormStart
  texts: RegistrationFormTexts
  tools: LazyCodeState<FormTools>
}

/**
 * Shows the form as plain HTML until the first touch loads its controller (registration-controller.client.tsx), which takes over
 * the interactions so far. If the controller cannot be loaded, the form is posted without JavaScript.
 */
export function RegistrationForm({ descriptor, start, texts, tools, ...listeners }: RegistrationFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const banner = useRef<HTMLDivElement>(null)
  const submit = useRef<HTMLButtonElement>(null)
  const [initialState] = useState(() => ({ ...initialStateFrom(start), isSending: false, waitText: undefined }))
  const [controls, setControls] = useState<RegistrationControls>()
  const { submissionId, documents, feedback, errors, refusalCount, isSending, waitText } = controls ?? initialState
  const earlyInput = useRef(emptyEarlyInput())
  /** Whether submit was pressed before the controller was loaded. */
  const [isEarlySubmit, setIsEarlySubmit] = useState(false)
  const isWaiting = isEarlySubmit && !controls
  const { code, missingReason, startFetch } = tools

  // A banner above the form is scrolled to the top of the window, one beside the submit button only as far as needed.
  useEffect(() => {
    if (refusalCount === 0) return
    banner.current?.focus({ preventScroll: true })
    banner.current?.scrollIntoView({ block: errors.length > 0 ? 'start' : 'nearest' })
  }, [refusalCount])

  useLayoutEffect(() => {
    const leftForm = form.current!
    return () => {
      const { choices, fieldNames } = earlyInput.current
      if (choices.length + fieldNames.size > 0)
        FORM_TOOLS.load().then(
          ({ saveAbandonedForm }) => saveAbandonedForm(descriptor, start, leftForm, earlyInput.current),
          // Without the controller, no draft is saved.
          () => {},
        )
    }
  }, [])

  useEffect(() => {
    if (isWaiting && missingReason === 'unreachable') form.current?.submit()
  }, [isWaiting, missingReason])

  function choose(kind: DocumentKind, files: File[]): boolean {
    if (controls) return controls.choose(kind, files)
    earlyInput.current.choices.push({ kind, files })
    return true
  }

  function send() {
    if (controls) return void controls.send()
    earlyInput.current.isSubmitted = true
    setIsEarlySubmit(true)
    startFetch()
  }

  const latestSend = useRef(send)
  latestSend.current = send

  const errorOf = (field: string) => errors.find(({ campo }) => campo === field)?.message
  const formBanner = feedback && !feedback.besideKind && (
    <div className={styles.outcome} id="resultado">
      <Banner tone="bad" message={feedback.message} ref={banner}>
        {errors.length > 0 && <ErrorSummary descriptor={descriptor} errors={errors} bannerMessage={feedback.message} />}
        {code && <code.FormRenameButton kinds={descriptor.kinds} documents={documents} onRename={choose} />}
      </Banner>
    </div>
  )

  return (
    <form
      className={styles.form}
      ref={form}
      action={`${descriptor.path}#resultado`}
      method="post"
      encType="multipart/form-data"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        afterPaint(() => latestSend.current())
      }}
      // The first touch loads the controller; a pointer that merely passes over the form counts as a touch.
      onPointerEnter={startFetch}
      onFocus={startFetch}
      onInput={({ target }) => {
        startFetch()
        const { name, type } = target as HTMLInputElement
        // A file input's choice is handled by its own change event, which follows.
        if (type === 'file') return
        if (controls) controls.markCorrected(name)
        else earlyInput.current.fieldNames.add(name)
      }}
      // The draft is saved when a field loses the focus, which happens before a link is followed.
      onBlur={controls?.saveDraft}
    >
      <input type="hidden" name="entrega" value={submissionId} />
      {/* The banner is above the form if fields need correction, else beside the submit button. */}
      {errors.length > 0 && formBanner}

      {code && start.isResumed && <code.ResumedDraft onDiscard={controls?.discard} />}

      <TypedFields descriptor={descriptor} values={start.values} errorOf={errorOf} />

      <fieldset className={styles.set}>
        <legend className={styles.legend}>{texts.documentos}</legend>
        <Warning>{texts.advertencia}</Warning>
        <div className={styles.rows}>
          {descriptor.kinds.map((kind) => {
            const filesOfKind = documents[kind]
            const error = errorOf(kind)
            const rowMessage = feedback?.besideKind === kind ? feedback : undefined
            // An error that the banner below the row shows is not repeated in the row.
            const isShownInBanner = error !== undefined && rowMessage !== undefined
            return (
              <div key={kind}>
                <DocumentRow
                  kind={kind}
                  tools={code}
                  hint={texts.pistas[kind] ?? ''}
                  chosenFiles={filesOfKind}
                  receivedNames={start.received[kind] ?? []}
                  error={isShownInBanner ? undefined : error}
                  isInvalid={error !== undefined}
                  progress={isSending && filesOfKind.length > 0 ? controls?.progressOf(filesOfKind).share : undefined}
                  isLocked={isSending}
                  onChoose={(files) => choose(kind, files)}
                  onRemove={(id) => controls?.remove(kind, id)}
                  onSwap={() => controls?.swap(kind)}
                />
                {rowMessage && (
                  <div className={styles.beside} id={isShownInBanner ? `${kind}-error` : undefined}>
                    <Banner tone="bad" message={rowMessage.message}>
                      {code && rowMessage.filesToRename && (
                        <code.RenameButton
                          inputId={kind}
                          files={rowMessage.filesToRename}
                          onRename={(files) => choose(kind, files)}
                        />
                      )}
                    </Banner>
                  </div>
                )}
              </div>
            )
          })}
        </div>
      </fieldset>

      {descriptor.extras.length > 0 && (
        <fieldset className={styles.set}>
          <legend className={styles.legend}>Tú decides</legend>
          <div className={styles.permissions}>
            {descriptor.extras.map((field) => (
              <TypedField key={field.name} field={field} value={start.values[field.name]} error={errorOf(field.name)} />
            ))}
          </div>
        </fieldset>
      )}

      <div className={styles.send}>
        <p className={styles.consent}>
          {texts.consentimiento.antes} <Link to="/aviso-de-privacidad">{texts.consentimiento.enlace}</Link>
          {texts.consentimiento.despues}
        </p>
        <Button className={styles.submit} type="submit" isBusy={isSending || isWaiting} ref={submit}>
          {isSending || isWaiting ? 'Subiendo información...' : 'Enviar Registro'}
        </Button>
      </div>

      {isWaiting && (
        <p className={styles.missing} role="status">
          {missingReason && 'Una parte de esta página no llega; lo seguimos intentando.'}
        </p>
      )}
      {code && controls && isSending && (
        <code.EstimatedProgress
          className={styles.sending}
          label="Avance del registro"
          {...controls.progressOf(descriptor.kinds.flatMap((kind) => documents[kind]))}
          waitText={waitText}
          onStop={controls.stop}
        />
      )}

      {errors.length === 0 && formBanner}

      {code && (
        <code.RegistrationController
          descriptor={descriptor}
          start={start}
          refs={{ form, submit }}
          earlyInput={earlyInput}
          onRender={setControls}
          {...listeners}
        />
      )}
    </form>
  )
}

/** Links to the fields that need correction; a message that equals the banner's is left out. */
const ErrorSummary = ({
  descriptor,
  errors,
  bannerMessage,
}: {
  descriptor: FormDescriptor
  errors: readonly FieldError[]
  bannerMessage: string
}) => (
  <ul className={styles.summary}>
    {errors.map(({ campo, message }) => (
      <li key={campo}>
        <a
          href={`#${campo}`}
          onClick={(event) => {
            event.preventDefault()
            document.getElementById(campo)?.focus()
          }}
        >
          {summaryTextOf(labelOf(descriptor, campo), message === bannerMessage ? undefined : message)}
        </a>
      </li>
    ))}
  </ul>
)

/** Adds the label to a message that does not name its field; a message that would suit any field becomes «Falta: …». */
const summaryTextOf = (label: string, message: string | undefined) => {
  if (message === undefined) return label
  if (/\beste (dato|documento)\b/.test(message)) return `Falta: ${label}`
  const [name] = label.toLowerCase().split(' (')
  return message.toLowerCase().includes(name!) ? message : `${label}: ${message}`
}
