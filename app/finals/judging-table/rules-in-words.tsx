import { quantity } from '#app/core/text/quantity.ts'
import type { JudgingTable } from './data.server.ts'
import styles from './judging-table.module.css'

const ROUND_KIND_NAMES = {
  presentacion: 'Presentación',
  traje: 'Pasarela',
  talento: 'Talento',
  pregunta: 'Pregunta',
} as const

export function RulesInWords({ rules }: { rules: JudgingTable['rules'] }) {
  return (
    <div className={styles.rules}>
      <ol>
        {rules.rondas.map(({ nombre, clase, criterios, pasan, desdeCero }, index) => (
          <li key={index}>
            <b>{nombre}</b>{' '}
            {ROUND_KIND_NAMES[clase] !== nombre && <span className={styles.note}>{ROUND_KIND_NAMES[clase]}</span>}
            <br />
            {criterios.map(({ nombre: criterionName, peso }) => `${criterionName} ${peso} %`).join(' · ')}
            <br />
            <span className={styles.note}>
              {[
                desdeCero && 'Empieza desde cero.',
                pasan === undefined ? 'Pasan todas.' : `${pasan === 1 ? 'Pasa' : 'Pasan'} ${pasan}.`,
              ]
                .filter((note, noteIndex) => note && (noteIndex === 0 || index < rules.rondas.length - 1))
                .join(' ')}
            </span>
          </li>
        ))}
      </ol>
      <p>
        {quantity(rules.jueces, 'juez', 'jueces')}, del 1 al 10{rules.medios ? ', con medios puntos' : ''}.{' '}
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
        .{rules.rondaDeDesempate && ' Por la corona puede haber una ronda más entre las empatadas, antes del sorteo.'}
      </p>
      {rules.lugares.length > 0 && <p>Títulos: {rules.lugares.join(', ')}.</p>}
    </div>
  )
}
