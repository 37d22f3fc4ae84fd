import { useState } from 'react'
import { aqui, momentoDe } from '#app/core/time/mexico-dates.ts'
import type { PropsDeCampo } from './field-props.ts'
import styles from './inputs.module.css'

const TIPOS: Record<string, string> = { fecha: 'date', hora: 'time', momento: 'datetime-local' }

const comoTexto = (valor: unknown) => (typeof valor === 'string' ? valor : '')

/** A day, an hour, or both, by the clocks of Mexico City whatever zone the device is in. */
export function CampoDeTiempo({ id, valor, onCambio, descriptor, describedBy, invalid }: PropsDeCampo) {
  const { clase, opcional } = descriptor
  const text = comoTexto(valor)
  const isMoment = clase === 'momento' && !Number.isNaN(Date.parse(text))
  const read = (local: string) => {
    if (local === '') return opcional ? undefined : ''
    return clase === 'momento' ? (momentoDe(local) ?? local) : local
  }
  return (
    <input
      id={id}
      className={styles.medio}
      type={TIPOS[clase]}
      aria-describedby={describedBy}
      aria-invalid={invalid || undefined}
      required={!opcional}
      value={isMoment ? aqui(text) : text}
      onChange={({ target }) => onCambio(read(target.value))}
    />
  )
}

const MESES = 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' ')

/** A birthday: day and month. */
export function CampoDeCumple({ id, valor, onCambio, describedBy, invalid, descriptor }: PropsDeCampo) {
  const [, dia = '', mes = ''] = /^(\d{0,2}) de (\p{L}*)$/u.exec(comoTexto(valor)) ?? []
  const [half, setHalf] = useState({ dia: '', mes: '' })
  const [day, month] = [dia || half.dia, mes || half.mes]
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
        {MESES.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </div>
  )
}
