import { type FieldPath, isEqual } from '#app/cms/schema/field-path.ts'
import { formatLongDate } from '#app/core/time/mexico-dates.ts'
import { dayInWords, isIsoDay } from '#app/panel/editor/day-in-words.ts'
import { withChoice, withoutRemovalNotice } from '#app/panel/editor/draft-state.ts'
import { useEditForm } from '#app/panel/editor/edit-form-context.ts'
import type { FieldConflict } from '#app/panel/editor/three-way-merge.ts'
import { Button } from '#app/ui/components/button.tsx'
import styles from './field.module.css'

export const EMPTY_TEXT = '(vacío)'

/**
 * Returns a value in words: a list's values joined, an object's title, name or first text, and a day of the programme with its
 * date before that; EMPTY_TEXT for an empty value.
 */
export function valueInWords(value: unknown): string {
  if (value === undefined || value === null || value === '') return EMPTY_TEXT
  if (Array.isArray(value)) return value.map(valueInWords).join(' · ')
  if (typeof value === 'boolean') return value ? 'Sí' : 'No'
  if (typeof value === 'object') {
    const { fecha, titulo, nombre, que, alt, texto, foto, eventos } = value as Record<string, unknown>
    if (typeof fecha === 'string' && isIsoDay(fecha) && Array.isArray(eventos)) {
      const title = valueInWords(titulo ?? eventos[0])
      return [dayInWords(fecha), title].filter((text) => text !== EMPTY_TEXT).join(': ')
    }
    return valueInWords(
      titulo ?? nombre ?? que ?? alt ?? texto ?? foto ?? Object.values(value).find((item) => typeof item === 'string'),
    )
  }
  return typeof value === 'string' && isIsoDay(value) ? formatLongDate(value) : String(value)
}

/** Returns the conflicts of a field and of the values within it. @param isWhole returns only conflicts of the field as a whole */
export const useFieldConflicts = (documentName: string, path: FieldPath, isWhole = false): FieldConflict[] =>
  (useEditForm().view.documents[documentName]?.conflicts ?? []).filter(({ field }) =>
    isEqual(isWhole ? field : field.slice(0, path.length), path),
  )

export function FieldConflicts(props: { documentName: string; path: FieldPath; isWhole?: boolean }) {
  const { documentName, path, isWhole } = props
  const { draftClient, view } = useEditForm()
  const choose = (conflict: FieldConflict, side: 'mine' | 'theirs') =>
    draftClient.write(documentName, (document) => withChoice(document, conflict, side))
  return useFieldConflicts(documentName, path, isWhole).map((conflict) => (
    <div key={conflict.field.join()} className={styles.conflict} role="alert">
      <p>
        <b>{view.documents[documentName]?.lastEditor ?? 'Otra persona'} cambió esto al mismo tiempo.</b> Lo tuyo todavía
        no se guarda: elige con cuál se queda.
      </p>
      <dl>
        <dt>Lo tuyo</dt>
        <dd>{valueInWords(conflict.mine)}</dd>
        <dt>Lo que está guardado</dt>
        <dd>{valueInWords(conflict.theirs)}</dd>
      </dl>
      <div className={styles.buttons}>
        <Button look="outline" onClick={() => choose(conflict, 'mine')}>
          Usar lo mío
        </Button>
        <Button look="outline" onClick={() => choose(conflict, 'theirs')}>
          Dejar lo guardado
        </Button>
      </div>
    </div>
  ))
}

/** Reports items that one side removed and the other side changed, so that no typed text is lost unnoticed. */
export function RemovalNotices() {
  const { draftClient, view } = useEditForm()
  const notices = Object.entries(view.documents).flatMap(([name, { removals, lastEditor }]) =>
    removals.map((removal) => ({ name, removal, editorName: lastEditor ?? 'Otra persona' })),
  )
  return notices.map(({ name, removal, editorName }) => {
    const { quito, valor, lista } = removal
    const isRemovedHere = quito === 'yo'
    const dismiss = (isToBeRemoved: boolean) =>
      draftClient.write(name, (document) => withoutRemovalNotice(document, removal, isToBeRemoved))
    return (
      <div key={`${name}${lista.join()}${JSON.stringify(valor)}`} className={styles.conflict} role="alert">
        <p>
          {isRemovedHere ? (
            <>
              <b>{editorName} cambió lo que quitaste.</b> Ahora dice «{valueInWords(valor)}». Por eso sigue en la lista.
            </>
          ) : (
            <>
              <b>{editorName} quitó aquello en lo que escribías.</b> Tu texto era: «{valueInWords(valor)}». Cópialo si
              lo necesitas.
            </>
          )}
        </p>
        <div className={styles.buttons}>
          {isRemovedHere && (
            <Button look="outline" onClick={() => dismiss(true)}>
              Quitarlo de todos modos
            </Button>
          )}
          <Button look="outline" onClick={() => dismiss(false)}>
            {isRemovedHere ? 'Dejarlo' : 'Entendido'}
          </Button>
        </div>
      </div>
    )
  })
}
