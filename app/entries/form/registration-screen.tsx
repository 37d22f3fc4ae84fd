import { useEffect, useRef, useState } from 'react'
import { useNavigationType } from 'react-router'
import { newUuid } from '#app/core/text/uuid.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { mayHaveDraft } from '#app/entries/form-state/draft-presence.ts'
import { documentsOf, type FormStart } from '#app/entries/form-state/initial-state.ts'
import type { RegistrationResult } from '#app/entries/submission/schema.ts'
import { useLazyCode } from '#app/ui/deferred/lazy-code.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import type { Picture } from '#app/ui/photos/photo.tsx'
import { PhotoHeader } from '#app/ui/photos/photo-header.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import formStyles from './registration-form.module.css'
import { FORM_TOOLS, RegistrationForm, type RegistrationFormTexts } from './registration-form.tsx'
import styles from './registration-screen.module.css'
import { RegistrationSuccess } from './registration-success.tsx'

interface RegistrationScreenProps {
  descriptor: FormDescriptor
  title: string
  texts: RegistrationFormTexts & {
    imagen: Picture
    entrada: string
    notas: readonly { titulo: string; texto: string; alLlenar: boolean }[]
  }
  /** Fresh submission id of the loader. */
  submissionId: string
  /** Result of a submission without JavaScript. */
  result: RegistrationResult | undefined
  /** Why no registration can be sent: the form is closed, or the disk is full; undefined while one can be sent. */
  obstacleMessage: string | undefined
}

/** Keeps a sentence's first word of one or two letters on the line of the next word. */
const keepWithNextWord = (text: string) => text.replace(/([.:] \S{1,2}) /g, '$1\u00a0')

/** Shows a registration's picture, its form (or why none can be sent), and notes beside the form. */
export function RegistrationScreen({
  descriptor,
  title,
  texts,
  submissionId,
  result,
  obstacleMessage,
}: RegistrationScreenProps) {
  // A form that was just posted stays visible, even if it came too late.
  const hasForm = !obstacleMessage || result !== undefined
  const notes = texts.notas.filter(({ alLlenar }) => hasForm || !alLlenar)
  return (
    <>
      <PhotoHeader
        picture={texts.imagen}
        title={title}
        className={joinClasses(styles.strip, descriptor.type === 'traje' && styles.costume)}
      >
        {hasForm && <p>{keepWithNextWord(texts.entrada)}</p>}
      </PhotoHeader>
      <div className={styles.page}>
        <div>
          {!hasForm ? (
            <section className={formStyles.closed}>
              <h2>{obstacleMessage}</h2>
              <p>
                Fechas y bases: <Link to="/convocatoria">Convocatorias</Link>.
              </p>
            </section>
          ) : (
            <Registration descriptor={descriptor} submissionId={submissionId} result={result} texts={texts} />
          )}
        </div>
        <aside className={styles.notes} aria-label="Antes de empezar">
          {notes.map(({ titulo, texto }) => (
            <section key={titulo}>
              <h2>{titulo}</h2>
              <p>{texto}</p>
            </section>
          ))}
          {!obstacleMessage && (
            <section>
              <h2>¿Ya te registraste?</h2>
              <p>
                <Link to="/folio">Consulta tu folio</Link> y ve cómo va.
              </p>
            </section>
          )}
        </aside>
      </div>
    </>
  )
}

/** Whether this document has shown a form before, so that Back and Forward within the document return to a form. */
let hasShownForm = false

/** Returns whether the document was loaded by a reload, or by Back or Forward. */
const isReturnToDocument = () => {
  const [navigation] = performance.getEntriesByType('navigation')
  return navigation instanceof PerformanceNavigationTiming && ['reload', 'back_forward'].includes(navigation.type)
}

/**
 * Shows the form as the server sent it, or resumed from a draft. After success, the success panel takes the form's place, and a
 * blank form for another registration follows below.
 */
