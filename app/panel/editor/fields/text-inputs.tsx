import { useEffect, useRef } from 'react'
import { mendPageAddress } from '#app/cms/schema/social-networks.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { asText, type InputProps } from './field-props.ts'
import styles from './inputs.module.css'
import { MarkButtons, marksHintId } from './mark-buttons.tsx'

const attrs = ({ id, descriptor, describedBy, invalid }: InputProps) => ({
  id,
  'aria-describedby': describedBy,
  'aria-invalid': invalid || undefined,
  required: !descriptor.isOptional,
})

export function TextInput(props: InputProps) {
  const { value, onChange, descriptor } = props
  const isLink = descriptor.kind === 'link'
  return (
    <input
      {...attrs(props)}
      className={styles.control}
      type={isLink ? 'url' : 'text'}
      inputMode={isLink ? 'url' : undefined}
      autoCapitalize={isLink ? 'none' : undefined}
      autoComplete="off"
      value={asText(value)}
      onChange={({ target }) => onChange(fieldValue(target.value, descriptor.isOptional))}
      // A pasted address is shown in the form that the site accepts.
      onBlur={({ target }) => {
        const mended = isLink ? mendPageAddress(target.value) : target.value
        if (mended !== target.value) onChange(mended)
      }}
    />
  )
}

/** Returns the typed text; undefined for an empty optional field. */
const fieldValue = (text: string, optional: boolean): string | undefined => (optional && text === '' ? undefined : text)

export function LongTextInput(props: InputProps) {
  const { value, onChange, descriptor, id } = props
  const area = useRef<HTMLTextAreaElement>(null)
  const text = textOf(value)
  // Browsers without the CSS property field-sizing need this.
  useEffect(() => {
    const element = area.current
    if (!element || text === undefined || CSS.supports('field-sizing', 'content')) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight + 2}px`
  }, [text])
  const write = (next: string) => onChange(valueFromText(descriptor.kind, next, descriptor.isOptional))
  const emphasize = () => {
    const element = area.current!
    const { selectionStart: from, selectionEnd: to } = element
    const chosen = text.slice(from, to) || 'palabras'
    write(`${text.slice(0, from)}*${chosen}*${text.slice(to)}`)
    element.focus()
    requestAnimationFrame(() => element.setSelectionRange(from + 1, from + 1 + chosen.length))
  }
  return (
    <>
      <textarea
        {...attrs(props)}
        aria-describedby={joinClasses(props.describedBy, descriptor.hasMarks && marksHintId(id)) || undefined}
        ref={area}
        className={styles.area}
        rows={descriptor.kind === 'lines' ? 2 : 3}
        value={text}
        onChange={({ target }) => write(target.value)}
      />
      {descriptor.hasMarks && <MarkButtons id={id} area={area} text={text} onChange={write} />}
      {descriptor.hasEmphasis && (
        <button type="button" className={styles.mark} onClick={emphasize} aria-controls={id}>
          <em>Énfasis</em> a lo elegido
        </button>
      )}
    </>
  )
}

/** Writes a list as one line per item. */
const textOf = (value: unknown): string => {
  if (!Array.isArray(value)) return asText(value)
  return value.map((one) => String(one)).join('\n')
}

function valueFromText(kind: string, text: string, optional: boolean): unknown {
  if (kind !== 'lines') return fieldValue(text, optional)
  const lines = text.split('\n')
  return lines.length === 1 ? text : lines
}

/** Edits a whole number of at most nine digits. Another text stays in sight, and is reported as a fault. */
export function NumberInput(props: InputProps) {
  const { value, onChange } = props
  const read = (text: string) => (text.trim() === '' ? undefined : /^\d{1,9}$/.test(text.trim()) ? Number(text) : text)
  return (
    <input
      {...attrs(props)}
      className={styles.brief}
      type="text"
      inputMode="numeric"
      autoComplete="off"
      value={asText(value)}
      onChange={({ target }) => onChange(read(target.value))}
    />
  )
}
