import { type ReactNode, useId } from 'react'
import { Button } from '#app/ui/components/button.tsx'
import { formatPercent, formatSize, Progress } from '#app/ui/forms/progress.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './file-fields.module.css'
import type { FileSender } from './use-file-sender.ts'

interface Props {
  id: string
  sender: FileSender
  /** Text of the button, such as «Elegir fotografía». */
  action: string
  label: string
  hint: string
  /** Receives the chosen files; without it a single file can be chosen, which is uploaded at once. */
  onChoose?(files: File[]): void
  describedBy?: string | undefined
  isInvalid?: boolean | undefined
  /** Whether a file has to be chosen before publishing. */
  required?: boolean | undefined
  /** Text right below the button. */
  children?: ReactNode
}

export function FilePicker({
  id,
  sender,
  action,
  label,
  hint,
  onChoose,
  describedBy,
  isInvalid,
  required,
  children,
}: Props) {
  const { status, accept } = sender
  const hintId = useId()
  const messageId = useId()
  const refusalId = status.kind === 'refused' ? messageId : undefined
  return (
    <div className={styles.picker}>
      <label className={joinClasses(styles.button, isInvalid && styles.invalid)}>
        <input
          id={id}
          type="file"
          className={styles.fileInput}
          accept={accept}
          required={required}
          multiple={onChoose !== undefined}
          aria-label={`${action}: ${label}`}
          aria-describedby={[describedBy, hintId, refusalId].filter(Boolean).join(' ')}
          aria-invalid={isInvalid || status.kind === 'refused' || undefined}
          onChange={({ target }) => {
            const files = [...(target.files ?? [])]
            // The input is cleared, so that choosing the same file again fires a change event, too.
            target.value = ''
            if (onChoose) onChoose(files)
            else if (files[0]) sender.send(files[0])
          }}
        />
        <span aria-hidden="true">{action}</span>
      </label>
      {children}
      <p className={styles.hint} id={hintId}>
        {hint}
      </p>
      <UploadProgress sender={sender} label={label} messageId={messageId} />
    </div>
  )
}

function UploadProgress({ sender, label, messageId }: { sender: FileSender; label: string; messageId: string }) {
  const { status } = sender
  const sentShare = status.kind === 'sending' ? status.sent / Math.max(1, status.total) : 1
  return (
    <>
      {status.kind === 'sending' && (
        <div className={styles.progress}>
          <Progress label={`Envío: ${label}`} value={sentShare} size="wide" />
          <p className={styles.progressText}>
            <span className={styles.name}>{status.fileName}</span>
            <span>
              {formatSize(status.sent)} de {formatSize(status.total)} · {formatPercent(sentShare)}
            </span>
          </p>
          <Button look="quiet" onClick={sender.pause}>
            Pausar
          </Button>
        </div>
      )}
      {status.kind === 'paused' && (
        <div className={styles.progress}>
          <p>«{status.fileName}» está en pausa.</p>
          <p className={styles.buttons}>
            <Button look="outline" onClick={sender.resume}>
              Seguir
            </Button>
            <Button look="quiet" onClick={sender.abandon}>
              Quitar
            </Button>
          </p>
        </div>
      )}
      <p className={styles.status} role="status">
        {status.kind === 'opening' ? `Preparando «${status.fileName}»… ${status.waitText ?? ''}` : null}
        {status.kind === 'sending' ? status.waitText : null}
      </p>
      <div role="alert" className={styles.alert}>
        {status.kind === 'refused' && (
          <>
            <p className={styles.error} id={messageId}>
              {status.message}
            </p>
            {status.canResume && (
              <p className={styles.buttons}>
                {status.reason === 'sesion' && (
                  <a className={styles.link} href="/organizadores" target="_blank" rel="noreferrer">
                    Entrar en otra pestaña
                  </a>
                )}
                <Button look="outline" onClick={sender.resume}>
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
