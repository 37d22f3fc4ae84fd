import { useId } from 'react'
import { formatSize, Progress, percent } from '#app/ui/forms/progress.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './file-fields.module.css'
import type { FileSending } from './use-send-file.ts'

interface Props {
  id: string
  envio: FileSending
  /** The button's text, like «Elegir fotografía». */
  accion: string
  etiqueta: string
  /** Spanish hint about the accepted files. */
  pista: string
  describedBy?: string | undefined
  invalid?: boolean | undefined
}

/** A file input, with the progress of its upload. */
export function FilePicker({ id, envio, accion, etiqueta, pista, describedBy, invalid }: Props) {
  const { estado, accept } = envio
  const hintId = useId()
  const messageId = useId()
  const said = estado.que === 'rechazado' ? messageId : undefined
  return (
    <div className={styles.elegir}>
      <label className={joinClasses(styles.boton, invalid && styles.malo)}>
        <input
          id={id}
          type="file"
          className={styles.archivo}
          accept={accept}
          aria-label={`${accion}: ${etiqueta}`}
          aria-describedby={[describedBy, hintId, said].filter(Boolean).join(' ')}
          aria-invalid={invalid || estado.que === 'rechazado' || undefined}
          onChange={({ target }) => {
            const [file] = target.files ?? []
            // Cleared, so that choosing the same file again fires a change event, too.
            target.value = ''
            if (file) envio.enviar(file)
          }}
        />
        <span aria-hidden="true">{accion}</span>
      </label>
      <p className={styles.pista} id={hintId}>
        {pista}
      </p>
      <UploadProgress envio={envio} etiqueta={etiqueta} dichoId={messageId} />
    </div>
  )
}

function UploadProgress({ envio, etiqueta, dichoId }: { envio: FileSending; etiqueta: string; dichoId: string }) {
  const { estado } = envio
  const part = estado.que === 'enviando' ? estado.sent / Math.max(1, estado.total) : 1
  return (
    <>
      {estado.que === 'enviando' && (
        <div className={styles.marcha}>
          <Progress label={`Envío: ${etiqueta}`} value={part} size="wide" />
          <p className={styles.cifras}>
            <span className={styles.nombre}>{estado.nombre}</span>
            <span>
              {formatSize(estado.sent)} de {formatSize(estado.total)} · {percent(part)}
            </span>
          </p>
          <Button look="quiet" onClick={envio.detener}>
            Pausar
          </Button>
        </div>
      )}
      {estado.que === 'detenido' && (
        <div className={styles.marcha}>
          <p>«{estado.nombre}» está en pausa.</p>
          <p className={styles.botones}>
            <Button look="outline" onClick={envio.seguir}>
              Seguir
            </Button>
            <Button look="quiet" onClick={envio.olvidar}>
              Quitar
            </Button>
          </p>
        </div>
      )}
      <p className={styles.espera} role="status">
        {estado.que === 'abriendo' ? `Preparando «${estado.nombre}»… ${estado.espera ?? ''}` : null}
        {estado.que === 'enviando' ? estado.espera : null}
      </p>
      <div role="alert" className={styles.alerta}>
        {estado.que === 'rechazado' && (
          <>
            <p className={styles.mal} id={dichoId}>
              {estado.message}
            </p>
            {estado.seguir && (
              <p className={styles.botones}>
                {estado.reason === 'sesion' && (
                  <a className={styles.enlace} href="/organizadores" target="_blank" rel="noreferrer">
                    Entrar en otra pestaña
                  </a>
                )}
                <Button look="outline" onClick={envio.seguir}>
                  Seguir
                </Button>
              </p>
            )}
          </>
        )}
      </div>
    </>
  )
}
