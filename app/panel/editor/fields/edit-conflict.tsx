import { type FieldPath, isEqual } from '#app/cms/schema/field-path.ts'
import { formatLongDate } from '#app/core/time/mexico-dates.ts'
import { dayInWords, isDay } from '#app/panel/editor/day-in-words.ts'
import { withChoice, withoutNotice } from '#app/panel/editor/draft-state.ts'
import type { FieldConflict } from '#app/panel/editor/three-way-merge.ts'
import { useEditForm } from '#app/panel/editor/use-draft.ts'
import { Button } from '#app/ui/components/button.tsx'
import styles from './field.module.css'

/** Stands for a value that is not there. */
export const EMPTY = '(vacío)'

/** Writes a value as one line of text; a group is named by its title, name or first text, a day of the programme by its date, too. */
export function toText(value: unknown): string {
  if (value === undefined || value === null || value === '') return EMPTY
  if (Array.isArray(value)) return value.map(toText).join(' · ')
  if (typeof value === 'boolean') return value ? 'Sí' : 'No'
  if (typeof value === 'object') {
    const { fecha, titulo, nombre, que, alt, texto, foto, eventos } = value as Record<string, unknown>
    if (typeof fecha === 'string' && isDay(fecha) && Array.isArray(eventos)) {
      const what = toText(titulo ?? eventos[0])
      return [dayInWords(fecha), what].filter((one) => one !== EMPTY).join(': ')
    }
    return toText(
      titulo ??
        nombre ??
        que ??
        alt ??
        texto ??
        foto ??
        Object.values(value).filter((one) => typeof one === 'string')[0],
    )
  }
  return typeof value === 'string' && isDay(value) ? formatLongDate(value) : String(value)
}

/** Lists the conflicts of a field, also of single lines in it. @param isWhole only the whole field counts */
export const useConflicts = (documentName: string, path: FieldPath, isWhole = false): FieldConflict[] =>
  (useEditForm().view.documents[documentName]?.conflicts ?? []).filter(({ field }) =>
    isEqual(isWhole ? field : field.slice(0, path.length), path),
  )

export function FieldConflicts(props: { documentName: string; path: FieldPath; isWhole?: boolean }) {
  const { documentName, path, isWhole } = props
  const { draftClient, view } = useEditForm()
  const choose = (conflict: FieldConflict, which: 'mine' | 'theirs') =>
    draftClient.write(documentName, (document) => withChoice(document, conflict, which))
  return useConflicts(documentName, path, isWhole).map((conflict) => (
    <div key={conflict.field.join()} className={styles.conflict} role="alert">
      <p>
        <b>{view.documents[documentName]?.lastEditor ?? 'Otra persona'} cambió esto al mismo tiempo.</b> Lo tuyo todavía
        no se guarda: elige con cuál se queda.
      </p>
      <dl>
        <dt>Lo tuyo</dt>
        <dd>{toText(conflict.mine)}</dd>
        <dt>Lo que está guardado</dt>
        <dd>{toText(conflict.theirs)}</dd>
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

/** Shows text typed in an item that another person removed, and items removed here that another person changed. */
export function RemovalNotices() {
  const { draftClient, view } = useEditForm()
  const notices = Object.entries(view.documents).flatMap(([name, { removals, lastEditor }]) =>
    removals.map((removal) => ({ name, removal, who: lastEditor ?? 'Otra persona' })),
  )
  return notices.map(({ name, removal, who }) => {
    const { quito, valor, lista } = removal
    const isRemovedHere = quito === 'yo'
    const dismiss = (isToBeRemoved: boolean) =>
      draftClient.write(name, (document) => withoutNotice(document, removal, isToBeRemoved))
    return (
      <div key={`${name}${lista.join()}${JSON.stringify(valor)}`} className={styles.conflict} role="alert">
        <p>
          {isRemovedHere ? (
            <>
              <b>{who} cambió lo que quitaste.</b> Ahora dice «{toText(valor)}». Por eso sigue en la lista.
            </>
          ) : (
            <>
              <b>{who} quitó aquello en lo que escribías.</b> Tu texto era: «{toText(valor)}». Cópialo si lo necesitas.
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
