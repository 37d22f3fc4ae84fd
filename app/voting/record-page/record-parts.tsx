import styles from './record.module.css'

/** Notices of the moves of the closing. */
export const ClosingMoves = ({ movidos }: { movidos: { ahora: string; motivo: string }[] }) =>
  movidos.map(({ ahora, motivo }) => (
    <p key={ahora}>
      El cierre se movió al {ahora}: {motivo}
    </p>
  ))

/** A seal, with a line break opportunity that splits it into two equal halves. */
export const Seal = ({ de, children }: { de: string; children: string }) => (
  <div>
    <dt>{children}</dt>
    <dd>
      {de.slice(0, 32)}
      <wbr />
      {de.slice(32)}
    </dd>
  </div>
)

/** A bar with a bulb at its end. @param share of the full width, from 0 to 1 */
export const Bar = ({ parte }: { parte: number }) => (
  <svg className={styles.barra} aria-hidden="true">
    <rect y="4" width={`${parte * 100}%`} height="8" rx="4" />
    <circle className={styles.halo} cx={`${parte * 100}%`} cy="8" r="9" />
    <circle className={styles.foco} cx={`${parte * 100}%`} cy="8" r="3.5" />
  </svg>
)
