import { Form } from 'react-router'
import { Aviso } from '#app/panel/notice.tsx'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import styles from './decision-forms.module.css'
import type { CandidateStatus } from './make-candidate.server.ts'

/** Makes an accepted entry a candidate of the site's draft, or links to that candidate. */
export function MakeCandidate({
  candidata,
  hecho,
}: {
  candidata: CandidateStatus
  hecho: { ok: boolean; mensaje: string } | undefined
}) {
  const { busy, once } = useSubmitOnce()
  return (
    <section aria-labelledby="en-el-sitio" className={styles.enElSitio}>
      <h2 id="en-el-sitio">En el sitio</h2>
      {candidata.es === 'ya' && (
        <p>
          Ya es candidata en el borrador. <Enlace to={candidata.direccion}>Completar su ficha</Enlace>
        </p>
      )}
      {candidata.es === 'retirada' && <p>Fue candidata del sitio y se retiró: ya no participa.</p>}
      {candidata.es === 'puede' && (
        <Form method="post" preventScrollReset className={styles.forma} onSubmit={once}>
          <p className={styles.aviso}>
            Pasan al borrador su nombre, su edad y su grado de estudio
            {candidata.permite
              ? ', y su fotografía de rostro, porque lo permitió.'
              : '. Ninguna fotografía: no permitió publicarlas.'}{' '}
            Nada se publica todavía.
          </p>
          <Button type="submit" look="outline" busy={busy} name="hacer" value="candidata">
            Hacerla candidata del sitio
          </Button>
        </Form>
      )}
      {hecho && <Aviso hecho={hecho} />}
    </section>
  )
}
