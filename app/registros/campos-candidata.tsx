import { SelectField, TextField } from '#app/ui/field.tsx'
import styles from './formulario.module.css'
import type { CamposDatos } from './formulario.tsx'
import { GRADOS_ESTUDIO } from './schema.ts'

/** @source specification §2.8 */
export const CamposCandidata: CamposDatos = ({ campo }) => (
  <fieldset className={styles.set}>
    <legend className={styles.legend}>Tus datos</legend>
    <div className={styles.fields}>
      <TextField
        {...campo('nombre')}
        className={styles.whole}
        type="text"
        placeholder="Nombre completo"
        autoComplete="name"
        autoCapitalize="words"
        spellCheck={false}
      />
      <TextField
        {...campo('edad')}
        className={styles.third}
        type="number"
        placeholder="18 a 26 años"
        inputMode="numeric"
        autoComplete="off"
      />
      <TextField
        {...campo('estatura')}
        className={styles.third}
        type="number"
        step="0.01"
        placeholder="1.66 sin zapatos"
        inputMode="decimal"
        autoComplete="off"
      />
      <SelectField {...campo('gradoEstudio')} className={styles.half} options={GRADOS_ESTUDIO} autoComplete="off" />
      <TextField {...campo('celular')} className={styles.half} type="tel" placeholder="10 dígitos" autoComplete="tel" />
    </div>{' '}
  </fieldset>
)
