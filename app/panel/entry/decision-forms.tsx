import { useEffect, useRef } from 'react'
import { Form } from 'react-router'
import { formatPastMoment } from '#app/core/time/mexico-dates.ts'
import { documentName } from '#app/entries/definitions/document-kinds.ts'
import { listChoosableStates } from '#app/entries/rules.ts'
import {
  ENTRY_STATE_NAMES,
  type Entry,
  type EntryDocument,
  type EntryState,
  MAX_NOTE_CHARACTERS,
} from '#app/entries/schema.ts'
import { OutcomeNotice } from '#app/panel/outcome-notice.tsx'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/components/button.tsx'
import { CollapsibleSection } from './collapsible-section.tsx'
import styles from './decision-forms.module.css'

/** Result of one of the entry's forms; a refusal returns the sent values. */
export type EntryFormOutcome = { intent: string; message: string } & (
  | { ok: true }
  | { ok: false; note: string; isForEntrant: boolean; state: EntryState | undefined; documentId: string }
)

interface DecisionFormProps {
  entry: Entry
  /** Result of the form, if it was the last one sent. */
  outcome: EntryFormOutcome | undefined
}

/** Empties a form after it was saved, so that a note is not saved twice. @returns the form's ref */
function useResetAfterSave(outcome: EntryFormOutcome | undefined) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (outcome?.ok) form.current?.reset()
  }, [outcome])
  return form
}

/** Shows a form that moves the entry to another state (`listChoosableStates`), with an optional note. */
export function DecisionForm({ entry: { estado, version }, outcome }: DecisionFormProps) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  const form = useResetAfterSave(outcome)
  const refusal = outcome?.ok === false ? outcome : undefined
  return (
    <CollapsibleSection id="decidir" title="Decidir" note="con nota, o a otro estado" mustOpen={outcome !== undefined}>
      <Form method="post" preventScrollReset className={styles.form} onSubmit={preventResubmit} ref={form}>
        <input type="hidden" name="version" value={version} />
        <label htmlFor="estado">Pasa a</label>
        <select id="estado" name="estado" defaultValue={refusal?.state ?? listChoosableStates(estado)[0]} key={estado}>
          {listChoosableStates(estado).map((state) => (
            <option key={state} value={state}>
              {ENTRY_STATE_NAMES[state]}
            </option>
          ))}
        </select>
        <label htmlFor="nota">Nota (opcional, para la organización)</label>
        <textarea id="nota" name="nota" rows={3} maxLength={MAX_NOTE_CHARACTERS} defaultValue={refusal?.note} />
        <label className={styles.checkbox}>
          <input type="checkbox" name="paraPersona" value="si" defaultChecked={refusal?.isForEntrant ?? false} />
          La persona también la lee, con su folio
        </label>
        <Button type="submit" look="outline" isBusy={isBusy} name="hacer" value="decidir">
          Guardar decisión
        </Button>
      </Form>
      {outcome && <OutcomeNotice outcome={outcome} />}
    </CollapsibleSection>
  )
}

/** Reasons that a button writes into the note, in words for the entrant. */
const REASONS = [
  'Se ve borrosa o movida: tómala de nuevo con más luz.',
  'Está cortada: que se vea completa, con sus cuatro esquinas.',
  'Tiene reflejo y no se lee: tómala sin flash.',
  'No es el documento que pedimos.',
]

interface DocumentRequestFormProps extends DecisionFormProps {
  /** Documents that can be requested again. */
  documents: readonly EntryDocument[]
  /** Document in the viewer, which the form preselects. */
  openDocument: EntryDocument | undefined
  now: Date
  /** Whether the form covers the lower part of a phone's screen. */
  isSheet: boolean
  onClose(): void
}

export function DocumentRequestForm({
  entry,
  documents,
  openDocument,
  now,
  outcome,
  isSheet,
  onClose,
}: DocumentRequestFormProps) {
  const { version, requests, correo, celular, folio } = entry
  const { isBusy, preventResubmit } = useSubmitOnce()
  const form = useResetAfterSave(outcome)
  const sheet = useRef<HTMLDivElement>(null)
  const note = useRef<HTMLTextAreaElement>(null)
  const refusal = outcome?.ok === false ? outcome : undefined
  useEffect(() => {
    if (!isSheet) return
    sheet.current?.focus()
    sheet.current?.scrollIntoView({ block: 'nearest' })
  }, [isSheet])
  return (
    <CollapsibleSection
      id="pedir"
      title="Pedir un documento de nuevo"
      note={requests.length > 0 ? `${requests.length} por llegar` : undefined}
      mustOpen={outcome !== undefined || isSheet}
    >
      <div className={styles.request} data-sheet={isSheet || undefined} ref={sheet} tabIndex={-1}>
        {isSheet && (
          <button type="button" className={styles.close} onClick={onClose} data-shortcut="Escape">
            Cerrar
          </button>
        )}
        {isSheet && <p className={styles.sheetTitle}>Pedir un documento de nuevo</p>}
        {requests.length > 0 && (
          <ul className={styles.requests}>
            {requests.map(({ id, clase, lado, nota, requestedAt }) => (
              <li key={id}>
                <b>{documentName(clase, lado)}</b>, pedido {formatPastMoment(requestedAt, now)}: {nota}
              </li>
            ))}
          </ul>
        )}
        <p className={styles.notice}>
          {correo ? (
            `Le llega un correo a ${correo}.`
          ) : (
            <>
              No dejó correo: llámale al {celular} y dile que lo suba en la página «Tu folio», con el folio{' '}
              <b>{folio}</b>.
            </>
          )}
        </p>
        <Form method="post" preventScrollReset className={styles.form} onSubmit={preventResubmit} ref={form}>
          <input type="hidden" name="version" value={version} />
          <label htmlFor="documento">Documento</label>
          <select
            id="documento"
            name="documento"
            key={openDocument?.id}
            defaultValue={refusal?.documentId ?? openDocument?.id ?? ''}
            required
          >
            <option value="">Elige cuál</option>
            {documents.map(({ id, clase, lado }) => (
              <option key={id} value={id}>
                {documentName(clase, lado)}
              </option>
            ))}
          </select>
          <label htmlFor="falta">Qué le falta (lo lee la persona)</label>
          <ul className={styles.reasons}>
            {REASONS.map((reason) => (
              <li key={reason}>
                <button
                  type="button"
                  onClick={() => {
                    if (note.current) note.current.value = reason
                  }}
                >
                  {reason.split(/[:y,.]/u)[0]}
                  <span className="visually-hidden">: escribirlo</span>
                </button>
              </li>
            ))}
          </ul>
          <textarea
            id="falta"
            name="nota"
            ref={note}
            rows={3}
            maxLength={MAX_NOTE_CHARACTERS}
            required
            defaultValue={refusal?.note}
          />
          <Button type="submit" look="outline" isBusy={isBusy} name="hacer" value="pedir">
            Pedir de nuevo
          </Button>
        </Form>
        {outcome && <OutcomeNotice outcome={outcome} />}
      </div>
    </CollapsibleSection>
  )
}
