import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ClaseDocumento } from '#app/entries/definitions/document-kinds.ts'
import { etiquetaDe, type Forma } from '#app/entries/definitions/form.ts'
import { type Comienzo, nadaAntes, startFrom } from '#app/entries/form-state/initial-state.ts'
import type { ErrorCampo } from '#app/entries/rules.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { afterPaint } from '#app/ui/loading/after-paint.ts'
import { Banner, Warning } from '#app/ui/primitives/banner.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import type { EnMarcha } from './controller.tsx'
import { Documento } from './document-row.tsx'
import { TALLER, type TallerAlcanzado } from './lazy-tools.ts'
import styles from './registration-form.module.css'
import { Campos, CampoTecleado } from './typed-fields.tsx'

export interface TextosFormulario {
  /** Above the documents. */
  documentos: string
  advertencia: string
  pistas: Readonly<Partial<Record<ClaseDocumento, string>>>
  /** What sending means, around the link to the privacy notice. */
  consentimiento: { antes: string; enlace: string; despues: string }
  exito: string
}

interface FormularioProps {
  forma: Forma
  comienzo: Comienzo
  textos: TextosFormulario
  taller: TallerAlcanzado
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
export function Formulario({ forma, comienzo, textos, taller, isReceived, ...on }: FormularioProps) {
  const form = useRef<HTMLFormElement>(null)
  const outcome = useRef<HTMLDivElement>(null)
  const submit = useRef<HTMLButtonElement>(null)
  const [quieto] = useState(() => ({ ...startFrom(comienzo), enCurso: false, espera: undefined }))
  const [enMarcha, setEnMarcha] = useState<EnMarcha>()
  const { entrega, documentos, mensaje, errores, rechazos, enCurso, espera } = enMarcha ?? quieto
  const antes = useRef(nadaAntes())
  /** It was pressed before there was anything to send it with. */
  const [isPressed, setIsPressed] = useState(false)
  const isWaiting = isPressed && !enMarcha
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

  function choose(clase: ClaseDocumento, files: File[]): boolean {
    if (enMarcha) return enMarcha.choose(clase, files)
    antes.current.elecciones.push({ clase, files })
    return true
  }

  function send() {
    if (enMarcha) return void enMarcha.send()
    antes.current.enviar = true
    setIsPressed(true)
    reach()
  }

  const latest = useRef(send)
  latest.current = send

  const errorOf = (campo: string) => errores.find((one) => one.campo === campo)?.message
  // Above the form where there are fields to mend, else beside the button that was pressed.
  const resultado = (
    <div className={styles.outcome} id="resultado">
      {mensaje && !mensaje.junto && (
        <Banner tone="bad" message={mensaje.message} ref={outcome}>
          {errores.length > 0 && <Resumen forma={forma} campos={errores} dicho={mensaje.message} />}
          {codigo && <codigo.MalNombrados clases={forma.clases} documentos={documentos} onRename={choose} />}
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
        if (enMarcha) enMarcha.corrected(name)
        else antes.current.campos.add(name)
      }}
      // Whoever goes elsewhere, to read the privacy notice for example, leaves a field first.
      onBlur={enMarcha?.remember}
    >
      <input type="hidden" name="entrega" value={entrega} />
      {errores.length > 0 && resultado}

      {codigo && comienzo.retomado && <codigo.Retomado onDrop={enMarcha?.drop} />}

      <Campos forma={forma} valores={comienzo.valores} errorOf={errorOf} />

      <fieldset className={styles.set}>
        <legend className={styles.legend}>{textos.documentos}</legend>
        <Warning>{textos.advertencia}</Warning>
        <div className={styles.rows}>
          {forma.clases.map((clase) => {
            const mine = documentos[clase]
            const error = errorOf(clase)
            const beside = mensaje?.junto === clase ? mensaje : undefined
            // The banner below the row says it; once is enough.
            const said = error !== undefined && beside !== undefined
            return (
              <div key={clase}>
                <Documento
                  clase={clase}
                  taller={codigo}
                  pista={textos.pistas[clase] ?? ''}
                  elegidos={mine}
                  recibidos={comienzo.recibidos[clase] ?? []}
                  error={said ? undefined : error}
                  invalid={error !== undefined}
                  avance={enCurso && mine.length > 0 ? enMarcha?.avanceOf(mine).part : undefined}
                  fijo={enCurso}
                  onChoose={(files) => choose(clase, files)}
                  onRemove={(id) => enMarcha?.remove(clase, id)}
                  onSwap={() => enMarcha?.swap(clase)}
                />
                {beside && (
                  <div className={styles.beside} id={said ? `${clase}-error` : undefined}>
                    <Banner tone="bad" message={beside.message}>
                      {codigo && beside.renombrar && (
                        <codigo.Renombrar
                          control={clase}
                          files={beside.renombrar}
                          onRename={(files) => choose(clase, files)}
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
            {forma.aparte.map((campo) => (
              <CampoTecleado
                key={campo.nombre}
                campo={campo}
                valor={comienzo.valores[campo.nombre]}
                error={errorOf(campo.nombre)}
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
      {codigo && enMarcha && enCurso && (
        <codigo.AvanceEnvio
          className={styles.sending}
          label="Avance del registro"
          {...enMarcha.avanceOf(forma.clases.flatMap((clase) => documentos[clase]))}
          espera={espera}
          onStop={enMarcha.stop}
        />
      )}

      {errores.length === 0 && resultado}

      {codigo && (
        <codigo.Marcha
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
const Resumen = ({ forma, campos, dicho }: { forma: Forma; campos: readonly ErrorCampo[]; dicho: string }) => (
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
          {oracionOf(etiquetaDe(forma, campo), message === dicho ? undefined : message)}
        </a>
      </li>
    ))}
  </ul>
)

/** A sentence that does not name its field gets its name; one that would do for any field is left away. */
const oracionOf = (etiqueta: string, message: string | undefined) => {
  if (message === undefined) return etiqueta
  if (/\beste (dato|documento)\b/.test(message)) return `Falta: ${etiqueta}`
  return message.toLowerCase().includes(etiqueta.toLowerCase()) ? message : `${etiqueta}: ${message}`
}
