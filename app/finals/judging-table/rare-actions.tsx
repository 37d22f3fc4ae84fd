import { Form } from 'react-router'
import { Button } from '#app/ui/components/button.tsx'
import { CheckField, TextAreaField } from '#app/ui/forms/field.tsx'
import type { JudgingTable } from './data.server.ts'
import styles from './judging-table.module.css'
import { useIsSubmitting } from './use-is-submitting.ts'

const annulmentLabel = (signedSheetCount: number) =>
  signedSheetCount === 0
    ? 'Entiendo que lo que va se queda fuera'
    : signedSheetCount === 1
      ? 'Hay una hoja firmada: se queda fuera'
      : `Hay ${signedSheetCount} hojas firmadas: se quedan fuera`

/** Shows rare actions, folded: withdrawing a candidate and annulling the final. */
export function RareActions({ judgingTable: { final }, reason }: { judgingTable: JudgingTable; reason: string }) {
  const isBusy = useIsSubmitting()
  if (!final) return null
  return (
    <details className={styles.exceptions}>
      <summary className={styles.row}>Si algo sale de lo previsto</summary>
      <Form method="post" preventScrollReset className={styles.form} aria-label="Retirar de la final a una candidata">
        <h3>Una candidata se retira</h3>
        <label htmlFor="candidata">Candidata</label>
        <select id="candidata" name="candidata" required defaultValue="">
          <option value="" disabled>
            Elige…
          </option>
          {final.candidates.map(({ id, number, name }) => (
            <option key={id} value={id}>
              {number} {name}
            </option>
          ))}
        </select>
        <TextAreaField
          id="motivo-retiro"
          name="motivo"
          label="Por qué"
          rows={2}
          maxLength={300}
          defaultValue={reason}
        />
        <p className={styles.note}>Si la siguiente ronda no se ha abierto, su lugar lo toma quien sigue en el orden.</p>
        <Button type="submit" look="outline" isBusy={isBusy} name="hacer" value="retirar">
          Retirarla de la final
        </Button>
      </Form>
      <Form method="post" preventScrollReset className={styles.form} aria-label="Anular la final">
        <h3>Era un ensayo, o hay que empezar de nuevo</h3>
        <CheckField id="seguro-anular" name="seguro" required label={annulmentLabel(final.signedSheetCount)} />
        <Button type="submit" look="outline" isBusy={isBusy} name="hacer" value="anular-ensayo">
          Era un ensayo: anularlo
        </Button>
        <p className={styles.note}>
          El acta dirá en un renglón que hubo un ensayo y qué día. Después se abre la final.
        </p>
        <TextAreaField
          id="motivo-anular"
          name="motivo"
          label="Si no era un ensayo, por qué se anula"
          rows={2}
          maxLength={300}
          defaultValue={reason}
        />
        <p className={styles.note}>El acta guarda lo que hubo y este motivo. Después se puede abrir otra vez.</p>
        <Button type="submit" look="outline" isBusy={isBusy} name="hacer" value="anular">
          Anular lo que va
        </Button>
      </Form>
    </details>
  )
}
