import { Form } from 'react-router'
import { enFecha } from '#app/core/time/mexico-dates.ts'
import type { Inscripcion } from '#app/entries/schema.ts'
import { Estado } from '#app/panel/entry-state.tsx'
import { Aviso } from '#app/panel/notice.tsx'
import { puedeDeshacer } from '#app/panel/rules.ts'
import { useUnaVez } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/primitives/button.tsx'
import { Plegable } from './collapsible-section.tsx'
import styles from './decision-forms.module.css'

interface Props {
  inscripcion: Inscripcion
  /** What came of taking the last step back. */
  hecho: { ok: boolean; mensaje: string } | undefined
}

const CAMPO = { celular: 'Celular', correo: 'Correo' }

/** What was decided before, and corrected. */
export function Historia({ inscripcion: { estado, version, historia, correcciones }, hecho }: Props) {
  const { busy, once } = useUnaVez()
  const cuantos = historia.length + correcciones.length
  return (
    <Plegable
      id="historia"
      titulo="Historia"
      nota={cuantos === 1 ? 'un cambio' : `${cuantos || 'sin'} cambios`}
      abre={hecho !== undefined}
    >
      {cuantos === 0 && <p>Nadie ha cambiado nada todavía.</p>}
      <ol className={styles.historia}>
        {historia.map(({ id, at, de, a, nota, paraPersona, quien }, place) => (
          <li key={id}>
            <p>
              <Estado estado={de} /> → <Estado estado={a} />
            </p>
            {nota && <p className={styles.nota}>{nota}</p>}
            {nota && paraPersona && (
              <p className={styles.paraPersona}>
                {place === 0
                  ? 'La persona la lee con su folio.'
                  : 'La persona podía leerla con su folio hasta el cambio siguiente.'}
              </p>
            )}
            <Quien quien={quien} at={at} />
          </li>
        ))}
        {correcciones.map(({ id, at, campo, antes, ahora, quien }) => (
          <li key={`correccion-${id}`}>
            <p className={styles.nota}>
              {CAMPO[campo]}: {antes ?? 'no había'} → {ahora ?? 'ninguno'}
            </p>
            <Quien quien={quien} at={at} />
          </li>
        ))}
      </ol>
      {puedeDeshacer(historia, estado) && (
        <Form method="post" preventScrollReset onSubmit={once}>
          <input type="hidden" name="version" value={version} />
          <Button type="submit" look="quiet" busy={busy} name="hacer" value="deshacer">
            Deshacer el último cambio
          </Button>
        </Form>
      )}
      {hecho && <Aviso hecho={hecho} />}
    </Plegable>
  )
}

const Quien = ({ quien, at }: { quien: string | null; at: Date }) => (
  <p className={styles.quien}>
    {quien ?? 'La persona inscrita'},{' '}
    <time dateTime={at.toISOString()} title={enFecha(at)}>
      {enFecha(at)}
    </time>
  </p>
)
