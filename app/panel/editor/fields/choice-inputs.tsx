import type { ReactNode } from 'react'
import { useEditForm } from '#app/panel/editor/use-draft.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { type Tone, toneClass } from '#app/ui/styles/tone.ts'
import { asText, type InputProps } from './field-props.ts'
import styles from './inputs.module.css'

function Options({
  id,
  value,
  onChange,
  descriptor,
  describedBy,
  invalid,
  children,
}: InputProps & { children: ReactNode }) {
  return (
    <select
      id={id}
      className={styles.control}
      aria-describedby={describedBy}
      aria-invalid={invalid || undefined}
      value={asText(value)}
      onChange={({ target }) => onChange(descriptor.isOptional && target.value === '' ? undefined : target.value)}
    >
      <option value="">{descriptor.isOptional ? 'Ninguno' : 'Elige…'}</option>
      {children}
    </select>
  )
}

export const ChoiceInput = (props: InputProps) => (
  <Options {...props}>
    {props.descriptor.options?.map(([value, words]) => (
      <option key={value} value={value}>
        {words}
      </option>
    ))}
  </Options>
)

export function CandidateInput(props: InputProps) {
  const { candidates } = useEditForm()
  const missingId = asText(props.value)
  return (
    <Options {...props}>
      {candidates.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
      {missingId && !candidates.some(([value]) => value === missingId) && (
        <option value={missingId}>{missingId}</option>
      )}
    </Options>
  )
}

export const YesNoInput = ({ id, value, onChange, descriptor, describedBy }: InputProps) => (
  <label className={styles.checkbox} htmlFor={id}>
    <input
      id={id}
      type="checkbox"
      aria-describedby={describedBy}
      checked={value === true}
      onChange={({ target }) => onChange(target.checked)}
    />
    {descriptor.label}
  </label>
)

/** Lets the editor choose a candidate's colour, each with a sample. */
export const ToneInput = ({ id, value: current, onChange, descriptor, describedBy }: InputProps) => (
  <div
    className={styles.tones}
    role="radiogroup"
    aria-label={descriptor.label}
    aria-describedby={describedBy}
    id={id}
    tabIndex={-1}
  >
    {descriptor.options?.map(([value, words]) => (
      <label key={value} className={joinClasses(styles.tone, toneClass(value as Tone))}>
        <input type="radio" name={id} value={value} checked={current === value} onChange={() => onChange(value)} />
        <span aria-hidden="true" />
        {words}
      </label>
    ))}
  </div>
)

/** Lets the editor pick or type a colour such as #ff2d8f; another text stays, and is reported as a fault. */
export function ColorInput({ id, value, onChange, descriptor, describedBy, invalid }: InputProps) {
  const text = asText(value)
  const setColor = (next: string) => onChange(descriptor.isOptional && next === '' ? undefined : next)
  return (
    <div className={styles.color}>
      <input
        type="color"
        aria-label={`${descriptor.label}: elegirlo`}
        value={/^#[\da-f]{6}$/i.test(text) ? text.toLowerCase() : '#ff2d8f'}
        onChange={({ target }) => setColor(target.value)}
      />
      <input
        id={id}
        className={styles.brief}
        aria-describedby={describedBy}
        aria-invalid={invalid || undefined}
        autoComplete="off"
        autoCapitalize="none"
        placeholder="#ff2d8f"
        value={text}
        onChange={({ target }) => setColor(target.value.trim())}
      />
    </div>
  )
}
