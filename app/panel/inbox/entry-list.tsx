import { type ChangeEvent, useEffect, useRef } from 'react'
import { formatDateTime, formatPastMoment } from '#app/core/time/mexico-dates.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { isOutsideAgeRange, SUGGESTED_MAX_AGE, SUGGESTED_MIN_AGE } from '#app/entries/definitions/candidate-fields.ts'
import { ENTRY_TYPE_NAMES, type EntryFilter, type EntryListRow } from '#app/entries/schema.ts'
import { StateLabel } from '#app/panel/entry-state.tsx'
import { entryAddress } from '#app/panel/rules.ts'
import { Bulbs } from '#app/ui/components/bulbs.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './entry-list.module.css'

interface Props {
  rows: EntryListRow[]
  /** The list goes on in other pages. */
  hasOtherPages: boolean
  /** An export without chosen entries uses this filter. */
  filter: EntryFilter
  now: Date
}

/** Lists entries with checkboxes; buttons outside the list send its form, «elegidas». */
export function EntryList({ rows, hasOtherPages, filter, now }: Props) {
  const { type, state, text } = filter
  const form = useRef<HTMLFormElement>(null)
  const headBox = useRef<HTMLInputElement>(null)
  const wholeListBox = useRef<HTMLInputElement>(null)
  const rowBoxes = () => [...(form.current?.querySelectorAll<HTMLInputElement>('input[name="id"]') ?? [])]
  /** Updates the checkbox in the head from those of the rows, also when the list has changed. */
  const updateHeadBox = () => {
    const chosen = rowBoxes().filter(({ checked }) => checked).length
    if (!headBox.current) return
    headBox.current.checked = chosen > 0 && chosen === rows.length
    headBox.current.indeterminate = chosen > 0 && chosen < rows.length
  }
  useEffect(updateHeadBox)
  function followChange({ target }: ChangeEvent<HTMLFormElement>) {
    const box: HTMLInputElement = target as unknown as HTMLInputElement
    if (box === headBox.current || box === wholeListBox.current)
      for (const rowBox of rowBoxes()) rowBox.checked = box.checked
    // The whole list is chosen no more once a row of it is taken out.
    if (wholeListBox.current && !box.checked) wholeListBox.current.checked = false
    updateHeadBox()
  }
  return (
    <form id="elegidas" action="/organizadores/exportar" className={styles.frame} ref={form} onChange={followChange}>
      {type && <input type="hidden" name="tipo" value={type} />}
      {state && <input type="hidden" name="estado" value={state} />}
      {filter.isOutsideAgeRange && <input type="hidden" name="edad" value="fuera" />}
      {text && <input type="hidden" name="buscar" value={text} />}
      <label className={styles.wholeList}>
        <input type="checkbox" name="todas" value="si" ref={wholeListBox} />
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
                ref={headBox}
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
            const total = FORMS[row.tipo].kinds.length
            const arrived = total - row.missingDocumentCount
            return (
              <tr key={row.id}>
                <td>
                  <label className={styles.checkbox}>
                    <input type="checkbox" name="id" value={row.id} aria-label={`Elegir ${row.titular}`} />
                  </label>
                </td>
                <td className={styles.folio}>{row.folio}</td>
                <td className={styles.name}>
                  <Link to={entryAddress(row.id, filter)}>{row.titular}</Link>
                  <small>{row.detalle ?? ENTRY_TYPE_NAMES[row.tipo]}</small>
                </td>
                <td className={joinClasses(styles.age, row.edad === null && styles.withoutAge)}>
                  {row.edad ?? '—'}
                  {row.edad !== null && <span className={styles.years}> años</span>}
                  {isOutsideAgeRange(row.edad) && (
                    <em>
                      {' '}
                      fuera de {SUGGESTED_MIN_AGE}–{SUGGESTED_MAX_AGE}
                    </em>
                  )}
                </td>
                <td className={styles.documents}>
                  <Bulbs lit={arrived} total={total} className={styles.bulbs} /> {arrived} de {total}
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
