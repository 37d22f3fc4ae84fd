import { type ChangeEvent, useEffect, useRef, useState } from 'react'
import { type Campo, type Control, PERMITIDO } from '#app/entries/definitions/field.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import { CheckField, SelectField, TextAreaField, TextField } from '#app/ui/forms/field.tsx'
import styles from './registration-form.module.css'

interface CamposProps {
  forma: Forma
  /** What stands in the fields at first. */
  valores: Readonly<Record<string, string>>
  errorOf(campo: string): string | undefined
}

/** The typed fields of a form, made of their descriptors. */
export const Campos = ({ forma, valores, errorOf }: CamposProps) =>
  forma.grupos.map(({ titulo, campos }) => (
    <fieldset className={styles.set} key={titulo}>
      <legend className={styles.legend}>{titulo}</legend>
      <div className={styles.fields}>
        {campos.map((campo) => (
          <CampoTecleado key={campo.nombre} campo={campo} valor={valores[campo.nombre]} error={errorOf(campo.nombre)} />
        ))}
      </div>
    </fieldset>
  ))

const ANCHOS: Readonly<Record<Control['ancho'], string | undefined>> = {
  entero: styles.whole,
  mitad: undefined,
  corto: styles.short,
}

interface CampoProps {
  campo: Campo
  valor: string | undefined
  error: string | undefined
}

export function CampoTecleado({ campo, valor, error }: CampoProps) {
  const { control, nombre, etiqueta } = campo
  const comun = {
    ...{ id: nombre, name: nombre, label: etiqueta, defaultValue: valor, error },
    required: !campo.esOpcional,
    className: ANCHOS[control.ancho],
    placeholder: control.placeholder,
    autoComplete: control.autoComplete,
  }
  switch (control.como) {
    case 'renglon': {
      const { type, autoCapitalize, spellCheck } = control
      return <TextField {...comun} type={type} autoCapitalize={autoCapitalize} spellCheck={spellCheck} />
    }
    case 'numero':
      return <TextField {...comun} type="number" step={control.step} inputMode={control.inputMode} />
    case 'contado':
      return <Contado {...comun} max={control.max} rows={control.rows} />
    case 'opciones':
      return <Opciones {...comun} campo={campo} opciones={control.opciones} alMomento={control.alMomento ?? false} />
    case 'casilla':
      return <Permiso campo={campo} valor={valor} error={error} />
  }
}

/** A box that a person may tick; nothing is asked of whoever does not. */
function Permiso({ campo: { nombre, etiqueta, control }, valor, error }: CampoProps) {
  return (
    <CheckField
      {...{ id: nombre, name: nombre, label: etiqueta, error }}
      value={PERMITIDO}
      defaultChecked={valor === PERMITIDO}
      hint={control.como === 'casilla' && control.ayuda}
    />
  )
}

interface Comun {
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

/** A text that says how much room is left. Too long a one can be typed: what to cut is easier to see whole. */
function Contado({ max, rows, ...comun }: Comun & { max: number; rows: number | undefined }) {
  const control = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const [left, setLeft] = useState<number>()
  const count = (text: string) => setLeft(max - [...text].length)
  // What was typed before the script arrived counts.
  useEffect(() => count(control.current?.value ?? ''), [])

  const common = {
    ...comun,
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

interface OpcionesProps extends Omit<Comun, 'placeholder'> {
  placeholder: string | undefined
  campo: Campo
  opciones: readonly string[]
  /** What is wrong with a choice is said as it is made, not only when everything is filled in. */
  alMomento: boolean
}

function Opciones({ campo, opciones, alMomento, error, placeholder: _, ...comun }: OpcionesProps) {
  const control = useRef<HTMLSelectElement>(null)
  const [chosen, setChosen] = useState(comun.defaultValue ?? opciones[0]!)
  // The browser may have brought back another choice before the script arrived.
  useEffect(() => setChosen((was) => control.current?.value ?? was), [])
  const fault = alMomento ? campo.revisiones.find((revision) => revision.falla(chosen))?.oracion : undefined
  return (
    <SelectField
      {...comun}
      ref={control}
      options={opciones}
      live={alMomento}
      error={fault ?? error}
      onChange={(event: ChangeEvent<HTMLSelectElement>) => setChosen(event.currentTarget.value)}
    />
  )
}
