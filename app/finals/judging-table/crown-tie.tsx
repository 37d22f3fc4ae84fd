import { Form } from 'react-router'
import { Button } from '#app/ui/components/button.tsx'
import type { JudgingTable } from './data.server.ts'
import styles from './judging-table.module.css'
import { useIsSubmitting } from './use-is-submitting.ts'

/** Offers one more round if only the lot would decide the crown. */
export function CrownTie({ final }: { final: NonNullable<JudgingTable['final']> }) {
  const isBusy = useIsSubmitting()
  if (final.crownTie.length === 0 || final.closing) return null
  return (
    <section className={styles.section} aria-labelledby="empate">
      <h2 id="empate">Empate por la corona</h2>
      <p>
        {final.crownTie.join(' y ')} tienen los mismos puntos, y ninguna regla escrita las distingue. Pueden calificar
        una ronda más entre ellas, desde cero y con los criterios de la última. Si sellas el acta sin ella, decide el
        sorteo.
      </p>
      <Form method="post" preventScrollReset aria-label="Otra ronda por la corona">
        <input type="hidden" name="ronda" value={final.rounds.length + 1} />
        <Button type="submit" look="outline" isBusy={isBusy} name="hacer" value="abrir-ronda">
          Abrir una ronda de desempate
        </Button>
      </Form>
    </section>
  )
}
