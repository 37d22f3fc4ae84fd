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
export function Jury({ judgingTable: { jurado, final } }: { judgingTable: JudgingTable }) {
  const busy = useIsSubmitting()
  const without = jurado.filter(({ enlace }) => enlace === 'none').length
  return (
    <section className={styles.section} aria-labelledby="jurado">
      <h2 id="jurado">El jurado</h2>
      <p>
        El enlace de cada juez abre su hoja en un solo teléfono y sólo esta noche. Si un teléfono falla, haz otro: el
        anterior deja de entrar y el nuevo sigue donde se quedó.
      </p>
      <ul className={styles.judges}>
        {jurado.map(({ numero, nombre, enlace, equipo, desde }) => (
          <li key={numero}>
            <Form method="post" preventScrollReset aria-label={`Jurado ${numero}`}>
              <input type="hidden" name="juez" value={numero} />
              <TextField
                id={`nombre-${numero}`}
                name="nombre"
                label={`Jurado ${numero}`}
                defaultValue={nombre}
                maxLength={60}
                autoComplete="off"
              />
              <p className={enlace === 'in' ? styles.inside : styles.note}>
                {LINK_STATUS_LABELS[enlace]}
                {enlace === 'in' && `${desde ? ` desde las ${desde}` : ''}${equipo ? `, ${equipo}` : ''}`}
              </p>
              <p className={styles.buttons}>
                <Button type="submit" look="outline" isBusy={busy} name="hacer" value="enlace">
                  {enlace === 'none' ? 'Hacer su enlace' : 'Hacer otro enlace'}
                </Button>
                {(enlace === 'in' || enlace === 'unused') && (
                  <Button type="submit" look="quiet" isBusy={busy} name="hacer" value="cerrar-telefono">
                    {enlace === 'in' ? 'Cerrar su teléfono' : 'Anular su enlace'}
                  </Button>
                )}
              </p>
            </Form>
          </li>
        ))}
      </ul>
      {without > 1 && !final && (
        <Form method="post" preventScrollReset>
          <Button type="submit" isBusy={busy} name="hacer" value="enlaces">
            Hacer los {without} enlaces que faltan
          </Button>
        </Form>
      )}
    </section>
  )
}