function Registration({
  descriptor,
  submissionId,
  result,
  texts,
}: Omit<RegistrationScreenProps, 'title' | 'obstacleMessage'>) {
  const [form, setForm] = useState(() => ({ generation: 0, start: formStartOf(submissionId, result) }))
  /** Folio of the registration that was just received. */
  const [receivedFolio, setReceivedFolio] = useState(result?.ok ? result.folio : undefined)
  const successPanel = useRef<HTMLDivElement>(null)
  const formArea = useRef<HTMLDivElement>(null)
  const navigationType = useNavigationType()
  const tools = useLazyCode(FORM_TOOLS)
  const { code, startFetch } = tools
  /** Whether a file picker was opened, a file chosen or submit pressed, so that no draft may replace the form unasked. */
  const hasBegun = useRef(false)
  /** Whether the visitor came back to a form, by a reload, Back or Forward. */
  const isReturn = useRef(false)

  /** Id of the control that takes the focus in the next form. */
  const nextFocusId = useRef<string>(undefined)

  const showForm = (start: FormStart) => setForm(({ generation }) => ({ generation: generation + 1, start }))

  useEffect(() => {
    if (nextFocusId.current) document.getElementById(nextFocusId.current)?.focus({ preventScroll: true })
    nextFocusId.current = undefined
  }, [form.generation])

  const formElements = () => formArea.current?.querySelector('form')?.elements
  /** Reads the values in the form's fields, typed or restored by the browser; empty fields, unticked boxes and selects are absent. */
  function readTypedValues(): Record<string, string> {
    return Object.fromEntries(
      descriptor.fields.flatMap(({ name }) => {
        const control = formElements()?.namedItem(name)
        const isTyped = control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement
        const isUnticked = control instanceof HTMLInputElement && control.type === 'checkbox' && !control.checked
        return isTyped && !isUnticked && control.value !== '' ? [[name, control.value]] : []
      }),
    )
  }

  useEffect(() => {
    // A visit by a link or a typed address may be for another registration, so the draft is only offered.
    isReturn.current = navigationType === 'POP' && (hasShownForm || isReturnToDocument())
    hasShownForm = true
    const isTouched =
      formArea.current?.matches(':focus-within') ||
      Object.keys(readTypedValues()).length > 0 ||
      [...(formElements() ?? [])].some((control) => control instanceof HTMLInputElement && control.files?.length)
    // On a return the draft may still be being saved, so the code is loaded even if no draft is found.
    if (result || isTouched || isReturn.current) startFetch()
    else void mayHaveDraft().then((isDraftPossible) => isDraftPossible && startFetch())
  }, [])

  // The result of a submission without JavaScript takes no focus, since the URL's fragment scrolled the page to it.
  useEffect(() => {
    if (!receivedFolio || form.generation === 0) return
    successPanel.current?.focus({ preventScroll: true })
    successPanel.current?.scrollIntoView()
  }, [receivedFolio, form.generation])

  return (
    <>
      {receivedFolio && (
        <RegistrationSuccess
          folio={receivedFolio}
          text={texts.exito}
          whatToBring={code && <code.WhatToBring kinds={descriptor.kinds} />}
          ref={successPanel}
        >
          {code && <code.KeepFolio key={receivedFolio} folio={receivedFolio} />}
        </RegistrationSuccess>
      )}
      <div
        ref={formArea}
        className={receivedFolio && styles.another}
        onClickCapture={({ target }) => {
          hasBegun.current ||= (target as Element).matches('[type=file],[type=submit]')
        }}
      >
        {receivedFolio && <h2>Otro registro</h2>}
        {code && (
          <code.ResumeDraft
            type={descriptor.type}
            submissionId={form.start.submissionId}
            readTypedValues={readTypedValues}
            mayResume={() => isReturn.current && !result && !hasBegun.current}
            onResume={(start, isAutomatic) => {
              if (!isAutomatic) setReceivedFolio(undefined)
              else if (formArea.current?.contains(document.activeElement))
                nextFocusId.current = document.activeElement?.id
              showForm(start)
            }}
          />
        )}
        <RegistrationForm
          key={form.generation}
          descriptor={descriptor}
          start={form.start}
          texts={texts}
          tools={tools}
          onFilesAccepted={() => {
            hasBegun.current = true
            setReceivedFolio(undefined)
          }}
          onDiscard={() => {
            nextFocusId.current = descriptor.fields[0]?.name
            showForm(formStartOf(newUuid(), undefined))
          }}
          onSuccess={(folio) => {
            showForm(formStartOf(newUuid(), undefined))
            setReceivedFolio(folio)
          }}
        />
      </div>
    </>
  )
}

function formStartOf(submissionId: string, result: RegistrationResult | undefined): FormStart {
  const refusal = result && !result.ok ? result : undefined
  return {
    submissionId: refusal?.entrega ?? submissionId,
    values: refusal?.valores ?? {},
    documents: documentsOf(() => []),
    received: refusal?.recibidos ?? {},
    feedback: refusal && { message: refusal.message },
    errors: refusal?.campos ?? [],
    mayResumeSending: false,
    wasSent: false,
    isResumed: false,
  }
}
