import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { DocumentKind } from '#app/entries/definitions/document-kinds.ts'
import { type Forma, labelOf } from '#app/entries/definitions/form.ts'
import { type FormStart, nothingBefore, startFrom } from '#app/entries/form-state/initial-state.ts'
import type { FieldError } from '#app/entries/rules.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { afterPaint } from '#app/ui/loading/after-paint.ts'
import { Banner, Warning } from '#app/ui/primitives/banner.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import type { RunningForm } from './controller.tsx'
import { DocumentRow } from './document-row.tsx'
import { type LoadedTools, TALLER } from './lazy-tools.ts'
import styles from './registration-form.module.css'
import { TypedField, TypedFields } from './typed-fields.tsx'

export interface RegistrationFormTexts {
  /** Above the documents. */
  documentos: string
  advertencia: string
  pistas: Readonly<Partial<Record<DocumentKind, string>>>
  /** What sending means, around the link to the privacy notice. */
  consentimiento: { antes: string; enlace: string; despues: string }
  exito: string
}

interface RegistrationFormProps {
  forma: Forma
  comienzo: FormStart
  textos: RegistrationFormTexts
  taller: LoadedTools
  /** What was sent is in, and says so: there is nothing to be pressed next. */
  isReceived: boolean
  /** The registration is in; the form makes room for a new one. */
  onExito(folio: string): void
  /** Something of value was entered. */
  onBegin(): void
  /** A draft is given up. */
  onDrop(): void
}

/**
 * A form, which stands there as the server sent it until it is touched: then comes what works on it (marcha.tsx), and takes
 * up what has happened in it meanwhile. Where that cannot be had, it is a plain form.
 */
