import { useEffect, useRef } from 'react'
import { PLACEHOLDERS, type Placeholder, placeholdersOf } from '#app/entries/letters/schema.ts'
import { selectInField } from '#app/panel/select-in-field.ts'
import styles from './messages.module.css'

type Field = HTMLInputElement | HTMLTextAreaElement

interface Props {
  type: Parameters<typeof placeholdersOf>[0]
  /** Names of the fields that take placeholders; the last takes them until another one was focused. */
  fieldNames: readonly string[]
}

/** Shows a button for each placeholder, which puts it at the caret of the field that was focused last. */
export function PlaceholderButtons({ type, fieldNames }: Props) {
  const part = useRef<HTMLDivElement>(null)
  const lastFocusedField = useRef<Field>(null)
  useEffect(() => {
    const form = part.current?.closest('form')
    const remember = ({ target }: FocusEvent) => {
      const field = target as Field
      if (fieldNames.includes(field.name)) lastFocusedField.current = field
    }
    form?.addEventListener('focusin', remember)
    return () => form?.removeEventListener('focusin', remember)
  }, [fieldNames])
  const insert = (placeholder: Placeholder) => {
    const defaultField = part.current?.closest('form')?.elements.namedItem(fieldNames.at(-1)!) as Field | null
    const field = lastFocusedField.current ?? defaultField
    if (!field) return
    const [start, end] = [field.selectionStart ?? field.value.length, field.selectionEnd ?? field.value.length]
    const text = `{${placeholder}}`
    const renderText = () => {
      field.setRangeText(text, start, end)
      // React learns of a script's change by this event only.
      field.dispatchEvent(new Event('input', { bubbles: true }))
    }
    selectInField(field, renderText, { start: start + text.length, end: start + text.length })
  }
  return (
    <div ref={part}>
      <p className={styles.details} id="huecos">
        Toca un dato para ponerlo donde estás escribiendo. En cada correo va el de cada persona:
      </p>
      <ul className={styles.placeholders} aria-labelledby="huecos">
        {placeholdersOf(type).map((placeholder) => (
          <li key={placeholder}>
            <button type="button" onClick={() => insert(placeholder)}>
              {PLACEHOLDERS[placeholder]} <code>{`{${placeholder}}`}</code>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
