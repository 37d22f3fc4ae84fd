import { Form } from 'react-router'
import { Button } from '#app/ui/components/button.tsx'
import { TextField } from '#app/ui/forms/field.tsx'
import type { JudgingTable } from './data.server.ts'
import styles from './judging-table.module.css'
import { useIsSubmitting } from './use-is-submitting.ts'

const LINK_STATUS_LABELS = {
  none: 'Sin enlace',
  unused: 'Enlace hecho: falta que lo abra',
  in: 'Dentro',
  out: 'Su teléfono ya no está dentro',
} as const

/** Renders the judges' places, each with its link and whether its telephone is signed in. */
export function Jury({ judgingTable: { jury, final } }: { judgingTable: JudgingTable }) {
  const busy = useIsSubmitting()
  const unlinkedCount = jury.filter(({ linkStatus }) => linkStatus === 'none').length
  return (
    <section className={styles.section} aria-labelledby="jurado">
      <h2 id="jurado">El jurado</h2>
      <p>
        El enlace de cada juez abre su hoja en un solo teléfono y sólo esta noche. Si un teléfono falla, haz otro: el
        anterior deja de entrar y el nuevo sigue donde se quedó.
      </p>
      <ul className={styles.judges}>
        {jury.map(({ number, name, linkStatus, device, redeemedAt }) => (
          <li key={number}>
            <Form method="post" preventScrollReset aria-label={`Jurado ${number}`}>
              <input type="hidden" name="juez" value={number} />
              <TextField
                id={`nombre-${number}`}
                name="nombre"
                label={`Jurado ${number}`}
                defaultValue={name}
                maxLength={60}
                autoComplete="off"
              />
              <p className={linkStatus === 'in' ? styles.inside : styles.note}>
                {LINK_STATUS_LABELS[linkStatus]}
                {linkStatus === 'in' && `${redeemedAt ? ` desde las ${redeemedAt}` : ''}${device ? `, ${device}` : ''}`}
              </p>
              <p className={styles.buttons}>
                <Button type="submit" look="outline" isBusy={busy} name="hacer" value="enlace">
                  {linkStatus === 'none' ? 'Hacer su enlace' : 'Hacer otro enlace'}
                </Button>
                {(linkStatus === 'in' || linkStatus === 'unused') && (
                  <Button type="submit" look="quiet" isBusy={busy} name="hacer" value="cerrar-telefono">
                    {linkStatus === 'in' ? 'Cerrar su teléfono' : 'Anular su enlace'}
                  </Button>
                )}
              </p>
            </Form>
          </li>
        ))}
      </ul>
      {unlinkedCount > 1 && !final && (
        <Form method="post" preventScrollReset>
          <Button type="submit" isBusy={busy} name="hacer" value="enlaces">
            Hacer los {unlinkedCount} enlaces que faltan
          </Button>
        </Form>
      )}
    </section>
  )
}
