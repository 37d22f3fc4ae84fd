import { hasForbiddenCharacter } from '#app/inscripciones/archivos.ts'
import type { ClaseDocumento } from '#app/inscripciones/clases.ts'
import { etiquetaDe, type Forma } from '#app/inscripciones/formas.ts'
import type { ErrorCampo } from '#app/inscripciones/rules.ts'
import { ESPERAS } from '#app/platform/espera.ts'
import { AvanceEnvio } from '#app/ui/avance-envio.tsx'
import { Banner, Warning } from '#app/ui/banner.tsx'
import { Button } from '#app/ui/button.tsx'
import { Enlace } from '#app/ui/enlace.tsx'
import { Campos, CampoTecleado } from './campos-tecleados.tsx'
import { Documento } from './documento.tsx'
import styles from './formulario.module.css'
import type { Comienzo } from './registro-estado.ts'
import { Renombrar } from './renombrar.tsx'
import { useRegistro } from './use-registro.ts'

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
  /** The registration is in; the form makes room for a new one. */
  onExito(folio: string): void
  /** Something of value was entered. */
  onBegin(): void
  /** A draft is given up. */
  onDrop(): void
}

export function Formulario({ forma, comienzo, textos, ...on }: FormularioProps) {
  const registro = useRegistro(forma, comienzo, on)
  const { refs, entrega, documentos, mensaje, errores, enCurso, espera, avanceOf } = registro

  const errorOf = (campo: string) => errores.find((one) => one.campo === campo)?.message
  /** Sent with a name that is refused: the first row of which one stands there. */
  const misnamed = forma.clases
    .map((clase) => ({ clase, files: documentos[clase].map(({ file }) => file) }))
    .find(({ files }) => files.some(({ name }) => hasForbiddenCharacter(name)))
  function rename(clase: ClaseDocumento, files: File[]) {
    registro.choose(clase, files)
    // The button goes away with its message.
    document.getElementById(clase)?.focus()
  }
  // Above the form where there are fields to mend, else beside the button that was pressed.
  const resultado = (
    <div className={styles.outcome} id="resultado">
      {mensaje && !mensaje.junto && (
        <Banner tone="bad" message={mensaje.message} ref={refs.outcome}>
          {errores.length > 0 && <Resumen forma={forma} campos={errores} dicho={mensaje.message} />}
          {misnamed && <Renombrar files={misnamed.files} onRename={(files) => rename(misnamed.clase, files)} />}
        </Banner>
      )}
    </div>
  )
  const whole = avanceOf(forma.clases.flatMap((clase) => documentos[clase]))

  return (
    <form
      className={styles.form}
      ref={refs.form}
      action={`${forma.ruta}#resultado`}
      method="post"
      encType="multipart/form-data"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void registro.send()
      }}
      onInput={registro.corrected}
      // Whoever goes elsewhere, to read the privacy notice for example, leaves a field first.
      onBlur={registro.remember}
    >
      <input type="hidden" name="entrega" value={entrega} />

      {errores.length > 0 && resultado}

      {comienzo.retomado && (
        <div className={styles.resumed}>
          <p>Aquí sigue tu registro, como lo dejaste. Está guardado sólo en este dispositivo, por un día.</p>
          <Button look="outline" onClick={registro.drop}>
            Empezar de nuevo
          </Button>
        </div>
      )}

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
                  pista={textos.pistas[clase] ?? ''}
                  elegidos={mine}
                  recibidos={comienzo.recibidos[clase] ?? []}
                  error={said ? undefined : error}
                  invalid={error !== undefined}
                  avance={enCurso && mine.length > 0 ? avanceOf(mine).part : undefined}
                  fijo={enCurso}
                  onChoose={(files) => registro.choose(clase, files)}
                  onRemove={(id) => registro.remove(clase, id)}
                  onSwap={() => registro.swap(clase)}
                />
                {beside && (
                  <div className={styles.beside} id={said ? `${clase}-error` : undefined}>
                    <Banner tone="bad" message={beside.message}>
                      {beside.renombrar && (
                        <Renombrar files={beside.renombrar} onRename={(files) => rename(clase, files)} />
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
        <Button className={styles.submit} type="submit" busy={enCurso} ref={refs.submit}>
          {enCurso ? 'Subiendo información...' : 'Enviar Registro'}
        </Button>
      </div>

      {enCurso && (
        <AvanceEnvio
          className={styles.sending}
          label="Avance del registro"
          sent={whole.sent}
          total={whole.total}
          espera={espera && ESPERAS[espera]}
          onStop={registro.stop}
        />
      )}

      {errores.length === 0 && resultado}
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
