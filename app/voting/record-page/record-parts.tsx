import styles from './record.module.css'

/** How the closing was moved while the vote was open. */
export const ClosingMoves = ({ movidos }: { movidos: { ahora: string; motivo: string }[] }) =>
  movidos.map(({ ahora, motivo }) => (
    <p key={ahora}>
      El cierre se movió al {ahora}: {motivo}
    </p>
  ))

/** A seal breaks in two halves of one length where it does not fit a line. */
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

/** A bar as long as a part of the whole, with a bulb at its end. @param parte from 0 to 1 */
export const Bar = ({ parte }: { parte: number }) => (
  <svg className={styles.barra} aria-hidden="true">
    <rect y="4" width={`${parte * 100}%`} height="8" rx="4" />
    <circle className={styles.halo} cx={`${parte * 100}%`} cy="8" r="9" />
    <circle className={styles.foco} cx={`${parte * 100}%`} cy="8" r="3.5" />
  </svg>
)
