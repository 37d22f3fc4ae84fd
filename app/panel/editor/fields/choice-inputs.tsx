import type { ReactNode } from 'react'
import { useEditForm } from '#app/panel/editor/use-draft.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { type Tone, toneClass } from '#app/ui/styles/tone.ts'
import type { InputProps } from './field-props.ts'
import styles from './inputs.module.css'

const asText = (valor: unknown) => (typeof valor === 'string' ? valor : '')

function Options({
  id,
  valor,
  onCambio,
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
      value={asText(valor)}
      onChange={({ target }) => onCambio(descriptor.opcional && target.value === '' ? undefined : target.value)}
    >
      <option value="">{descriptor.opcional ? 'Ninguno' : 'Elige…'}</option>
      {children}
    </select>
  )
}

export const ChoiceInput = (props: InputProps) => (
  <Options {...props}>
    {props.descriptor.opciones?.map(([value, words]) => (
      <option key={value} value={value}>
        {words}
      </option>
    ))}
  </Options>
)

export function CandidateInput(props: InputProps) {
  const { personas } = useEditForm()
  const gone = asText(props.valor)
  return (
    <Options {...props}>
      {personas.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
      {gone && !personas.some(([value]) => value === gone) && <option value={gone}>{gone}</option>}
    </Options>
  )
}

export const YesNoInput = ({ id, valor, onCambio, descriptor, describedBy }: InputProps) => (
  <label className={styles.casilla} htmlFor={id}>
    <input
      id={id}
      type="checkbox"
      aria-describedby={describedBy}
      checked={valor === true}
      onChange={({ target }) => onCambio(target.checked)}
    />
    {descriptor.rotulo}
  </label>
)

/** A candidate's colour, each choice with a sample. */
export const ToneInput = ({ id, valor, onCambio, descriptor, describedBy }: InputProps) => (
  <div
    className={styles.tonos}
    role="radiogroup"
    aria-label={descriptor.rotulo}
    aria-describedby={describedBy}
    id={id}
    tabIndex={-1}
  >
    {descriptor.opciones?.map(([value, words]) => (
      <label key={value} className={joinClasses(styles.tono, toneClass(value as Tone))}>
        <input type="radio" name={id} value={value} checked={valor === value} onChange={() => onCambio(value)} />
        <span aria-hidden="true" />
        {words}
      </label>
    ))}
  </div>
)

/** A colour like #ff2d8f, picked or typed. */
export function ColorInput({ id, valor, onCambio, descriptor, describedBy, invalid }: InputProps) {
  const text = asText(valor)
  const write = (next: string) => onCambio(descriptor.opcional && next === '' ? undefined : next)
  return (
    <div className={styles.color}>
      <input
        type="color"
        aria-label={`${descriptor.rotulo}: elegirlo`}
        value={/^#[\da-f]{6}$/i.test(text) ? text.toLowerCase() : '#ff2d8f'}
        onChange={({ target }) => write(target.value)}
      />
      <input
        id={id}
        className={styles.corto}
        aria-describedby={describedBy}
        aria-invalid={invalid || undefined}
        autoComplete="off"
        autoCapitalize="none"
        placeholder="#ff2d8f"
        value={text}
        onChange={({ target }) => write(target.value.trim())}
      />
    </div>
  )
}
