import { Form } from 'react-router'
import type { Entry, EntryFilter, EntryState, Neighbour } from '#app/entries/schema.ts'
import { WAITING_STATES } from '#app/entries/schema.ts'
import { OutcomeNotice } from '#app/panel/outcome-notice.tsx'
import { canUndo, entryUrl } from '#app/panel/rules.ts'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './decision-bar.module.css'

interface Props {
  entry: Entry
  filter: EntryFilter
  nextWaiting: Neighbour | undefined
  /** Whether a document is open; the next entry then opens with a document, too. */
  hasOpenDocument: boolean
  /** Result of the last press in the bar. */
  outcome: { ok: boolean; message: string } | undefined
  onRequestDocument(): void
}

const STATE_LABELS: Record<EntryState, string> = {
  recibida: 'Recibida',
  'en-revision': 'En revisión',
  'falta-documento': 'Falta un documento',
  aceptada: 'Aceptada',
  rechazada: 'Rechazada',
}

/** Shows the decision buttons, within the thumb's reach on a phone; for a decided entry, the undo and the way to the next one. */
export function DecisionBar({ entry, filter, nextWaiting, hasOpenDocument, outcome, onRequestDocument }: Props) {
  const { estado, version, history } = entry
  const { isBusy, preventResubmit } = useSubmitOnce()
  const isWaiting = WAITING_STATES.includes(estado)
  return (
    <section className={styles.bar} aria-label="Decisión" data-bar="">
      {outcome && !outcome.ok && <OutcomeNotice outcome={outcome} />}
      {/* The paragraph stays in the page while empty, so that screen readers announce its changes. */}
      <p className={joinClasses(styles.statusText, styles[estado])} role="status">
        {outcome?.ok ? outcome.message : isWaiting ? '' : `${STATE_LABELS[estado]}.`}
      </p>
      <Form method="post" preventScrollReset onSubmit={preventResubmit} className={styles.buttons}>
        <input type="hidden" name="version" value={version} />
        <input type="hidden" name="desde" value="barra" />
        {isWaiting ? (
          <>
            <button
              type="submit"
              className={joinClasses(buttonLook('outline'), styles.accept)}
              name="hacer"
              value="aceptar"
              data-shortcut="a"
              aria-disabled={isBusy || undefined}
            >
              Aceptar
            </button>
            <button
              type="button"
              className={joinClasses(buttonLook('outline'), styles.missing)}
              onClick={onRequestDocument}
              data-shortcut="f"
              aria-haspopup="dialog"
            >
              Falta…
            </button>
            <button
              type="submit"
              className={joinClasses(buttonLook('outline'), styles.reject)}
              name="hacer"
              value="rechazar"
              data-shortcut="r"
              aria-disabled={isBusy || undefined}
            >
              Rechazar
            </button>
          </>
        ) : (
          <>
            {canUndo(history, estado) && (
              <button
                type="submit"
                className={buttonLook('outline')}
                name="hacer"
                value="deshacer"
                data-shortcut="z"
                aria-disabled={isBusy || undefined}
              >
                Deshacer
              </button>
            )}
            {nextWaiting ? (
              <Link
                to={entryUrl(nextWaiting.id, filter, hasOpenDocument ? 'primero' : undefined)}
                className={joinClasses(buttonLook('outline'), styles.nextEntry)}
                data-shortcut="s"
              >
                Siguiente que espera
              </Link>
            ) : (
              <Link to="/organizadores" className={joinClasses(buttonLook('outline'), styles.nextEntry)}>
                Volver a la lista
              </Link>
            )}
          </>
        )}
      </Form>
    </section>
  )
}
