import { Banner, Warning } from '#app/ui/banner.tsx'
import { Button } from '#app/ui/button.tsx'
import { Enlace } from '#app/ui/enlace.tsx'
import { SelectField, TextField } from '#app/ui/field.tsx'
import { Progress, percent } from '#app/ui/progress.tsx'
import { Documento, formatSize } from './documento.tsx'
import type { Espera } from './envio.client.ts'
import styles from './formulario.module.css'
import { cleanFileName, hasForbiddenCharacter } from './rules.ts'
import {
  type CAMPOS_TEXTO,
  type CampoRegistro,
  CLASES_DOCUMENTO,
  type ClaseDocumento,
  type ErrorCampo,
  ETIQUETAS,
  GRADOS_ESTUDIO,
} from './schema.ts'
import { type Comienzo, useRegistro } from './use-registro.ts'

export interface TextosFormulario {
  advertencia: string
  pistas: Readonly<Record<ClaseDocumento, string>>
  /** What sending means, around the link to the privacy notice. */
  consentimiento: { antes: string; enlace: string; despues: string }
  exito: string
}

const ESPERAS: Readonly<Record<Espera, string>> = {
  sinConexion: 'Sin conexión: seguimos en cuanto vuelva la señal.',
  reintentando: 'La conexión va y viene; lo seguimos intentando.',
  ocupado: 'El sitio está recibiendo muchos archivos; seguimos en un momento.',
}

interface FormularioProps {
  comienzo: Comienzo
  textos: TextosFormulario
  /** The registration is in; the form makes room for a new one. */
  onExito(): void
  /** Something of value was entered. */
  onBegin(): void
}

export function Formulario({ comienzo, textos, ...on }: FormularioProps) {
  const registro = useRegistro(comienzo, on)
  const { refs, entrega, documentos, mensaje, errores, enCurso, espera, avanceOf } = registro

  const errorOf = (campo: CampoRegistro) => errores.find((one) => one.campo === campo)?.message
  const text = (campo: (typeof CAMPOS_TEXTO)[number]) => ({
    id: campo,
    name: campo,
    label: ETIQUETAS[campo],
    defaultValue: comienzo.valores[campo],
    error: errorOf(campo),
    required: true,
  })
  const whole = avanceOf(CLASES_DOCUMENTO.flatMap((clase) => documentos[clase]))

  return (
    <form
      className={styles.form}
      ref={refs.form}
      action="/registro#resultado"
      method="post"
      encType="multipart/form-data"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void registro.send()
      }}
      onInput={registro.corrected}
    >
      <input type="hidden" name="entrega" value={entrega} autoComplete="off" />

      <fieldset className={styles.set}>
        <legend className={styles.legend}>Tus datos</legend>
        <div className={styles.fields}>
          <TextField
            {...text('nombre')}
            className={styles.whole}
            type="text"
            placeholder="Nombre completo"
            autoComplete="name"
            autoCapitalize="words"
            spellCheck={false}
          />
          <TextField
            {...text('edad')}
            className={styles.third}
            type="number"
            placeholder="18 a 26 años"
            inputMode="numeric"
            autoComplete="off"
          />
          <TextField
            {...text('estatura')}
            className={styles.third}
            type="number"
            step="0.01"
            placeholder="1.66 sin zapatos"
            inputMode="decimal"
            autoComplete="off"
          />
          <SelectField {...text('gradoEstudio')} className={styles.half} options={GRADOS_ESTUDIO} autoComplete="off" />
          <TextField
            {...text('celular')}
            className={styles.half}
            type="tel"
            placeholder="10 dígitos"
            autoComplete="tel-national"
          />
        </div>
      </fieldset>

      <fieldset className={styles.set}>
        <legend className={styles.legend}>Tus documentos</legend>
        <Warning>{textos.advertencia}</Warning>
        <div className={styles.rows}>
          {CLASES_DOCUMENTO.map((clase) => {
            const mine = documentos[clase]
            return (
              <div key={clase}>
                <Documento
                  clase={clase}
                  pista={textos.pistas[clase]}
                  elegidos={mine}
                  recibidos={comienzo.recibidos[clase] ?? []}
                  error={errorOf(clase)}
                  avance={enCurso && mine.length > 0 ? avanceOf(mine).part : undefined}
                  fijo={enCurso}
                  onChoose={(files) => registro.choose(clase, files)}
                  onRemove={(id) => registro.remove(clase, id)}
                  onSwap={() => registro.swap(clase)}
                />
                {mensaje?.junto === clase && (
                  <div className={styles.beside}>
                    <Banner tone="bad" message={mensaje.message}>
                      {mensaje.renombrar && (
                        <Renombrar
                          files={mensaje.renombrar}
                          onRename={(files) => {
                            registro.choose(clase, files)
                            // The button goes away with its message.
                            document.getElementById(clase)?.focus()
                          }}
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
        <div className={styles.sending}>
          <Progress label="Avance del registro" value={whole.part} size="wide" />
          <p className={styles.figures}>
            <span>
              {formatSize(whole.sent)} de {formatSize(whole.total)}
            </span>
            <span>{percent(whole.part)}</span>
          </p>
          <p className={styles.waiting} role="status">
            {espera ? ESPERAS[espera] : ''}
          </p>
          <Button className={styles.stop} look="quiet" onClick={registro.stop}>
            Detener
          </Button>
        </div>
      )}

      <div className={styles.outcome} id="resultado">
        {mensaje && !mensaje.junto && (
          <Banner tone="bad" message={mensaje.message} ref={refs.outcome}>
            {errores.length > 0 && <Resumen campos={errores} />}
          </Banner>
        )}
      </div>
    </form>
  )
}

/** Every field to mend, one press away. */
const Resumen = ({ campos }: { campos: readonly ErrorCampo[] }) => (
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
          {ETIQUETAS[campo]}
        </a>
        : {message}
      </li>
    ))}
  </ul>
)

function Renombrar({ files, onRename }: { files: File[]; onRename: (files: File[]) => void }) {
  const names = files.filter(({ name }) => hasForbiddenCharacter(name)).map(({ name }) => `«${cleanFileName(name)}»`)
  return (
    <Button look="outline" onClick={() => onRename(files.map(renamed))}>
      Usarlo como {names.join(' y ')}
    </Button>
  )
}

const renamed = (file: File) =>
  hasForbiddenCharacter(file.name)
    ? new File([file], cleanFileName(file.name), { type: file.type, lastModified: file.lastModified })
    : file
