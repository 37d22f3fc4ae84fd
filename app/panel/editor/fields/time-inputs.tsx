import { useState } from 'react'
import { formatDateTimeLocal, parseDateTimeLocal } from '#app/core/time/mexico-dates.ts'
import { asText, type InputProps } from './field-props.ts'
import styles from './inputs.module.css'

const INPUT_TYPES: Record<string, string> = { date: 'date', time: 'time', moment: 'datetime-local' }

/** Edits a date, a time of day or a moment, in Mexico City's time zone, not in the device's. */
export function DateTimeInput({ id, value, onChange, descriptor, describedBy, isInvalid }: InputProps) {
  const { kind, isOptional } = descriptor
  const text = asText(value)
  const isMoment = kind === 'moment' && !Number.isNaN(Date.parse(text))
  const toValue = (local: string) => {
    if (local === '') return isOptional ? undefined : ''
    return kind === 'moment' ? (parseDateTimeLocal(local) ?? local) : local
  }
  return (
    <input
      id={id}
      className={styles.medium}
      type={INPUT_TYPES[kind]}
      aria-describedby={describedBy}
      aria-invalid={isInvalid || undefined}
      required={!isOptional}
      value={isMoment ? formatDateTimeLocal(text) : text}
      onChange={({ target }) => onChange(toValue(target.value))}
    />
  )
}

const MONTHS = 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' ')

/** Edits a birthday such as «5 de mayo»; its value is '' until both day and month are chosen. */
export function BirthdayInput({ id, value, onChange, describedBy, isInvalid, descriptor }: InputProps) {
  const [, dayOfMonth = '', monthName = ''] = /^(\d{0,2}) de (\p{L}*)$/u.exec(asText(value)) ?? []
  const [partialDate, setPartialDate] = useState({ day: '', month: '' })
  const [day, month] = [dayOfMonth || partialDate.day, monthName || partialDate.month]
  const setBirthday = (newDay: string, newMonth: string) => {
    setPartialDate({ day: newDay, month: newMonth })
    onChange(newDay && newMonth ? `${newDay} de ${newMonth}` : '')
  }
  return (
    <div className={styles.row}>
      <select
        id={id}
        className={styles.medium}
        aria-label={`${descriptor.label}: día`}
        aria-describedby={describedBy}
        aria-invalid={isInvalid || undefined}
        required={!descriptor.isOptional}
        value={day}
        onChange={({ target }) => setBirthday(target.value, month)}
      >
        <option value="">Día</option>
        {Array.from({ length: 31 }, (_, index) => (
          <option key={String(index)} value={index + 1}>
            {index + 1}
          </option>
        ))}
      </select>
      <select
        className={styles.medium}
        aria-label={`${descriptor.label}: mes`}
        aria-describedby={describedBy}
        aria-invalid={isInvalid || undefined}
        required={!descriptor.isOptional}
        value={month}
        onChange={({ target }) => setBirthday(day, target.value)}
      >
        <option value="">Mes</option>
        {MONTHS.map((monthOption) => (
          <option key={monthOption} value={monthOption}>
            {monthOption}
          </option>
        ))}
      </select>
    </div>
  )
}
