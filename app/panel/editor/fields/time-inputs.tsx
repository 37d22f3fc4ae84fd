import { useState } from 'react'
import { formatDateTimeLocal, parseDateTimeLocal } from '#app/core/time/mexico-dates.ts'
import { asText, type InputProps } from './field-props.ts'
import styles from './inputs.module.css'

const TYPES: Record<string, string> = { date: 'date', time: 'time', moment: 'datetime-local' }

/** Edits a date, a time, or both, in Mexico City's time zone, independent of the device's zone. */
export function DateTimeInput({ id, value, onChange, descriptor, describedBy, invalid }: InputProps) {
  const { kind, isOptional } = descriptor
  const text = asText(value)
  const isMoment = kind === 'moment' && !Number.isNaN(Date.parse(text))
  const read = (local: string) => {
    if (local === '') return isOptional ? undefined : ''
    return kind === 'moment' ? (parseDateTimeLocal(local) ?? local) : local
  }
  return (
    <input
      id={id}
      className={styles.medium}
      type={TYPES[kind]}
      aria-describedby={describedBy}
      aria-invalid={invalid || undefined}
      required={!isOptional}
      value={isMoment ? formatDateTimeLocal(text) : text}
      onChange={({ target }) => onChange(read(target.value))}
    />
  )
}

const MONTHS = 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' ')

/** Edits a birthday, such as «5 de mayo»; the value is '' until both day and month are chosen. */
export function BirthdayInput({ id, value, onChange, describedBy, invalid, descriptor }: InputProps) {
  const [, dayOfMonth = '', monthName = ''] = /^(\d{0,2}) de (\p{L}*)$/u.exec(asText(value)) ?? []
  const [partialDate, setPartialDate] = useState({ day: '', month: '' })
  const [day, month] = [dayOfMonth || partialDate.day, monthName || partialDate.month]
  const write = (one: string, other: string) => {
    setPartialDate({ day: one, month: other })
    onChange(one && other ? `${one} de ${other}` : '')
  }
  return (
    <div className={styles.row}>
      <select
        id={id}
        className={styles.medium}
        aria-label={`${descriptor.label}: día`}
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
        className={styles.medium}
        aria-label={`${descriptor.label}: mes`}
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
