import { Form } from 'react-router'
import { formatDateTime } from '#app/core/time/mexico-dates.ts'
import type { Entry } from '#app/entries/schema.ts'
import { StateLabel } from '#app/panel/entry-state.tsx'
import { Aviso } from '#app/panel/notice.tsx'
import { canUndo } from '#app/panel/rules.ts'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/primitives/button.tsx'
import { CollapsibleSection } from './collapsible-section.tsx'
import styles from './decision-forms.module.css'

interface Props {
  inscripcion: Entry
  /** Result of undoing the last step. */
  hecho: { ok: boolean; mensaje: string } | undefined
}

const FIELD_LABELS = { celular: 'Celular', correo: 'Correo' }

/** Earlier decisions and corrections. */
export function EntryHistory({ inscripcion: { estado, version, historia, correcciones }, hecho }: Props) {
  const { busy, once } = useSubmitOnce()
  const quantity = historia.length + correcciones.length
  return (
    <CollapsibleSection
      id="historia"
      titulo="Historia"
      nota={quantity === 1 ? 'un cambio' : `${quantity || 'sin'} cambios`}
      abre={hecho !== undefined}
    >
      {quantity === 0 && <p>Nadie ha cambiado nada todavía.</p>}
      <ol className={styles.historia}>
        {historia.map(({ id, at, de, a, nota, paraPersona, quien }, place) => (
          <li key={id}>
            <p>
              <StateLabel estado={de} /> → <StateLabel estado={a} />
            </p>
            {nota && <p className={styles.nota}>{nota}</p>}
            {nota && paraPersona && (
              <p className={styles.paraPersona}>
                {place === 0
                  ? 'La persona la lee con su folio.'
                  : 'La persona podía leerla con su folio hasta el cambio siguiente.'}
              </p>
            )}
            <Who quien={quien} at={at} />
          </li>
        ))}
        {correcciones.map(({ id, at, campo, antes, ahora, quien }) => (
          <li key={`correccion-${id}`}>
            <p className={styles.nota}>
              {FIELD_LABELS[campo]}: {antes ?? 'no había'} → {ahora ?? 'ninguno'}
            </p>
            <Who quien={quien} at={at} />
          </li>
        ))}
      </ol>
      {canUndo(historia, estado) && (
        <Form method="post" preventScrollReset onSubmit={once}>
          <input type="hidden" name="version" value={version} />
          <Button type="submit" look="quiet" busy={busy} name="hacer" value="deshacer">
            Deshacer el último cambio
          </Button>
        </Form>
      )}
      {hecho && <Aviso hecho={hecho} />}
    </CollapsibleSection>
  )
}

const Who = ({ quien, at }: { quien: string | null; at: Date }) => (
  <p className={styles.quien}>
    {quien ?? 'La persona inscrita'},{' '}
    <time dateTime={at.toISOString()} title={formatDateTime(at)}>
      {formatDateTime(at)}
    </time>
  </p>
)
