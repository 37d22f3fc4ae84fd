import { useEffect, useRef } from 'react'
import { cuando, enFecha } from '#app/core/time/mexico-dates.ts'
import { FORMAS } from '#app/entries/definitions/both-forms.ts'
import { EDAD_DESDE, EDAD_HASTA, fueraDeEdad } from '#app/entries/definitions/candidate-fields.ts'
import { type Filtro, NOMBRE_DE_TIPO, type Renglon } from '#app/entries/schema.ts'
import { Estado } from '#app/panel/entry-state.tsx'
import { toInscripcion } from '#app/panel/rules.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { unir } from '#app/ui/styles/class-names.ts'
import styles from './entry-list.module.css'

interface Props {
  renglones: Renglon[]
  /** What an export takes when nothing is chosen. */
  filtro: Filtro
  ahora: Date
}

/** Entries to look at and to choose from; «elegidas» is the form that the buttons above it send. */
export function Lista({ renglones, filtro, ahora }: Props) {
  const { tipo, estado, texto } = filtro
  const form = useRef<HTMLFormElement>(null)
  const todas = useRef<HTMLInputElement>(null)
  const boxes = () => [...(form.current?.querySelectorAll<HTMLInputElement>('input[name="id"]') ?? [])]
  /** The box above says of those below what they are: of other entries, too, when the list has changed. */
  const tell = () => {
    const chosen = boxes().filter(({ checked }) => checked).length
    if (!todas.current) return
    todas.current.checked = chosen > 0 && chosen === renglones.length
    todas.current.indeterminate = chosen > 0 && chosen < renglones.length
  }
  useEffect(tell)
  return (
    <form id="elegidas" action="/organizadores/exportar" className={styles.marco} ref={form} onChange={tell}>
      {tipo && <input type="hidden" name="tipo" value={tipo} />}
      {estado && <input type="hidden" name="estado" value={estado} />}
      {filtro.fueraDeEdad && <input type="hidden" name="edad" value="fuera" />}
      {texto && <input type="hidden" name="buscar" value={texto} />}
      <table className={styles.lista}>
        <thead>
          <tr>
            <th scope="col">
              <input
                type="checkbox"
                className={styles.todas}
                aria-label="Elegir todas las de esta página"
                ref={todas}
                onChange={({ currentTarget: { checked } }) => {
                  for (const box of boxes()) box.checked = checked
                }}
              />
            </th>
            <th scope="col">Folio</th>
            <th scope="col">Nombre</th>
            <th scope="col">Edad</th>
            <th scope="col">Documentos</th>
            <th scope="col">Estado</th>
            <th scope="col">Recibida</th>
          </tr>
        </thead>
        <tbody>
          {renglones.map((renglon) => (
            <tr key={renglon.id}>
              <td>
                <label className={styles.casilla}>
                  <input type="checkbox" name="id" value={renglon.id} aria-label={`Elegir ${renglon.titular}`} />
                </label>
              </td>
              <td className={styles.folio}>{renglon.folio}</td>
              <td className={styles.nombre}>
                <Enlace to={toInscripcion(renglon.id, filtro)}>{renglon.titular}</Enlace>
                <small>{renglon.detalle ?? NOMBRE_DE_TIPO[renglon.tipo]}</small>
              </td>
              <td className={unir(styles.edad, renglon.edad === null && styles.sinEdad)}>
                {renglon.edad ?? '—'}
                {fueraDeEdad(renglon.edad) && (
                  <em>
                    {' '}
                    fuera de {EDAD_DESDE}–{EDAD_HASTA}
                  </em>
                )}
              </td>
              <td className={styles.documentos}>
                <Documentos total={FORMAS[renglon.tipo].clases.length} faltan={renglon.faltan} />
              </td>
              <td className={styles.estado}>
                <Estado estado={renglon.estado} />
              </td>
              <td className={styles.recibida}>
                <time dateTime={renglon.recibidaAt.toISOString()} title={enFecha(renglon.recibidaAt)}>
                  {cuando(renglon.recibidaAt, ahora)}
                </time>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </form>
  )
}

const Documentos = ({ total, faltan }: { total: number; faltan: number }) => (
  <>
    <span className={styles.pilas} aria-hidden="true">
      {Array.from({ length: total }, (_, at) => (
        <i key={at} className={unir(at < total - faltan && styles.hay)} />
      ))}
    </span>{' '}
    {total - faltan} de {total}
  </>
)
