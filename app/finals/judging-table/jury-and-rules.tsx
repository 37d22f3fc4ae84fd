import { Form, useNavigation } from 'react-router'
import { Button } from '#app/ui/components/button.tsx'
import { TextAreaField, TextField } from '#app/ui/forms/field.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import type { JudgingTable } from './data.server.ts'
import styles from './judging-table.module.css'

/** The table's data, and whether the account may edit the rules. */
type JudgingTableView = JudgingTable & { mayEditRules: boolean }

export const useIsSubmitting = () => useNavigation().state === 'submitting'

const LINK_STATUS_LABELS = {
  sin: 'Sin enlace',
  hecho: 'Enlace hecho: falta que lo abra',
  dentro: 'Dentro',
  fuera: 'Su teléfono ya no está dentro',
} as const

/** The judges' places, each with its link and whether its telephone is signed in. */
export function Jury({ judgingTable: { jurado, final } }: { judgingTable: JudgingTable }) {
  const busy = useIsSubmitting()
  const without = jurado.filter(({ enlace }) => enlace === 'sin').length
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
              <p className={enlace === 'dentro' ? styles.inside : styles.note}>
                {LINK_STATUS_LABELS[enlace]}
                {enlace === 'dentro' && `${desde ? ` desde las ${desde}` : ''}${equipo ? `, ${equipo}` : ''}`}
              </p>
              <p className={styles.buttons}>
                <Button type="submit" look="outline" busy={busy} name="hacer" value="enlace">
                  {enlace === 'sin' ? 'Hacer su enlace' : 'Hacer otro enlace'}
                </Button>
                {(enlace === 'dentro' || enlace === 'hecho') && (
                  <Button type="submit" look="quiet" busy={busy} name="hacer" value="cerrar-telefono">
                    {enlace === 'dentro' ? 'Cerrar su teléfono' : 'Anular su enlace'}
                  </Button>
                )}
              </p>
            </Form>
          </li>
        ))}
      </ul>
      {without > 1 && !final && (
        <Form method="post" preventScrollReset>
          <Button type="submit" busy={busy} name="hacer" value="enlaces">
            Hacer los {without} enlaces que faltan
          </Button>
        </Form>
      )}
    </section>
  )
}

/** Names the screen where the rules are edited; a link for an account that may edit them. */
export const RulesEditorLink = ({ mayEditRules }: { mayEditRules: boolean }) =>
  mayEditRules ? <Link to="/organizadores/sitio/final">El sitio › La final</Link> : '«El sitio», en «La final»'

/** The rules and candidates that opening the final would seal. */
export function PrepareOpening({
  judgingTable: { reglas, candidatas, jurado, anuladas, mayEditRules },
}: {
  judgingTable: JudgingTableView
}) {
  const busy = useIsSubmitting()
  const isReady = jurado.every(({ enlace }) => enlace !== 'sin') && candidatas.length > 0
  return (
    <section className={styles.section} aria-labelledby="abrir">
      <h2 id="abrir">Antes de empezar</h2>
      {anuladas.map(({ motivo, a }) => (
        <p className={styles.note} key={a}>
          Lo de antes se anuló el {a}: {motivo}
        </p>
      ))}
      <p>
        Revisa las reglas: al abrir la final quedan selladas. Se cambian en{' '}
        <RulesEditorLink mayEditRules={mayEditRules} />.
      </p>
      <Rules rules={reglas} />
      <p>
        Califican {candidatas.length} candidatas:{' '}
        {candidatas.map(({ numero, nombre }) => `${numero} ${nombre}`).join(', ')}.
      </p>
      <Form method="post" preventScrollReset>
        <Button type="submit" busy={busy} name="hacer" value="abrir" disabled={!isReady}>
          Abrir la final
        </Button>
      </Form>
      {!isReady && <p className={styles.note}>Primero haz aquí arriba el enlace de cada juez.</p>}
    </section>
  )
}

const KINDS = { presentacion: 'Presentación', traje: 'Pasarela', talento: 'Talento', pregunta: 'Pregunta' } as const

/** The rules in words. */
export function Rules({ rules }: { rules: JudgingTable['reglas'] }) {
  return (
    <div className={styles.rules}>
      <ol>
        {rules.rondas.map(({ nombre, clase, criterios, pasan, desdeCero }) => (
          <li key={nombre}>
            <b>{nombre}</b> {KINDS[clase] !== nombre && <span className={styles.note}>{KINDS[clase]}</span>}
            <br />
            {criterios.map(({ nombre: its, peso }) => `${its} ${peso} %`).join(' · ')}
            <br />
            <span className={styles.note}>
              {[desdeCero && 'Empieza desde cero.', pasan === undefined ? 'Pasan todas.' : `Pasan ${pasan}.`]
                .filter((said, at) => said && (at === 0 || nombre !== rules.rondas.at(-1)?.nombre))
                .join(' ')}
            </span>
          </li>
        ))}
      </ol>
      <p>
        {rules.jueces} jueces, del 1 al 10{rules.medios ? ', con medios puntos' : ''}.{' '}
        {rules.descarta
          ? 'De cada candidata en cada ronda no cuentan la calificación más alta ni la más baja.'
          : 'Cuentan todas las calificaciones.'}
      </p>
      <p>
        Si hay empate:{' '}
        {rules.desempate
          .map(({ ronda, criterio }) =>
            criterio === undefined ? `la ronda «${ronda}»` : `«${criterio}» de «${ronda}»`,
          )
          .concat('el sorteo del acta')
          .join('; después, ')}
        .
      </p>
      {rules.lugares.length > 0 && <p>Títulos: {rules.lugares.join(', ')}.</p>}
    </div>
  )
}

/** Rare actions, folded away: withdraw a candidate, or annul the final. */
export function Exceptions({ judgingTable: { final }, reason }: { judgingTable: JudgingTable; reason: string }) {
  const busy = useIsSubmitting()
  if (!final) return null
  return (
    <details className={styles.exceptions}>
      <summary>Si algo sale de lo previsto</summary>
      <Form
        method="post"
        preventScrollReset
        className={styles.formShape}
        aria-label="Retirar de la final a una candidata"
      >
        <h3>Una candidata se retira</h3>
        <label htmlFor="candidata">Candidata</label>
        <select id="candidata" name="candidata" required defaultValue="">
          <option value="" disabled>
            Elige…
          </option>
          {final.candidatas.map(({ id, numero, nombre }) => (
            <option key={id} value={id}>
              {numero} {nombre}
            </option>
          ))}
        </select>
        <TextAreaField
          id="motivo-retiro"
          name="motivo"
          label="Por qué"
          rows={2}
          maxLength={300}
          defaultValue={reason}
        />
        <p className={styles.note}>Si la siguiente ronda no se ha abierto, su lugar lo toma quien sigue en el orden.</p>
        <Button type="submit" look="outline" busy={busy} name="hacer" value="retirar">
          Retirarla de la final
        </Button>
      </Form>
      <Form method="post" preventScrollReset className={styles.formShape} aria-label="Anular la final">
        <h3>Era un ensayo, o hay que empezar de nuevo</h3>
        <TextAreaField
          id="motivo-anular"
          name="motivo"
          label="Por qué se anula"
          rows={2}
          maxLength={300}
          defaultValue={reason}
        />
        <p className={styles.note}>El acta guarda lo que hubo y este motivo. Después se puede abrir otra vez.</p>
        <Button type="submit" look="outline" busy={busy} name="hacer" value="anular">
          Anular lo que va
        </Button>
      </Form>
    </details>
  )
}
