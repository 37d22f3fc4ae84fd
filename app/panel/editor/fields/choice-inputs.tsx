import type { ReactNode } from 'react'
import { useEditForm } from '#app/panel/editor/edit-form-context.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { type Tone, toneClass } from '#app/ui/styles/tone.ts'
import { asText, type InputProps } from './field-props.ts'
import styles from './inputs.module.css'

function SelectInput({
  id,
  value,
  onChange,
  descriptor,
  describedBy,
  isInvalid,
  children,
}: InputProps & { children: ReactNode }) {
  return (
    <select
      id={id}
      className={styles.control}
      aria-describedby={describedBy}
      aria-invalid={isInvalid || undefined}
      required={!descriptor.isOptional}
      value={asText(value)}
      onChange={({ target }) => onChange(descriptor.isOptional && target.value === '' ? undefined : target.value)}
    >
      <option value="">{descriptor.isOptional ? 'Ninguno' : 'Elige…'}</option>
      {children}
    </select>
  )
}

export const ChoiceInput = (props: InputProps) => (
  <SelectInput {...props}>
    {props.descriptor.options?.map(([value, optionLabel]) => (
      <option key={value} value={value}>
        {optionLabel}
      </option>
    ))}
  </SelectInput>
)

export function CandidateInput(props: InputProps) {
  const { candidates } = useEditForm()
  const chosenId = asText(props.value)
  return (
    <SelectInput {...props}>
      {candidates.map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
      {/* The chosen candidate may have been removed since. */}
      {chosenId && !candidates.some(([id]) => id === chosenId) && <option value={chosenId}>{chosenId}</option>}
    </SelectInput>
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

export const ToneInput = ({ id, value, onChange, descriptor, describedBy }: InputProps) => (
  <div
    className={styles.tones}
    role="radiogroup"
    aria-label={descriptor.label}
    aria-describedby={describedBy}
    aria-required={!descriptor.isOptional}
    id={id}
    tabIndex={-1}
  >
    {descriptor.options?.map(([optionValue, optionLabel]) => (
      <label key={optionValue} className={joinClasses(styles.tone, toneClass(optionValue as Tone))}>
        <input
          type="radio"
          name={id}
          value={optionValue}
          checked={value === optionValue}
          onChange={() => onChange(optionValue)}
        />
        <span aria-hidden="true" />
        {optionLabel}
      </label>
    ))}
  </div>
)

/** Lets the editor pick or type a colour such as #ff2d8f. Any other text stays, and the site reports it as a fault. */
export function ColorInput({ id, value, onChange, descriptor, describedBy, isInvalid }: InputProps) {
  const text = asText(value)
  const setColor = (next: string) => onChange(descriptor.isOptional && next === '' ? undefined : next)
  return (
    <div className={styles.color}>
      <input
        type="color"
        aria-label={`${descriptor.label}: elegirlo`}
        // A colour input must have a valid value; an incomplete text shows this one.
        value={/^#[\da-f]{6}$/i.test(text) ? text.toLowerCase() : '#ff2d8f'}
        onChange={({ target }) => setColor(target.value)}
      />
      <input
        id={id}
        className={styles.brief}
        aria-describedby={describedBy}
        aria-invalid={isInvalid || undefined}
        required={!descriptor.isOptional}
        autoComplete="off"
        autoCapitalize="none"
        placeholder="#ff2d8f"
        value={text}
        onChange={({ target }) => setColor(target.value.trim())}
      />
    </div>
  )
}