export function RegistrationForm({ forma, comienzo, textos, taller, isReceived, ...on }: RegistrationFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const outcome = useRef<HTMLDivElement>(null)
  const submit = useRef<HTMLButtonElement>(null)
  const [still] = useState(() => ({ ...startFrom(comienzo), enCurso: false, espera: undefined }))
  const [running, setEnMarcha] = useState<RunningForm>()
  const { entrega, documentos, mensaje, errores, rechazos, enCurso, espera } = running ?? still
  const antes = useRef(nothingBefore())
  /** It was pressed before there was anything to send it with. */
  const [isPressed, setIsPressed] = useState(false)
  const isWaiting = isPressed && !running
  const { codigo, falta, reach } = taller

  // After the render that shows it. What stands above the form comes to the head of the window, and nothing that is cut.
  useEffect(() => {
    if (rechazos === 0) return
    outcome.current?.focus({ preventScroll: true })
    outcome.current?.scrollIntoView({ block: errores.length > 0 ? 'start' : 'nearest' })
  }, [rechazos])

  useLayoutEffect(() => {
    const left = form.current!
    return () => {
      const { elecciones, campos } = antes.current
      if (elecciones.length + campos.size > 0)
        TALLER.load().then(
          ({ keepLeft }) => keepLeft(forma, comienzo, left, antes.current),
          // It cannot be had: then it was a plain form, and is left like one.
          () => {},
        )
    }
  }, [])

  useEffect(() => {
    if (isWaiting && falta === 'noLlega') form.current?.submit()
  }, [isWaiting, falta])

  function choose(kind: DocumentKind, files: File[]): boolean {
    if (running) return running.choose(kind, files)
    antes.current.elecciones.push({ clase: kind, files })
    return true
  }

  function send() {
    if (running) return void running.send()
    antes.current.enviar = true
    setIsPressed(true)
    reach()
  }

  const latest = useRef(send)
  latest.current = send

  const errorOf = (field: string) => errores.find((one) => one.campo === field)?.message
  // Above the form where there are fields to mend, else beside the button that was pressed.
  const result = (
    <div className={styles.outcome} id="resultado">
      {mensaje && !mensaje.junto && (
        <Banner tone="bad" message={mensaje.message} ref={outcome}>
          {errores.length > 0 && <Summary forma={forma} campos={errores} dicho={mensaje.message} />}
          {codigo && <codigo.MisnamedFiles clases={forma.clases} documentos={documentos} onRename={choose} />}
        </Banner>
      )}
    </div>
  )

  return (
    <form
      className={styles.form}
      ref={form}
      action={`${forma.ruta}#resultado`}
      method="post"
      encType="multipart/form-data"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        afterPaint(() => latest.current())
      }}
      // The first touch brings what works on the form; a finger that only passes over it is one.
      onPointerEnter={reach}
      onFocus={reach}
      onInput={({ target }) => {
        reach()
        const { name, type } = target as HTMLInputElement
        // What a file input brings is looked at in its own event, which follows.
        if (type === 'file') return
        if (running) running.corrected(name)
        else antes.current.campos.add(name)
      }}
      // Whoever goes elsewhere, to read the privacy notice for example, leaves a field first.
      onBlur={running?.remember}
    >
      <input type="hidden" name="entrega" value={entrega} />
      {errores.length > 0 && result}

      {codigo && comienzo.retomado && <codigo.ResumedDraft onDrop={running?.drop} />}

      <TypedFields forma={forma} valores={comienzo.valores} errorOf={errorOf} />

      <fieldset className={styles.set}>
        <legend className={styles.legend}>{textos.documentos}</legend>
        <Warning>{textos.advertencia}</Warning>
        <div className={styles.rows}>
          {forma.clases.map((kind) => {
            const mine = documentos[kind]
            const error = errorOf(kind)
            const beside = mensaje?.junto === kind ? mensaje : undefined
            // The banner below the row says it; once is enough.
            const said = error !== undefined && beside !== undefined
            return (
              <div key={kind}>
                <DocumentRow
                  clase={kind}
                  taller={codigo}
                  pista={textos.pistas[kind] ?? ''}
                  elegidos={mine}
                  recibidos={comienzo.recibidos[kind] ?? []}
                  error={said ? undefined : error}
                  invalid={error !== undefined}
                  avance={enCurso && mine.length > 0 ? running?.avanceOf(mine).part : undefined}
                  fijo={enCurso}
                  onChoose={(files) => choose(kind, files)}
                  onRemove={(id) => running?.remove(kind, id)}
                  onSwap={() => running?.swap(kind)}
                />
                {beside && (
                  <div className={styles.beside} id={said ? `${kind}-error` : undefined}>
                    <Banner tone="bad" message={beside.message}>
                      {codigo && beside.renombrar && (
                        <codigo.Rename
                          control={kind}
                          files={beside.renombrar}
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

      {forma.aparte.length > 0 && (
        <fieldset className={styles.set}>
          <legend className={styles.legend}>Tú decides</legend>
          <div className={styles.permisos}>
            {forma.aparte.map((field) => (
              <TypedField
                key={field.nombre}
                campo={field}
                valor={comienzo.valores[field.nombre]}
                error={errorOf(field.nombre)}
              />
            ))}
          </div>
        </fieldset>
      )}

      <div className={styles.send}>
        <p className={styles.consent}>
          {textos.consentimiento.antes} <Enlace to="/aviso-de-privacidad">{textos.consentimiento.enlace}</Enlace>
          {textos.consentimiento.despues}
        </p>
        <Button
          className={styles.submit}
          look={isReceived ? 'outline' : 'main'}
          type="submit"
          busy={enCurso || isWaiting}
          ref={submit}
        >
          {enCurso || isWaiting ? 'Subiendo información...' : 'Enviar Registro'}
        </Button>
      </div>

      {isWaiting && (
        <p className={styles.falta} role="status">
          {falta && 'Una parte de esta página no llega; lo seguimos intentando.'}
        </p>
      )}
      {codigo && running && enCurso && (
        <codigo.SendingProgress
          className={styles.sending}
          label="Avance del registro"
          {...running.avanceOf(forma.clases.flatMap((kind) => documentos[kind]))}
          espera={espera}
          onStop={running.stop}
        />
      )}

      {errores.length === 0 && result}

      {codigo && (
        <codigo.Controller
          forma={forma}
          comienzo={comienzo}
          partes={{ form, submit }}
          antes={antes}
          onCambio={setEnMarcha}
          {...on}
        />
      )}
    </form>
  )
}

/** What is to be mended, each sentence a press away from its field; what the banner says itself is not said again. */
const Summary = ({ forma, campos, dicho }: { forma: Forma; campos: readonly FieldError[]; dicho: string }) => (
  <ul className={styles.summary}>
    {campos.map(({ campo, message }) => (
      <li key={campo}>
        <a
          href={`#${campo}`}
          onClick={(event) => {
            event.preventDefault()
            document.getElementById(campo)?.focus()
          }}
        >
          {sentenceOf(labelOf(forma, campo), message === dicho ? undefined : message)}
        </a>
      </li>
    ))}
  </ul>
)

/** A sentence that does not name its field gets its name; one that would do for any field is left away. */
const sentenceOf = (label: string, message: string | undefined) => {
  if (message === undefined) return label
  if (/\beste (dato|documento)\b/.test(message)) return `Falta: ${label}`
  return message.toLowerCase().includes(label.toLowerCase()) ? message : `${label}: ${message}`
}
