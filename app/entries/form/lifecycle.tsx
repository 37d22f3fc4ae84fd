import { useEffect, useRef, useState } from 'react'
import { useNavigationType } from 'react-router'
import { newUuid } from '#app/core/text/uuid.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import { mayHaveBorrador } from '#app/entries/form-state/draft-presence.ts'
import { type Comienzo, documentosOf } from '#app/entries/form-state/initial-state.ts'
import type { ResultadoRegistro } from '#app/entries/submission/schema.ts'
import { useHerramienta } from '#app/ui/loading/lazy-code.ts'
import { TALLER } from './lazy-tools.ts'
import { Formulario, type TextosFormulario } from './registration-form.tsx'
import { Exito } from './success.tsx'

interface RegistroProps {
  forma: Forma
  /** Of this rendering: what a new submission goes under. */
  entrega: string
  /** What a submission without JavaScript came to. */
  resultado: ResultadoRegistro | undefined
  textos: TextosFormulario
}

/** Whether a form stood on the screen before in this document: then its history goes on in it. */
let isKnown = false

/** Whether a document came by a reload, or by Back and Forward. */
const isReturn = () => {
  const [entry] = performance.getEntriesByType('navigation')
  return entry instanceof PerformanceNavigationTiming && ['reload', 'back_forward'].includes(entry.type)
}

/** The form's lives: as the server sent it, taken up from a draft, made blank again by success. */
export function Registro({ forma, entrega, resultado, textos }: RegistroProps) {
  const [vida, setVida] = useState(() => ({ numero: 0, comienzo: comienzoOf(entrega, resultado) }))
  /** The folio of the registration that just went in. */
  const [exito, setExito] = useState(resultado?.ok ? resultado.folio : undefined)
  const banner = useRef<HTMLDivElement>(null)
  const page = useRef<HTMLDivElement>(null)
  const navigation = useNavigationType()
  const taller = useHerramienta(TALLER)
  const { codigo, reach } = taller
  /** A file was chosen in this form. */
  const begun = useRef(false)
  const isBack = useRef(false)

  /** The control that has the focus in a new form, by its id. */
  const focused = useRef<string>(undefined)

  const begin = (comienzo: Comienzo) => setVida(({ numero }) => ({ numero: numero + 1, comienzo }))

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
    else void mayHaveBorrador().then((may) => may && reach())
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
        <codigo.Retomar
          tipo={forma.tipo}
          entrega={vida.comienzo.entrega}
          readTyped={readTyped}
          mayGoOn={() => isBack.current && !resultado && !begun.current}
          onGoOn={(comienzo, unasked) => {
            if (!unasked) setExito(undefined)
            else if (page.current?.contains(document.activeElement)) focused.current = document.activeElement?.id
            begin(comienzo)
          }}
        />
      )}
      <Formulario
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
          begin(comienzoOf(newUuid(), undefined))
        }}
        onExito={(folio) => {
          begin(comienzoOf(newUuid(), undefined))
          setExito(folio)
        }}
      />
      {exito && (
        <Exito folio={exito} texto={textos.exito} ref={banner}>
          {codigo && <codigo.Guardar key={exito} folio={exito} />}
        </Exito>
      )}
    </div>
  )
}

function comienzoOf(entrega: string, resultado: ResultadoRegistro | undefined): Comienzo {
  const rechazo = resultado && !resultado.ok ? resultado : undefined
  return {
    entrega: rechazo?.entrega ?? entrega,
    valores: rechazo?.valores ?? {},
    documentos: documentosOf(() => []),
    recibidos: rechazo?.recibidos ?? {},
    mensaje: rechazo && { message: rechazo.message },
    errores: rechazo?.campos ?? [],
    seguir: false,
    retomado: false,
  }
}
