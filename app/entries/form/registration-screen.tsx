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
import { Success } from './success.tsx'

interface RegistrationScreenProps {
  descriptor: FormDescriptor
  title: string
  texts: RegistrationFormTexts & {
    imagen: Picture
    entrada: string
    notas: readonly { titulo: string; texto: string; alLlenar: boolean }[]
  }
  /** The loader issued this submission id with this rendering of the page. */
  submissionId: string
  /** A submission without JavaScript had this result. */
  result: RegistrationResult | undefined
  /** The message says why the form is closed, with the date; undefined while the form is open. */
  closedMessage: string | undefined
}

/** Keeps a first word of one or two letters on the line of the next word. */
const keepWithNextWord = (text: string) => text.replace(/([.:] \S{1,2}) /g, '$1\u00a0')

/** Shows a registration's picture, its form (or the date while closed), and notes beside the form. */
export function RegistrationScreen({
  descriptor,
  title,
  texts,
  submissionId,
  result,
  closedMessage,
}: RegistrationScreenProps) {
  // A form that was just posted stays visible, even if it came too late.
  const hasForm = !closedMessage || result !== undefined
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
              <h2>{closedMessage}</h2>
              <p>
                Las fechas y las bases están en <Link to="/convocatoria">Convocatorias</Link>. Si ya te registraste,{' '}
                <Link to="/folio">consulta tu folio</Link>.
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
          {!closedMessage && (
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

/** This document has shown a form before, so Back and Forward within the document return to a form. */
let hasShownForm = false

/** Returns whether the document was loaded by a reload, or by Back or Forward. */
const isReturn = () => {
  const [entry] = performance.getEntriesByType('navigation')
  return entry instanceof PerformanceNavigationTiming && ['reload', 'back_forward'].includes(entry.type)
}

/**
 * Renders the form as the server sent it, resumed from a draft, and blank again after success: the success panel then has the form's
 * place, and the blank form stands below, for another registration.
 */
function Registration({
  descriptor,
  submissionId,
  result,
  texts,
}: Omit<RegistrationScreenProps, 'title' | 'closedMessage'>) {
  const [life, setLife] = useState(() => ({ generation: 0, start: startOf(submissionId, result) }))
  /** The registration that was just received has this folio. */
  const [receivedFolio, setReceivedFolio] = useState(result?.ok ? result.folio : undefined)
  const banner = useRef<HTMLDivElement>(null)
  const page = useRef<HTMLDivElement>(null)
  const navigationType = useNavigationType()
  const tools = useLazyCode(FORM_TOOLS)
  const { code, reach } = tools
  /** A file picker was opened, a file chosen or submit pressed in this form, so no draft may replace the form unasked. */
  const hasBegun = useRef(false)
  const isBack = useRef(false)

  /** The control with this id takes the focus in the next form. */
  const nextFocusId = useRef<string>(undefined)

  const begin = (start: FormStart) => setLife(({ generation }) => ({ generation: generation + 1, start }))

  useEffect(() => {
    if (nextFocusId.current) document.getElementById(nextFocusId.current)?.focus({ preventScroll: true })
    nextFocusId.current = undefined
  }, [life.generation])

  const controls = () => page.current?.querySelector('form')?.elements
  /** Reads the fields that were typed in before this script arrived, or that the browser restored; empty fields are absent. */
  function readTyped(): Record<string, string> {
    return Object.fromEntries(
      descriptor.fields.flatMap(({ name }) => {
        const control = controls()?.namedItem(name)
        const isTyped = control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement
        const isUnticked = control instanceof HTMLInputElement && control.type === 'checkbox' && !control.checked
        return isTyped && !isUnticked && control.value !== '' ? [[name, control.value]] : []
      }),
    )
  }

  useEffect(() => {
    // A visit by a link or a typed address may be for another registration, so the draft is only offered.
    isBack.current = navigationType === 'POP' && (hasShownForm || isReturn())
    hasShownForm = true
    const isTouched =
      page.current?.matches(':focus-within') ||
      Object.keys(readTyped()).length > 0 ||
      [...(controls() ?? [])].some((control) => control instanceof HTMLInputElement && control.files?.length)
    // On a return the draft may still be being saved, so the tools are loaded without asking for its presence.
    if (result || isTouched || isBack.current) reach()
    else void mayHaveDraft().then((may) => may && reach())
  }, [])

  // A result that came with the page takes no focus, since the address scrolled the page to it.
  useEffect(() => {
    if (!receivedFolio || life.generation === 0) return
    banner.current?.focus({ preventScroll: true })
    banner.current?.scrollIntoView()
  }, [receivedFolio, life.generation])

  return (
    <>
      {receivedFolio && (
        <Success
          folio={receivedFolio}
          text={texts.exito}
          whatToBring={code && <code.WhatToBring kinds={descriptor.kinds} />}
          ref={banner}
        >
          {code && <code.KeepFolio key={receivedFolio} folio={receivedFolio} />}
        </Success>
      )}
      <div
        ref={page}
        className={receivedFolio && styles.another}
        // No draft replaces a form unasked once its file is being chosen or the form is being sent.
        onClickCapture={({ target }) => {
          hasBegun.current ||= (target as Element).matches('[type=file],[type=submit]')
        }}
      >
        {code && (
          <code.ResumeDraft
            type={descriptor.type}
            submissionId={life.start.submissionId}
            readTyped={readTyped}
            mayGoOn={() => isBack.current && !result && !hasBegun.current}
            onGoOn={(start, unasked) => {
              if (!unasked) setReceivedFolio(undefined)
              else if (page.current?.contains(document.activeElement)) nextFocusId.current = document.activeElement?.id
              begin(start)
            }}
          />
        )}
        <RegistrationForm
          key={life.generation}
          descriptor={descriptor}
          start={life.start}
          texts={texts}
          tools={tools}
          onBegin={() => {
            hasBegun.current = true
            setReceivedFolio(undefined)
          }}
          onDiscard={() => {
            nextFocusId.current = descriptor.fields[0]?.name
            begin(startOf(newUuid(), undefined))
          }}
          onSuccess={(folio) => {
            begin(startOf(newUuid(), undefined))
            setReceivedFolio(folio)
          }}
        />
      </div>
    </>
  )
}

function startOf(submission: string, result: RegistrationResult | undefined): FormStart {
  const refusal = result && !result.ok ? result : undefined
  return {
    submissionId: refusal?.entrega ?? submission,
    values: refusal?.valores ?? {},
    documents: documentsOf(() => []),
    received: refusal?.recibidos ?? {},
    feedback: refusal && { message: refusal.message },
    errors: refusal?.campos ?? [],
    resumesSending: false,
    isResumed: false,
  }
}
