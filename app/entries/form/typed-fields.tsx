import { type ChangeEvent, useEffect, useRef, useState } from 'react'
import { type Field, type FieldControl, PERMISSION_GRANTED } from '#app/entries/definitions/field.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { CheckField, SelectField, TextAreaField, TextField } from '#app/ui/forms/field.tsx'
import styles from './registration-form.module.css'

interface TypedFieldsProps {
  descriptor: FormDescriptor
  values: Readonly<Record<string, string>>
  errorOf(field: string): string | undefined
}

/** Shows the fields of a form's groups; the form shows the extras further below. */
export const TypedFields = ({ descriptor, values, errorOf }: TypedFieldsProps) =>
  descriptor.groups.map(({ title, fields }) => (
    <fieldset className={styles.set} key={title}>
      <legend className={styles.legend}>{title}</legend>
      <div className={styles.fields}>
        {fields.map((field) => (
          <TypedField key={field.name} field={field} value={values[field.name]} error={errorOf(field.name)} />
        ))}
      </div>
    </fieldset>
  ))

const WIDTHS: Readonly<Record<FieldControl['width'], string | undefined>> = {
  full: styles.whole,
  half: undefined,
  short: styles.short,
}

interface FieldProps {
  field: Field
  value: string | undefined
  error: string | undefined
}

export function TypedField({ field, value, error }: FieldProps) {
  const { control, name, label } = field
  const sharedProps = {
    id: name,
    name,
    label,
    defaultValue: value,
    error,
    required: !field.isOptional,
    className: WIDTHS[control.width],
    placeholder: control.placeholder,
    autoComplete: control.autoComplete,
  }
  switch (control.kind) {
    case 'line': {
      const { type, autoCapitalize, spellCheck } = control
      return <TextField {...sharedProps} type={type} autoCapitalize={autoCapitalize} spellCheck={spellCheck} />
    }
    case 'number':
      return <TextField {...sharedProps} type="number" step={control.step} inputMode={control.inputMode} />
    case 'counted':
      return <CountedText {...sharedProps} max={control.max} rows={control.rows} />
    case 'select':
      return (
        <ChoiceField
          {...sharedProps}
          field={field}
          options={control.options}
          reportsAtOnce={control.reportsAtOnce ?? false}
        />
      )
    case 'checkbox':
      return <PermissionCheckbox field={field} value={value} error={error} />
  }
}

function PermissionCheckbox({ field: { name, label, control }, value, error }: FieldProps) {
  return (
    <CheckField
      {...{ id: name, name, label, error }}
      value={PERMISSION_GRANTED}
      defaultChecked={value === PERMISSION_GRANTED}
      hint={control.kind === 'checkbox' && control.help}
    />
  )
}

interface SharedProps {
  id: string
  name: string
  label: string
  defaultValue: string | undefined
  error: string | undefined
  required: boolean
  className: string | undefined
  placeholder: string | undefined
  autoComplete: string | undefined
}

const remainingText = (remainingCount: number, max: number) =>
  remainingCount < 0
    ? `${remainingCount === -1 ? 'Sobra 1 carácter' : `Sobran ${-remainingCount} caracteres`}: caben ${max}`
    : `Queda${remainingCount === 1 ? '' : 'n'} ${remainingCount} de ${max} caracteres`

/** Shows a text field with a counter. The limit does not stop the typing, since a whole text is easier to shorten. */
function CountedText({ max, rows, ...shared }: SharedProps & { max: number; rows: number | undefined }) {
  const control = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const [remainingCount, setRemainingCount] = useState<number>()
  const updateCount = (text: string) => setRemainingCount(max - [...text].length)
  // Counts a text that was typed before the script arrived.
  useEffect(() => updateCount(control.current?.value ?? ''), [])

  const fieldProps = {
    ...shared,
    ref: control,
    autoComplete: 'off',
    hint: (
      <span data-over={remainingCount !== undefined && remainingCount < 0 ? '' : undefined} className={styles.left}>
        {remainingCount === undefined ? `Hasta ${max} caracteres` : remainingText(remainingCount, max)}
      </span>
    ),
    onInput: (event: { currentTarget: { value: string } }) => updateCount(event.currentTarget.value),
  }
  return rows ? <TextAreaField {...fieldProps} rows={rows} /> : <TextField {...fieldProps} type="text" />
}

interface ChoiceFieldProps extends Omit<SharedProps, 'placeholder'> {
  placeholder: string | undefined
  field: Field
  options: readonly string[]
  /** Whether a faulty choice is reported at once, or only when the form is sent. */
  reportsAtOnce: boolean
}

function ChoiceField({ field, options, reportsAtOnce, error, placeholder: _, ...shared }: ChoiceFieldProps) {
  const control = useRef<HTMLSelectElement>(null)
  const [choice, setChoice] = useState(shared.defaultValue ?? options[0]!)
  // The browser may have restored another choice before the script arrived.
  useEffect(() => setChoice((initialChoice) => control.current?.value ?? initialChoice), [])
  const fault = reportsAtOnce ? field.checks.find((check) => check.fails(choice))?.sentence : undefined
  return (
    <SelectField
      {...shared}
      ref={control}
      options={options}
      isLive={reportsAtOnce}
      error={fault ?? error}
      onChange={(event: ChangeEvent<HTMLSelectElement>) => setChoice(event.currentTarget.value)}
    />
  )
}
