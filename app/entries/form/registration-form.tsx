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
  /** Heading of the documents. */
  documentos: string
  advertencia: string
  pistas: Readonly<Partial<Record<DocumentKind, string>>>
  /** Consent sentence, around the link to the privacy notice. */
  consentimiento: { antes: string; enlace: string; despues: string }
  exito: string
}

interface RegistrationFormProps {
  forma: Forma
  comienzo: FormStart
  textos: RegistrationFormTexts
  taller: LoadedTools
  /** A registration was just received: submit is not the main action now. */
  isReceived: boolean
  /** The registration was received, and a blank form follows. */
  onExito(folio: string): void
  /** Files were chosen and accepted. */
  onBegin(): void
  /** The draft was given up. */
  onDrop(): void
}

/**
 * The form, plain HTML as the server sent it until the first touch loads its controller (controller.tsx), which takes over the
 * interactions so far. If the controller cannot be loaded, the form is posted plainly.
 */
export function RegistrationForm({ forma, comienzo, textos, taller, isReceived, ...on }: RegistrationFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const outcome = useRef<HTMLDivElement>(null)
  const submit = useRef<HTMLButtonElement>(null)
  const [still] = useState(() => ({ ...startFrom(comienzo), enCurso: false, espera: undefined }))
  const [running, setEnMarcha] = useState<RunningForm>()
  const { entrega, documentos, mensaje, errores, rechazos, enCurso, espera } = running ?? still
  const antes = useRef(nothingBefore())
  /** Submit was pressed before the controller was loaded. */
  const [isPressed, setIsPressed] = useState(false)
  const isWaiting = isPressed && !running
  const { codigo, falta, reach } = taller

  // Runs after the refusal is rendered. A message above the form comes to the top of the window, not cut off.
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
          // Without the controller nothing is saved, as with a plain form.
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
  // Shown above the form when fields need correction, else beside the submit button.
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
      // The first touch loads the controller; a pointer that only passes over the form counts as a touch.
      onPointerEnter={reach}
      onFocus={reach}
      onInput={({ target }) => {
        reach()
        const { name, type } = target as HTMLInputElement
        // A file input is handled in its own change event, which follows.
        if (type === 'file') return
        if (running) running.corrected(name)
        else antes.current.campos.add(name)
      }}
      // Leaving a field saves the draft: following a link, to the privacy notice for example, leaves a field first.
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
            // The banner below the row shows the error already.
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

/** Links to the fields to correct; a message that equals the banner's is not repeated. */
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

/** Adds the label to a message that does not name its field; a message that fits any field becomes «Falta: …». */
const sentenceOf = (label: string, message: string | undefined) => {
  if (message === undefined) return label
  if (/\beste (dato|documento)\b/.test(message)) return `Falta: ${label}`
  return message.toLowerCase().includes(label.toLowerCase()) ? message : `${label}: ${message}`
}
