import { quantity } from '#app/core/text/quantity.ts'
import type { JudgeLink } from '#app/finals/record/schema.ts'
import { Button } from '#app/ui/components/button.tsx'
import { CheckField } from '#app/ui/forms/field.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import type { JudgingTable } from './data.server.ts'
import styles from './judging-table.module.css'
import { JurySection } from './jury-section.tsx'
import { RulesInWords } from './rules-in-words.tsx'
import { useIsSubmitting } from './use-is-submitting.ts'

/** Shows the name of the screen that edits the rules, as a link if the account may edit them. */
export const RulesEditorLink = ({ mayEditRules }: { mayEditRules: boolean }) =>
  mayEditRules ? <Link to="/organizadores/sitio/final">El sitio › La final</Link> : '«El sitio», en «La final»'

/** Shows the jury's links, the rules and candidates that the opening seals, and the buttons for missing links and the opening. */
export function PrepareOpening({
  judgingTable,
  newLinks,
}: {
  judgingTable: JudgingTable & { mayEditRules: boolean }
  newLinks: readonly JudgeLink[]
}) {
  const { rules, sameRulesYear, candidates, jury, notes, mayEditRules } = judgingTable
  const isBusy = useIsSubmitting()
  const unlinkedCount = jury.filter(({ linkStatus }) => linkStatus === 'none').length
  const isReady = unlinkedCount === 0 && candidates.length > 0
  const signedInCount = jury.filter(({ linkStatus }) => linkStatus === 'in').length
  return (
    <>
      <div className={styles.columns}>
        <JurySection judgingTable={judgingTable} newLinks={newLinks} />
        <section className={styles.section} aria-labelledby="abrir">
          <h2 id="abrir">Antes de empezar</h2>
          {notes.map((note) => (
            <p className={styles.note} key={note}>
              {note}
            </p>
          ))}
          <p>
            Revisa las reglas y las candidatas: al abrir la final quedan selladas, y sólo se empieza de nuevo anulando
            lo que iba, con su motivo en el acta. Las reglas se cambian en{' '}
            <RulesEditorLink mayEditRules={mayEditRules} />.
          </p>
          {sameRulesYear !== undefined && (
            <p className={styles.note}>
              Son las mismas de la final de {sameRulesYear}: si algo cambia este año, cámbialo antes.
            </p>
          )}
          <RulesInWords rules={rules} />
          <p>
            {candidates.length === 0
              ? 'Todavía no hay candidatas: aparecen aquí en cuanto se publican.'
              : `${candidates.length === 1 ? 'Califica' : 'Califican'} ${quantity(candidates.length, 'candidata')}: ${candidates.map(({ number, name }) => `${number} ${name}`).join(', ')}.`}
          </p>
        </section>
      </div>
      {/* The buttons belong to the jury's form, so that they also send the judges' typed names. */}
      <div className={styles.next}>
        {unlinkedCount > 1 && (
          <Button type="submit" form="enlaces-del-jurado" isBusy={isBusy} name="hacer" value="enlaces">
            Hacer los {unlinkedCount} enlaces que faltan
          </Button>
        )}
        {isReady && signedInCount < jury.length && (
          <p className={styles.note}>
            {signedInCount === 0
              ? 'Ningún juez ha abierto su enlace.'
              : `Han abierto su enlace ${signedInCount} de ${jury.length} jueces.`}
          </p>
        )}
        {isReady && (
          <CheckField
            id="seguro"
            name="seguro"
            form="enlaces-del-jurado"
            required
            label="Entiendo que las reglas y las candidatas quedan selladas"
          />
        )}
        <Button type="submit" form="enlaces-del-jurado" isBusy={isBusy} name="hacer" value="abrir" disabled={!isReady}>
          Abrir la final
        </Button>
        {unlinkedCount > 0 && <p className={styles.note}>Primero haz aquí arriba el enlace de cada juez.</p>}
      </div>
    </>
  )
}
