import { type ChangeEvent, useEffect, useRef, useState } from 'react'
import { SelectField, TextAreaField, TextField } from '#app/ui/field.tsx'
import styles from './formulario.module.css'
import type { CampoComun, CamposDatos } from './formulario.tsx'
import { HA_PARTICIPADO, MAX_DESCRIPCION_CARACTERES, MAX_TEMATICA_CARACTERES, MENSAJES } from './schema.ts'

/** @source specification §2.9, §5 */
export const CamposTraje: CamposDatos = ({ campo }) => (
  <>
    <fieldset className={styles.set}>
      <legend className={styles.legend}>Tus datos</legend>
      <div className={styles.fields}>
        <TextField
          {...campo('nombre_disenador')}
          className={styles.whole}
          type="text"
          placeholder="Nombre completo"
          autoComplete="name"
          autoCapitalize="words"
          spellCheck={false}
        />
        <TextField
          {...campo('email')}
          className={styles.whole}
          type="email"
          placeholder="nombre@ejemplo.mx"
          autoComplete="email"
          autoCapitalize="none"
          spellCheck={false}
        />
        <TextField
          {...campo('celular')}
          className={styles.half}
          type="tel"
          placeholder="10 dígitos"
          autoComplete="tel"
        />
        <TextField
          {...campo('ciudad')}
          className={styles.half}
          type="text"
          placeholder="Ciudad y estado"
          autoComplete="address-level2"
          autoCapitalize="words"
        />
      </div>
    </fieldset>

    <fieldset className={styles.set}>
      <legend className={styles.legend}>El traje</legend>
      <div className={styles.fields}>
        <TextField {...campo('nombre_traje')} className={styles.whole} type="text" autoComplete="off" />
        <Contado {...campo('tematica')} max={MAX_TEMATICA_CARACTERES} placeholder="En qué se inspira" />
        <Contado
          {...campo('descripcion')}
          max={MAX_DESCRIPCION_CARACTERES}
          placeholder="Cómo es, pieza por pieza"
          rows={4}
        />
        <Contado {...campo('materiales')} max={MAX_TEMATICA_CARACTERES} placeholder="Telas, bordados, adornos" />
        <TextField
          {...campo('altura')}
          className={styles.half}
          type="number"
          step="any"
          placeholder="150 como máximo"
          inputMode="decimal"
          autoComplete="off"
        />
        <HaParticipado {...campo('ha_participado')} />
      </div>
    </fieldset>
  </>
)

const plurals = new Intl.PluralRules('es-MX')
const isOne = (count: number) => plurals.select(count) === 'one'
const roomOf = (left: number, max: number) =>
  left < 0
    ? `${isOne(-left) ? 'Sobra 1 carácter' : `Sobran ${-left} caracteres`}: caben ${max}`
    : `${isOne(left) ? 'Queda' : 'Quedan'} ${left} de ${max} caracteres`

/** A text that says how much room is left. Too long a one can be typed: what to cut is easier to see whole. */
function Contado({ max, rows, ...campo }: CampoComun & { max: number; rows?: number; placeholder: string }) {
  const control = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const [left, setLeft] = useState<number>()
  const count = (text: string) => setLeft(max - [...text].length)
  // What was typed before the script arrived counts.
  useEffect(() => count(control.current?.value ?? ''), [])

  const common = {
    ...campo,
    ref: control,
    className: styles.whole,
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

/** What makes a costume ineligible is said at once, not only when everything is filled in. */
function HaParticipado({ error, ...campo }: CampoComun) {
  const control = useRef<HTMLSelectElement>(null)
  const [si, setSi] = useState(campo.defaultValue === 'Sí')
  useEffect(() => setSi(control.current?.value === 'Sí'), [])
  return (
    <SelectField
      {...campo}
      ref={control}
      className={styles.half}
      options={HA_PARTICIPADO}
      live
      autoComplete="off"
      error={si ? MENSAJES.yaParticipo : error}
      onChange={(event: ChangeEvent<HTMLSelectElement>) => setSi(event.currentTarget.value === 'Sí')}
    />
  )
}
