import { useEffect, useRef, useState } from 'react'
import { useNavigationType } from 'react-router'
import { newUuid } from '#app/core/text/uuid.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import { mayHaveDraft } from '#app/entries/form-state/draft-presence.ts'
import { documentsOf, type FormStart } from '#app/entries/form-state/initial-state.ts'
import type { RegistrationResult } from '#app/entries/submission/schema.ts'
import { useLazyCode } from '#app/ui/loading/lazy-code.ts'
import { TALLER } from './lazy-tools.ts'
import { RegistrationForm, type RegistrationFormTexts } from './registration-form.tsx'
import { Success } from './success.tsx'

interface RegistrationProps {
  forma: Forma
  /** Submission id issued with this rendering of the page. */
  entrega: string
  /** Result of a submission without JavaScript. */
  resultado: RegistrationResult | undefined
  textos: RegistrationFormTexts
}

/** Whether this document has shown a form before: Back and Forward within it then return to a form. */
let isKnown = false

/** Whether the document was loaded by a reload, or by Back or Forward. */
const isReturn = () => {
  const [entry] = performance.getEntriesByType('navigation')
  return entry instanceof PerformanceNavigationTiming && ['reload', 'back_forward'].includes(entry.type)
}

/** Lifecycle of the form: as the server sent it, resumed from a draft, blank again after success. */
export function Registration({ forma, entrega, resultado, textos }: RegistrationProps) {
  const [vida, setVida] = useState(() => ({ numero: 0, comienzo: startOf(entrega, resultado) }))
  /** Folio of the registration that was just received. */
  const [exito, setExito] = useState(resultado?.ok ? resultado.folio : undefined)
  const banner = useRef<HTMLDivElement>(null)
  const page = useRef<HTMLDivElement>(null)
  const navigation = useNavigationType()
  const taller = useLazyCode(TALLER)
  const { codigo, reach } = taller
  /** Whether a file picker was opened, a file chosen or submit pressed in this form. */
  const begun = useRef(false)
  const isBack = useRef(false)

  /** Id of the control to focus in the next form. */
  const focused = useRef<string>(undefined)

  const begin = (start: FormStart) => setVida(({ numero }) => ({ numero: numero + 1, comienzo: start }))

  useEffect(() => {
    if (focused.current) document.getElementById(focused.current)?.focus({ preventScroll: true })
    focused.current = undefined
  }, [vida.numero])

  const controls = () => page.current?.querySelector('form')?.elements
  /** Values already in the fields: typed before this script arrived, or restored by the browser. */
  function readTyped(): Record<string, string> {
    return Object.fromEntries(
      forma.campos.flatMap(({ nombre }) => {
        const control = controls()?.namedItem(nombre)
        const isTyped = control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement
        const isUnticked = control instanceof HTMLInputElement && control.type === 'checkbox' && !control.checked
        return isTyped && !isUnticked && control.value !== '' ? [[nombre, control.value]] : []
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
    if (resultado || isTouched || isBack.current) reach()
    else void mayHaveDraft().then((may) => may && reach())
  }, [])

  // No focus for a result that came with the page, which was scrolled to the result.
  useEffect(() => {
    if (exito && vida.numero > 0) banner.current?.focus()
  }, [exito, vida.numero])

  return (
    <div
      ref={page}
      // No draft replaces a form unasked once its file is being chosen or the form is being sent.
      onClickCapture={({ target }) => {
        begun.current ||= (target as Element).matches('[type=file],[type=submit]')
      }}
    >
      {codigo && (
        <codigo.ResumeDraft
          tipo={forma.tipo}
          entrega={vida.comienzo.entrega}
          readTyped={readTyped}
          mayGoOn={() => isBack.current && !resultado && !begun.current}
          onGoOn={(start, unasked) => {
            if (!unasked) setExito(undefined)
            else if (page.current?.contains(document.activeElement)) focused.current = document.activeElement?.id
            begin(start)
          }}
        />
      )}
      <RegistrationForm
        key={vida.numero}
        forma={forma}
        comienzo={vida.comienzo}
        textos={textos}
        taller={taller}
        isReceived={exito !== undefined}
        onBegin={() => {
          begun.current = true
          setExito(undefined)
        }}
        onDrop={() => {
          focused.current = forma.campos[0]?.nombre
          begin(startOf(newUuid(), undefined))
        }}
        onExito={(folio) => {
          begin(startOf(newUuid(), undefined))
          setExito(folio)
        }}
      />
      {exito && (
        <Success folio={exito} texto={textos.exito} ref={banner}>
          {codigo && <codigo.KeepFolio key={exito} folio={exito} />}
        </Success>
      )}
    </div>
  )
}

function startOf(submission: string, result: RegistrationResult | undefined): FormStart {
  const refusal = result && !result.ok ? result : undefined
  return {
    entrega: refusal?.entrega ?? submission,
    valores: refusal?.valores ?? {},
    documentos: documentsOf(() => []),
    recibidos: refusal?.recibidos ?? {},
    mensaje: refusal && { message: refusal.message },
    errores: refusal?.campos ?? [],
    seguir: false,
    retomado: false,
  }
}
