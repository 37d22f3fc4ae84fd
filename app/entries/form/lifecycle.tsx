import { useEffect, useRef, useState } from 'react'
import { useNavigationType } from 'react-router'
import { newUuid } from '#app/core/text/uuid.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { mayHaveDraft } from '#app/entries/form-state/draft-presence.ts'
import { documentsOf, type FormStart } from '#app/entries/form-state/initial-state.ts'
import type { RegistrationResult } from '#app/entries/submission/schema.ts'
import { useLazyCode } from '#app/ui/deferred/lazy-code.ts'
import { FORM_TOOLS } from './lazy-tools.ts'
import { RegistrationForm, type RegistrationFormTexts } from './registration-form.tsx'
import { Success } from './success.tsx'

interface RegistrationProps {
  descriptor: FormDescriptor
  /** Submission id issued with this rendering of the page. */
  submissionId: string
  /** Result of a submission without JavaScript. */
  result: RegistrationResult | undefined
  texts: RegistrationFormTexts
}

/** Whether this document has shown a form before: Back and Forward within it then return to a form. */
let isKnown = false

/** Whether the document was loaded by a reload, or by Back or Forward. */
const isReturn = () => {
  const [entry] = performance.getEntriesByType('navigation')
  return entry instanceof PerformanceNavigationTiming && ['reload', 'back_forward'].includes(entry.type)
}

/** Lifecycle of the form: as the server sent it, resumed from a draft, blank again after success. */
export function Registration({ descriptor, submissionId, result, texts }: RegistrationProps) {
  const [life, setLife] = useState(() => ({ generation: 0, start: startOf(submissionId, result) }))
  /** Folio of the registration that was just received. */
  const [receivedFolio, setReceivedFolio] = useState(result?.ok ? result.folio : undefined)
  const banner = useRef<HTMLDivElement>(null)
  const page = useRef<HTMLDivElement>(null)
  const navigation = useNavigationType()
  const tools = useLazyCode(FORM_TOOLS)
  const { code, reach } = tools
  /** Whether a file picker was opened, a file chosen or submit pressed in this form. */
  const begun = useRef(false)
  const isBack = useRef(false)

  /** Id of the control to focus in the next form. */
  const focused = useRef<string>(undefined)

  const begin = (start: FormStart) => setLife(({ generation }) => ({ generation: generation + 1, start }))

  useEffect(() => {
    if (focused.current) document.getElementById(focused.current)?.focus({ preventScroll: true })
    focused.current = undefined
  }, [life.generation])

  const controls = () => page.current?.querySelector('form')?.elements
  /** Values already in the fields: typed before this script arrived, or restored by the browser. */
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
    // A visit by a link or a typed address may be for another registration: the draft is only offered.
    isBack.current = navigation === 'POP' && (isKnown || isReturn())
    isKnown = true
    const isTouched =
      page.current?.matches(':focus-within') ||
      Object.keys(readTyped()).length > 0 ||
      [...(controls() ?? [])].some((control) => control instanceof HTMLInputElement && control.files?.length)
    // On a return the draft may still be in the course of being saved, so its presence is not asked first.
    if (result || isTouched || isBack.current) reach()
    else void mayHaveDraft().then((may) => may && reach())
  }, [])

  // No focus for a result that came with the page, which was scrolled to the result.
  useEffect(() => {
    if (receivedFolio && life.generation > 0) banner.current?.focus()
  }, [receivedFolio, life.generation])

  return (
    <div
      ref={page}
      // No draft replaces a form unasked once its file is being chosen or the form is being sent.
      onClickCapture={({ target }) => {
        begun.current ||= (target as Element).matches('[type=file],[type=submit]')
      }}
    >
      {code && (
        <code.ResumeDraft
          type={descriptor.type}
          submissionId={life.start.submissionId}
          readTyped={readTyped}
          mayGoOn={() => isBack.current && !result && !begun.current}
          onGoOn={(start, unasked) => {
            if (!unasked) setReceivedFolio(undefined)
            else if (page.current?.contains(document.activeElement)) focused.current = document.activeElement?.id
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
        isReceived={receivedFolio !== undefined}
        onBegin={() => {
          begun.current = true
          setReceivedFolio(undefined)
        }}
        onDrop={() => {
          focused.current = descriptor.fields[0]?.name
          begin(startOf(newUuid(), undefined))
        }}
        onSuccess={(folio) => {
          begin(startOf(newUuid(), undefined))
          setReceivedFolio(folio)
        }}
      />
      {receivedFolio && (
        <Success folio={receivedFolio} text={texts.exito} ref={banner}>
          {code && <code.KeepFolio key={receivedFolio} folio={receivedFolio} />}
        </Success>
      )}
    </div>
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
