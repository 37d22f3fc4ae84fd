import type { ReactNode } from 'react'
import { useMano } from '#app/panel/editor/use-draft.ts'
import { unir } from '#app/ui/styles/class-names.ts'
import { claseTono, type Tono } from '#app/ui/styles/tone.ts'
import type { PropsDeCampo } from './field-props.ts'
import styles from './inputs.module.css'

const comoTexto = (valor: unknown) => (typeof valor === 'string' ? valor : '')

function Opciones({
  id,
  valor,
  onCambio,
  descriptor,
  describedBy,
  invalid,
  children,
}: PropsDeCampo & { children: ReactNode }) {
  return (
    <select
      id={id}
      className={styles.control}
      aria-describedby={describedBy}
      aria-invalid={invalid || undefined}
      value={comoTexto(valor)}
      onChange={({ target }) => onCambio(descriptor.opcional && target.value === '' ? undefined : target.value)}
    >
      <option value="">{descriptor.opcional ? 'Ninguno' : 'Elige…'}</option>
      {children}
    </select>
  )
}

export const CampoDeEleccion = (props: PropsDeCampo) => (
  <Opciones {...props}>
    {props.descriptor.opciones?.map(([value, words]) => (
      <option key={value} value={value}>
        {words}
      </option>
    ))}
  </Opciones>
)

/** One of the candidates. */
export function CampoDePersona(props: PropsDeCampo) {
  const { personas } = useMano()
  const gone = comoTexto(props.valor)
  return (
    <Opciones {...props}>
      {personas.map(([value, nombre]) => (
        <option key={value} value={value}>
          {nombre}
        </option>
      ))}
      {gone && !personas.some(([value]) => value === gone) && <option value={gone}>{gone}</option>}
    </Opciones>
  )
}

export const CampoDeSiNo = ({ id, valor, onCambio, descriptor, describedBy }: PropsDeCampo) => (
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

/** A candidate's colour: each with its light. */
export const CampoDeTono = ({ id, valor, onCambio, descriptor, describedBy }: PropsDeCampo) => (
  <div
    className={styles.tonos}
    role="radiogroup"
    aria-label={descriptor.rotulo}
    aria-describedby={describedBy}
    id={id}
    tabIndex={-1}
  >
    {descriptor.opciones?.map(([value, words]) => (
      <label key={value} className={unir(styles.tono, claseTono(value as Tono))}>
        <input type="radio" name={id} value={value} checked={valor === value} onChange={() => onCambio(value)} />
        <span aria-hidden="true" />
        {words}
      </label>
    ))}
  </div>
)

/** A colour of six digits: picked, or typed. */
export function CampoDeColor({ id, valor, onCambio, descriptor, describedBy, invalid }: PropsDeCampo) {
  const text = comoTexto(valor)
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
