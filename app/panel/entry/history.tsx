import { Form } from 'react-router'
import { formatDateTime } from '#app/core/time/mexico-dates.ts'
import type { MessageWithContact } from '#app/entries/letters/schema.ts'
import type { Entry } from '#app/entries/schema.ts'
import { DeliveryStatus } from '#app/panel/delivery-status.tsx'
import { OutcomeNotice } from '#app/panel/outcome-notice.tsx'
import { canUndo } from '#app/panel/rules.ts'
import { StateLabel } from '#app/panel/state-label.tsx'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { CollapsibleSection } from './collapsible-section.tsx'
import styles from './decision-forms.module.css'

interface Props {
  entry: Entry
  messages: MessageWithContact[]
  outcome: { ok: boolean; message: string } | undefined
}

const FIELD_LABELS = { celular: 'Celular', correo: 'Correo' }

/** Lists the state changes, then corrections of the contact, then organisers' messages. */
export function EntryHistory({ entry: { estado, version, history, corrections }, messages, outcome }: Props) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  const changeCount = history.length + corrections.length
  const messageCountText =
    messages.length === 1 ? ', un mensaje' : messages.length > 1 ? `, ${messages.length} mensajes` : ''
  return (
    <CollapsibleSection
      id="historia"
      title="Historia"
      note={(changeCount === 1 ? 'un cambio' : `${changeCount || 'sin'} cambios`) + messageCountText}
      mustOpen={outcome !== undefined}
    >
      {changeCount === 0 && <p>Nadie ha cambiado nada todavía.</p>}
      <ol className={styles.history}>
        {history.map(({ id, at, de, a, nota, isForEntrant, author }, index) => (
          <li key={id}>
            <p>
              <StateLabel state={de} /> → <StateLabel state={a} />
            </p>
            {nota && <p className={styles.note}>{nota}</p>}
            {nota && isForEntrant && (
              <p className={styles.forPerson}>
                {index === 0
                  ? 'La persona la lee con su folio.'
                  : 'La persona podía leerla con su folio hasta el cambio siguiente.'}
              </p>
            )}
            <Author actor={author} at={at} />
          </li>
        ))}
        {corrections.map(({ id, at, campo, antes, ahora, author }) => (
          <li key={`correccion-${id}`}>
            <p className={styles.note}>
              {FIELD_LABELS[campo]}: {antes ?? 'no había'} → {ahora ?? 'ninguno'}
            </p>
            <Author actor={author} at={at} />
          </li>
        ))}
        {messages.map(({ id, sendingId, at, author, asunto, texto, mail }) => (
          <li key={`mensaje-${id}`}>
            <p>
              Mensaje: <Link to={`/organizadores/mensajes/enviado/${sendingId}`}>{asunto}</Link>{' '}
              {mail ? <DeliveryStatus status={mail.suerte} /> : 'sin correo, por teléfono'}
            </p>
            <p className={styles.note}>{texto}</p>
            <Author actor={author ?? 'Una cuenta que ya no está'} at={at} />
          </li>
        ))}
      </ol>
      {canUndo(history, estado) && (
        <Form method="post" preventScrollReset onSubmit={preventResubmit}>
          <input type="hidden" name="version" value={version} />
          <Button type="submit" look="quiet" isBusy={isBusy} name="hacer" value="deshacer">
            Deshacer el último cambio
          </Button>
        </Form>
      )}
      {outcome && <OutcomeNotice outcome={outcome} />}
    </CollapsibleSection>
  )
}

const Author = ({ actor, at }: { actor: string | null; at: Date }) => (
  <p className={styles.author}>
    {actor ?? 'La persona inscrita'},{' '}
    <time dateTime={at.toISOString()} title={formatDateTime(at)}>
      {formatDateTime(at)}
    </time>
  </p>
)
