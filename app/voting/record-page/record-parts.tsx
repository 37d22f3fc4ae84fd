import { Fragment } from 'react'
import { recordPath } from '#app/voting/record/record-path.ts'
import type { ClosingRecord } from '#app/voting/record/schema.ts'
import styles from './record.module.css'

export const ClosingMoves = ({ closingMoves }: { closingMoves: { closingText: string; reason: string }[] }) =>
  closingMoves.map(({ closingText, reason }) => (
    <p key={closingText}>
      El cierre se movió al {closingText}: {reason}
    </p>
  ))

export const OtherRecords = ({ years }: { years: number[] }) =>
  years.length > 0 && (
    <p>
      Actas de otros años:
      {years.map((year) => (
        <Fragment key={year}>
          {' '}
          <a href={recordPath(year)}>{year}</a>
        </Fragment>
      ))}
    </p>
  )

/** Renders a seal with its label. Narrow screens break the seal in its middle. */
const Seal = ({ seal, children }: { seal: string; children: string }) => (
  <div>
    <dt>{children}</dt>
    <dd>
      {seal.slice(0, 32)}
      <wbr />
      {seal.slice(32)}
    </dd>
  </div>
)

interface SealsProps {
  record: Pick<ClosingRecord, 'ultimoSello' | 'ultimoLote' | 'apertura'>
  seal: string
  publicKey: string | undefined
}

export const Seals = ({ record, seal, publicKey }: SealsProps) => (
  <dl className={styles.seals}>
    <Seal seal={record.ultimoSello}>Sello de la última caja: ahí termina la cadena del archivo</Seal>
    <Seal seal={record.ultimoLote}>
      Sello del último lote: ahí terminaba la cadena de la base de datos, la que la organización recuenta
    </Seal>
    <Seal seal={seal}>Sello del acta</Seal>
    <Seal seal={record.apertura}>Sello del acta de cero</Seal>
    {publicKey && <Seal seal={publicKey}>Llave del sitio, con la que está firmada</Seal>}
  </dl>
)

/** Renders a bar with a bulb at its end. @param share of the full width, from 0 to 1 */
export const VoteBar = ({ share }: { share: number }) => (
  <svg className={styles.bar} aria-hidden="true">
    <rect y="4" width={`${share * 100}%`} height="8" rx="4" />
    <circle className={styles.halo} cx={`${share * 100}%`} cy="8" r="9" />
    <circle className={styles.bulb} cx={`${share * 100}%`} cy="8" r="3.5" />
  </svg>
)
