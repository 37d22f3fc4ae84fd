import { useEffect, useRef } from 'react'
import { normalizePageUrl } from '#app/cms/schema/social-networks.ts'
import { selectInField } from '#app/panel/select-in-field.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { asText, type InputProps } from './field-props.ts'
import styles from './inputs.module.css'
import { MarkButtons, marksHintId } from './mark-buttons.tsx'

const inputAttributes = ({ id, descriptor, describedBy, isInvalid }: InputProps) => ({
  id,
  'aria-describedby': describedBy,
  'aria-invalid': isInvalid || undefined,
  required: !descriptor.isOptional,
})

export function TextInput(props: InputProps) {
  const { value, onChange, descriptor } = props
  const isLink = descriptor.kind === 'link'
  return (
    <input
      {...inputAttributes(props)}
      className={styles.control}
      type={isLink ? 'url' : 'text'}
      inputMode={isLink ? 'url' : undefined}
      autoCapitalize={isLink ? 'none' : undefined}
      autoComplete="off"
      value={asText(value)}
      onChange={({ target }) => onChange(fieldValue(target.value, descriptor.isOptional))}
      // A URL takes the form that the site accepts when the focus leaves it.
      onBlur={({ target }) => {
        const normalizedText = isLink ? normalizePageUrl(target.value) : target.value
        if (normalizedText !== target.value) onChange(normalizedText)
      }}
    />
  )
}

/** Returns the typed text; undefined for an empty optional field. */
const fieldValue = (text: string, isOptional: boolean): string | undefined =>
  isOptional && text === '' ? undefined : text

export function LongTextInput(props: InputProps) {
  const { value, onChange, descriptor, id } = props
  const textArea = useRef<HTMLTextAreaElement>(null)
  const text = textOfLines(value)
  // Grows the text area with its text in browsers without the CSS property field-sizing.
  useEffect(() => {
    const element = textArea.current
    if (!element || text === undefined || CSS.supports('field-sizing', 'content')) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight + 2}px`
  }, [text])
  const write = (next: string) => onChange(valueFromText(descriptor.kind, next, descriptor.isOptional))
  const emphasize = () => {
    const element = textArea.current!
    const { selectionStart: start, selectionEnd: end } = element
    const selectedText = text.slice(start, end) || 'palabras'
    const renderText = () => write(`${text.slice(0, start)}*${selectedText}*${text.slice(end)}`)
    selectInField(element, renderText, { start: start + 1, end: start + 1 + selectedText.length })
  }
  return (
    <>
      <textarea
        {...inputAttributes(props)}
        aria-describedby={joinClasses(props.describedBy, descriptor.hasMarks && marksHintId(id)) || undefined}
        ref={textArea}
        className={styles.area}
        rows={descriptor.kind === 'lines' ? 2 : 3}
        value={text}
        onChange={({ target }) => write(target.value)}
      />
      {descriptor.hasMarks && <MarkButtons id={id} textArea={textArea} text={text} onChange={write} />}
      {descriptor.hasEmphasis && (
        <button type="button" className={styles.mark} onClick={emphasize} aria-controls={id}>
          <em>Énfasis</em> a lo elegido
        </button>
      )}
    </>
  )
}

const textOfLines = (value: unknown): string => {
  if (!Array.isArray(value)) return asText(value)
  return value.map((line) => String(line)).join('\n')
}

function valueFromText(kind: string, text: string, isOptional: boolean): unknown {
  if (kind !== 'lines') return fieldValue(text, isOptional)
  const lines = text.split('\n')
  return lines.length === 1 ? text : lines
}

/** Edits a whole number of at most nine digits. Any other text stays, and the site reports it as a fault. */
export function NumberInput(props: InputProps) {
  const { value, onChange } = props
  const parseNumber = (text: string) =>
    text.trim() === '' ? undefined : /^\d{1,9}$/.test(text.trim()) ? Number(text) : text
  return (
    <input
      {...inputAttributes(props)}
      className={styles.brief}
      type="text"
      inputMode="numeric"
      autoComplete="off"
      value={asText(value)}
      onChange={({ target }) => onChange(parseNumber(target.value))}
    />
  )
}
