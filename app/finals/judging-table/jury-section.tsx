import { Form } from 'react-router'
import type { JudgeLink } from '#app/finals/record/schema.ts'
import { Button } from '#app/ui/components/button.tsx'
import { TextField } from '#app/ui/forms/field.tsx'
import type { JudgingTable } from './data.server.ts'
import styles from './judging-table.module.css'
import { NewLink } from './new-link.tsx'
import { useIsSubmitting } from './use-is-submitting.ts'
import { useTypedNames } from './use-typed-names.ts'

const LINK_STATUS_LABELS = {
  none: 'Sin enlace',
  unused: 'Enlace hecho: falta que lo abra',
  in: 'Dentro',
  out: 'Su teléfono ya no está dentro',
} as const

interface Props {
  judgingTable: JudgingTable
  newLinks: readonly JudgeLink[]
}

/** Shows the jury and their telephones: as a section before the final, and folded once the final is open. */
export const JurySection = ({ judgingTable, newLinks }: Props) =>
  judgingTable.final ? (
    <details className={styles.exceptions}>
      <summary className={styles.row}>El jurado y sus teléfonos</summary>
      <Judges judgingTable={judgingTable} newLinks={newLinks} />
    </details>
  ) : (
    <section className={styles.section} aria-labelledby="jurado">
      <h2 id="jurado">El jurado</h2>
      <Judges judgingTable={judgingTable} newLinks={newLinks} />
    </section>
  )

/** Shows the judges' places, each with its link and whether its telephone is signed in. */
function Judges({ judgingTable: { edition, jury }, newLinks }: Props) {
  const isBusy = useIsSubmitting()
  const { form, keepTypedName } = useTypedNames({ edition, jury })
  return (
    <>
      <p className={styles.lead}>
        El enlace de cada juez abre su hoja en un solo teléfono y sólo esta noche. Si un teléfono falla, haz otro: el
        anterior deja de entrar y el nuevo sigue donde se quedó.
      </p>
      {/* One form has all names, so that each of its buttons also sends the typed names. */}
      <Form method="post" preventScrollReset id="enlaces-del-jurado" ref={form}>
        {/* Enter in a field presses the first button; without this one it would replace the first judge's link. */}
        <button type="submit" disabled hidden />
        <ul className={styles.judges}>
          {jury.map(({ number, name, linkStatus, deviceName, redeemedAt }) => (
            <li key={number}>
              {/* biome-ignore lint/a11y/useSemanticElements: HTML allows no form within a form */}
              <div role="form" className={styles.judge} aria-label={`Jurado ${number}`}>
                <TextField
                  id={`nombre-${number}`}
                  name={`nombre-${number}`}
                  label={`Jurado ${number}`}
                  defaultValue={name}
                  maxLength={60}
                  onChange={keepTypedName}
                  autoComplete="off"
                />
                <p className={linkStatus === 'in' ? styles.signedIn : styles.note}>
                  {LINK_STATUS_LABELS[linkStatus]}
                  {linkStatus === 'in' &&
                    `${redeemedAt ? ` desde las ${redeemedAt}` : ''}${deviceName ? `, ${deviceName}` : ''}`}
                </p>
                <p className={styles.buttons}>
                  <Button
                    type="submit"
                    look="outline"
                    isBusy={isBusy}
                    name="hacer"
                    value={`enlace ${number}`}
                    formNoValidate
                  >
                    {linkStatus === 'none' ? 'Hacer su enlace' : 'Hacer otro enlace'}
                  </Button>
                  {(linkStatus === 'in' || linkStatus === 'unused') && (
                    <Button
                      type="submit"
                      look="quiet"
                      isBusy={isBusy}
                      name="hacer"
                      value={`cerrar-telefono ${number}`}
                      formNoValidate
                    >
                      {linkStatus === 'in' ? 'Cerrar su teléfono' : 'Anular su enlace'}
                    </Button>
                  )}
                </p>
              </div>
              {newLinks.map(
                (link, index) =>
                  link.judge === number && <NewLink key={link.url} link={link} takesFocus={index === 0} />,
              )}
            </li>
          ))}
        </ul>
      </Form>
    </>
  )
}
