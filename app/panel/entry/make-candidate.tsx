import { Form } from 'react-router'
import { OutcomeNotice } from '#app/panel/outcome-notice.tsx'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './decision-forms.module.css'
import type { CandidateStatus } from './make-candidate.server.ts'

/** Shows the button that adds an accepted entry to the draft's candidates, a link to the candidate, or that she was withdrawn. */
export function MakeCandidate({
  candidate,
  outcome,
}: {
  candidate: CandidateStatus
  outcome: { ok: boolean; message: string } | undefined
}) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  return (
    <section aria-labelledby="en-el-sitio" className={styles.onSite}>
      <h2 id="en-el-sitio">En el sitio</h2>
      {candidate.kind === 'inDraft' && (
        <p>
          {candidate.isPublished ? 'Ya está en el sitio.' : 'Ya es candidata en el borrador.'}{' '}
          <Link to={candidate.path}>{candidate.isPublished ? 'Ver su ficha' : 'Completar su ficha'}</Link>
        </p>
      )}
      {candidate.kind === 'withdrawn' && <p>Fue candidata del sitio y se retiró: ya no participa.</p>}
      {candidate.kind === 'possible' && (
        <Form method="post" preventScrollReset className={styles.form} onSubmit={preventResubmit}>
          <p className={styles.notice}>
            Pasan al borrador su nombre, su edad y su grado de estudio
            {candidate.hasPhotoConsent
              ? ', y su fotografía de rostro, porque lo permitió.'
              : '. Ninguna fotografía: no permitió publicarlas.'}{' '}
            Nada se publica todavía.
          </p>
          <Button type="submit" look="outline" isBusy={isBusy} name="hacer" value="candidata">
            Hacerla candidata del sitio
          </Button>
        </Form>
      )}
      {outcome && <OutcomeNotice outcome={outcome} />}
    </section>
  )
}
