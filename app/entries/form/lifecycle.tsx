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
  /** Of this rendering: what a new submission goes under. */
  entrega: string
  /** What a submission without JavaScript came to. */
  resultado: RegistrationResult | undefined
  textos: RegistrationFormTexts
}

/** Whether a form stood on the screen before in this document: then its history goes on in it. */
let isKnown = false

/** Whether a document came by a reload, or by Back and Forward. */
const isReturn = () => {
  const [entry] = performance.getEntriesByType('navigation')
  return entry instanceof PerformanceNavigationTiming && ['reload', 'back_forward'].includes(entry.type)
}

/** The form's lives: as the server sent it, taken up from a draft, made blank again by success. */
export function Registration({ forma, entrega, resultado, textos }: RegistrationProps) {
  const [vida, setVida] = useState(() => ({ numero: 0, comienzo: startOf(entrega, resultado) }))
  /** The folio of the registration that just went in. */
  const [exito, setExito] = useState(resultado?.ok ? resultado.folio : undefined)
  const banner = useRef<HTMLDivElement>(null)
  const page = useRef<HTMLDivElement>(null)
  const navigation = useNavigationType()
  const taller = useLazyCode(TALLER)
  const { codigo, reach } = taller
  /** A file was chosen in this form. */
  const begun = useRef(false)
  const isBack = useRef(false)

  /** The control that has the focus in a new form, by its id. */
  const focused = useRef<string>(undefined)

  const begin = (start: FormStart) => setVida(({ numero }) => ({ numero: numero + 1, comienzo: start }))

  useEffect(() => {
    if (focused.current) document.getElementById(focused.current)?.focus({ preventScroll: true })
    focused.current = undefined
  }, [vida.numero])

  const controls = () => page.current?.querySelector('form')?.elements
  /** What stands in the fields already: typed before this script arrived, or brought back by the browser itself. */
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
    // Whoever comes by a link or an address may want another registration, and is asked.
    isBack.current = navigation === 'POP' && (isKnown || isReturn())
    isKnown = true
    const isTouched =
      page.current?.matches(':focus-within') ||
      Object.keys(readTyped()).length > 0 ||
      [...(controls() ?? [])].some((control) => control instanceof HTMLInputElement && control.files?.length)
    // Whoever comes back may find a draft that is only being written down.
    if (resultado || isTouched || isBack.current) reach()
    else void mayHaveDraft().then((may) => may && reach())
  }, [])

  // Not when it came with the page: then the page itself was scrolled to it.
  useEffect(() => {
    if (exito && vida.numero > 0) banner.current?.focus()
  }, [exito, vida.numero])

  return (
    <div
      ref={page}
      // A form whose file is being chosen, or that is being sent, is taken up by no draft unasked.
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
