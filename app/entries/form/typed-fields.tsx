import { type ChangeEvent, useEffect, useRef, useState } from 'react'
import { type Control, type Field, GRANTED } from '#app/entries/definitions/field.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import { CheckField, SelectField, TextAreaField, TextField } from '#app/ui/forms/field.tsx'
import styles from './registration-form.module.css'

interface TypedFieldsProps {
  forma: Forma
  /** Initial values of the fields. */
  valores: Readonly<Record<string, string>>
  errorOf(field: string): string | undefined
}

/** The typed fields of a form, built from their descriptors. */
export const TypedFields = ({ forma, valores, errorOf }: TypedFieldsProps) =>
  forma.grupos.map(({ titulo, campos }) => (
    <fieldset className={styles.set} key={titulo}>
      <legend className={styles.legend}>{titulo}</legend>
      <div className={styles.fields}>
        {campos.map((field) => (
          <TypedField key={field.nombre} campo={field} valor={valores[field.nombre]} error={errorOf(field.nombre)} />
        ))}
      </div>
    </fieldset>
  ))

const WIDTHS: Readonly<Record<Control['ancho'], string | undefined>> = {
  entero: styles.whole,
  mitad: undefined,
  corto: styles.short,
}

interface FieldProps {
  campo: Field
  valor: string | undefined
  error: string | undefined
}

export function TypedField({ campo, valor, error }: FieldProps) {
  const { control, nombre, etiqueta } = campo
  const shared = {
    ...{ id: nombre, name: nombre, label: etiqueta, defaultValue: valor, error },
    required: !campo.esOpcional,
    className: WIDTHS[control.ancho],
    placeholder: control.placeholder,
    autoComplete: control.autoComplete,
  }
  switch (control.como) {
    case 'renglon': {
      const { type, autoCapitalize, spellCheck } = control
      return <TextField {...shared} type={type} autoCapitalize={autoCapitalize} spellCheck={spellCheck} />
    }
    case 'numero':
      return <TextField {...shared} type="number" step={control.step} inputMode={control.inputMode} />
    case 'contado':
      return <CountedText {...shared} max={control.max} rows={control.rows} />
    case 'opciones':
      return <Options {...shared} campo={campo} opciones={control.opciones} alMomento={control.alMomento ?? false} />
    case 'casilla':
      return <PermissionCheckbox campo={campo} valor={valor} error={error} />
  }
}

function PermissionCheckbox({ campo: { nombre, etiqueta, control }, valor, error }: FieldProps) {
  return (
    <CheckField
      {...{ id: nombre, name: nombre, label: etiqueta, error }}
      value={GRANTED}
      defaultChecked={valor === GRANTED}
      hint={control.como === 'casilla' && control.ayuda}
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

const roomOf = (left: number, max: number) =>
  left < 0
    ? `${left === -1 ? 'Sobra 1 carácter' : `Sobran ${-left} caracteres`}: caben ${max}`
    : `Queda${left === 1 ? '' : 'n'} ${left} de ${max} caracteres`

/** Text field with a counter. A text over the limit can be typed, since it is easier to shorten when seen whole. */
function CountedText({ max, rows, ...shared }: SharedProps & { max: number; rows: number | undefined }) {
  const control = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const [left, setLeft] = useState<number>()
  const count = (text: string) => setLeft(max - [...text].length)
  // Text typed before the script arrived counts.
  useEffect(() => count(control.current?.value ?? ''), [])

  const common = {
    ...shared,
    ref: control,
    autoComplete: 'off',
    hint: (
      <span data-over={left !== undefined && left < 0 ? '' : undefined} className={styles.left}>
        {left === undefined ? `Hasta ${max} caracteres` : roomOf(left, max)}
      </span>
    ),
    onInput: (event: { currentTarget: { value: string } }) => count(event.currentTarget.value),
  }
  return rows ? <TextAreaField {...common} rows={rows} /> : <TextField {...common} type="text" />
}

interface OptionsProps extends Omit<SharedProps, 'placeholder'> {
  placeholder: string | undefined
  campo: Field
  opciones: readonly string[]
  /** A faulty choice is reported at once, not only when the form is sent. */
  alMomento: boolean
}

function Options({ campo, opciones, alMomento, error, placeholder: _, ...shared }: OptionsProps) {
  const control = useRef<HTMLSelectElement>(null)
  const [chosen, setChosen] = useState(shared.defaultValue ?? opciones[0]!)
  // The browser may have restored another choice before the script arrived.
  useEffect(() => setChosen((was) => control.current?.value ?? was), [])
  const fault = alMomento ? campo.revisiones.find((revision) => revision.falla(chosen))?.oracion : undefined
  return (
    <SelectField
      {...shared}
      ref={control}
      options={opciones}
      live={alMomento}
      error={fault ?? error}
      onChange={(event: ChangeEvent<HTMLSelectElement>) => setChosen(event.currentTarget.value)}
    />
  )
}
