import { type ChangeEvent, useEffect, useRef } from 'react'
import { formatDateTime, formatPastMoment } from '#app/core/time/mexico-dates.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import {
  isOutsideSuggestedAge,
  SUGGESTED_MAX_AGE,
  SUGGESTED_MIN_AGE,
} from '#app/entries/definitions/candidate-fields.ts'
import { ENTRY_TYPE_NAMES, type EntryFilter, type EntryListRow } from '#app/entries/schema.ts'
import { entryUrl } from '#app/panel/rules.ts'
import { StateLabel } from '#app/panel/state-label.tsx'
import { Bulbs } from '#app/ui/components/bulbs.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './entry-list.module.css'

interface Props {
  rows: EntryListRow[]
  hasOtherPages: boolean
  /** Filter of the list, which the form sends with the chosen ids. */
  filter: EntryFilter
  now: Date
}

/** Lists entries with checkboxes. Buttons outside the list submit its form, `elegidas`. */
export function EntryList({ rows, hasOtherPages, filter, now }: Props) {
  const { type, state, text } = filter
  const form = useRef<HTMLFormElement>(null)
  const headCheckbox = useRef<HTMLInputElement>(null)
  const wholeListCheckbox = useRef<HTMLInputElement>(null)
  const rowCheckboxes = () => [...(form.current?.querySelectorAll<HTMLInputElement>('input[name="id"]') ?? [])]
  const updateHeadCheckbox = () => {
    const checkedCount = rowCheckboxes().filter(({ checked }) => checked).length
    if (!headCheckbox.current) return
    headCheckbox.current.checked = checkedCount > 0 && checkedCount === rows.length
    headCheckbox.current.indeterminate = checkedCount > 0 && checkedCount < rows.length
  }
  useEffect(updateHeadCheckbox)
  function syncCheckboxes({ target }: ChangeEvent<HTMLFormElement>) {
    const checkbox: HTMLInputElement = target as unknown as HTMLInputElement
    if (checkbox === headCheckbox.current || checkbox === wholeListCheckbox.current)
      for (const rowBox of rowCheckboxes()) rowBox.checked = checkbox.checked
    // Unticking a row also unticks «Elegir todas».
    if (wholeListCheckbox.current && !checkbox.checked) wholeListCheckbox.current.checked = false
    updateHeadCheckbox()
  }
  return (
    <form id="elegidas" action="/organizadores/exportar" className={styles.frame} ref={form} onChange={syncCheckboxes}>
      {type && <input type="hidden" name="tipo" value={type} />}
      {state && <input type="hidden" name="estado" value={state} />}
      {filter.isOutsideAgeRange && <input type="hidden" name="edad" value="fuera" />}
      {text && <input type="hidden" name="buscar" value={text} />}
      <label className={styles.wholeList}>
        <input type="checkbox" name="todas" value="si" ref={wholeListCheckbox} />
        Elegir todas{hasOtherPages && ', también las de las otras páginas'}
      </label>
      <table className={styles.list}>
        <thead>
          <tr>
            <th scope="col">
              <input
                type="checkbox"
                className={styles.all}
                aria-label="Elegir todas las de esta página"
                ref={headCheckbox}
              />
            </th>
            <th scope="col">Folio</th>
            <th scope="col">Nombre</th>
            <th scope="col">Edad</th>
            <th scope="col">Documentos</th>
            <th scope="col">Estado</th>
            <th scope="col">Recibida</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const documentCount = FORMS[row.tipo].kinds.length
            const arrivedCount = documentCount - row.missingDocumentCount
            return (
              <tr key={row.id}>
                <td>
                  <label className={styles.checkbox}>
                    <input type="checkbox" name="id" value={row.id} aria-label={`Elegir ${row.titular}`} />
                  </label>
                </td>
                <td className={styles.folio}>{row.folio}</td>
                <td className={styles.name}>
                  <Link to={entryUrl(row.id, filter)}>{row.titular}</Link>
                  <small>{row.detalle ?? ENTRY_TYPE_NAMES[row.tipo]}</small>
                </td>
                <td className={joinClasses(styles.age, row.edad === null && styles.withoutAge)}>
                  {row.edad ?? '—'}
                  {row.edad !== null && <span className={styles.years}> años</span>}
                  {isOutsideSuggestedAge(row.edad) && (
                    <em>
                      {' '}
                      fuera de {SUGGESTED_MIN_AGE}–{SUGGESTED_MAX_AGE}
                    </em>
                  )}
                </td>
                <td className={styles.documents}>
                  <Bulbs lit={arrivedCount} total={documentCount} className={styles.bulbs} /> {arrivedCount} de{' '}
                  {documentCount}
                </td>
                <td className={styles.state}>
                  <StateLabel state={row.estado} />
                </td>
                <td className={styles.receivedAt}>
                  <time dateTime={row.receivedAt.toISOString()} title={formatDateTime(row.receivedAt)}>
                    {formatPastMoment(row.receivedAt, now)}
                  </time>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </form>
  )
}
