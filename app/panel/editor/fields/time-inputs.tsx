import { useState } from 'react'
import { formatDateTimeLocal, parseDateTimeLocal } from '#app/core/time/mexico-dates.ts'
import type { InputProps } from './field-props.ts'
import styles from './inputs.module.css'

const TYPES: Record<string, string> = { fecha: 'date', hora: 'time', momento: 'datetime-local' }

const asText = (valor: unknown) => (typeof valor === 'string' ? valor : '')

/** A date, a time, or both, in Mexico City's time zone, independent of the device's zone. */
export function DateTimeInput({ id, valor, onCambio, descriptor, describedBy, invalid }: InputProps) {
  const { clase, opcional } = descriptor
  const text = asText(valor)
  const isMoment = clase === 'momento' && !Number.isNaN(Date.parse(text))
  const read = (local: string) => {
    if (local === '') return opcional ? undefined : ''
    return clase === 'momento' ? (parseDateTimeLocal(local) ?? local) : local
  }
  return (
    <input
      id={id}
      className={styles.medio}
      type={TYPES[clase]}
      aria-describedby={describedBy}
      aria-invalid={invalid || undefined}
      required={!opcional}
      value={isMoment ? formatDateTimeLocal(text) : text}
      onChange={({ target }) => onCambio(read(target.value))}
    />
  )
}

const MONTHS = 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' ')

/** A birthday: day and month. */
export function BirthdayInput({ id, valor, onCambio, describedBy, invalid, descriptor }: InputProps) {
  const [, dayOfMonth = '', mes = ''] = /^(\d{0,2}) de (\p{L}*)$/u.exec(asText(valor)) ?? []
  const [half, setHalf] = useState({ dia: '', mes: '' })
  const [day, month] = [dayOfMonth || half.dia, mes || half.mes]
  const write = (one: string, other: string) => {
    setHalf({ dia: one, mes: other })
    onCambio(one && other ? `${one} de ${other}` : '')
  }
  return (
    <div className={styles.fila}>
      <select
        id={id}
        className={styles.medio}
        aria-label={`${descriptor.rotulo}: día`}
        aria-describedby={describedBy}
        aria-invalid={invalid || undefined}
        value={day}
        onChange={({ target }) => write(target.value, month)}
      >
        <option value="">Día</option>
        {Array.from({ length: 31 }, (_, at) => (
          <option key={String(at)} value={at + 1}>
            {at + 1}
          </option>
        ))}
      </select>
      <select
        className={styles.medio}
        aria-label={`${descriptor.rotulo}: mes`}
        value={month}
        onChange={({ target }) => write(day, target.value)}
      >
        <option value="">Mes</option>
        {MONTHS.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </div>
  )
}
