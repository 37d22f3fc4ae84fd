import { Form } from 'react-router'
import { Button } from '#app/ui/button.tsx'
import { Enlace } from '#app/ui/enlace.tsx'
import { Aviso } from './aviso.tsx'
import type { CandidataDelSitio } from './candidata-nueva.server.ts'
import styles from './juicio.module.css'
import { useUnaVez } from './use-una-vez.ts'

/** From an accepted entry to a candidate of the site's draft. */
export function EnElSitio({
  candidata,
  hecho,
}: {
  candidata: CandidataDelSitio
  hecho: { ok: boolean; mensaje: string } | undefined
}) {
  const { busy, once } = useUnaVez()
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
