import { quantity } from '#app/core/text/quantity.ts'
import { formatThousands } from '#app/core/text/thousands-separator.ts'
import { formatDayAndTime } from '#app/core/time/mexico-dates.ts'
import { capitalize } from '#app/voting/election/tally-rules.ts'
import type { Burst, Leap } from '#app/voting/sealing/schema.ts'
import styles from './results.module.css'

/** Formats a moment in ISO 8601 as «12 sep, 18:00 h». */
export const formatMoment = (at: string) => `${formatDayAndTime(new Date(at))} h`

/** Returns a number of annulled votes with its noun: «1 voto anulado», «20 votos anulados». */
export const annulledCount = (votes: number) => quantity(votes, 'voto anulado', 'votos anulados')

/** Renders bursts and leaps (sealing/schema.ts). A burst proves nothing by itself: the pupils of a school vote from one network. */
export function Bursts({ bursts, leaps }: { bursts: Burst[]; leaps: Leap[] }) {
  return (
    <section aria-labelledby="rafagas">
      <h2 id="rafagas">Ráfagas por red y dominio</h2>
      <p className={styles.note}>
        Diez votos o más en diez minutos desde una misma red, o desde un dominio de correo poco común. Es sólo para
        mirar: una escuela o una compañía telefónica comparten red. Lo que pasa de una regla está arriba, marcado.
      </p>
      {bursts.length === 0 ? (
        <p className={styles.others}>Ninguna por ahora.</p>
      ) : (
        <div className={styles.scroller}>
          <table className={styles.bursts}>
            <thead>
              <tr>
                <th scope="col">Origen</th>
                <th scope="col" className={styles.number}>
                  En diez minutos
                </th>
                <th scope="col">Desde</th>
                <th scope="col" className={styles.number}>
                  En total
                </th>
              </tr>
            </thead>
            <tbody>
              {bursts.map(({ clase, origen, tope, tramo, votos }) => (
                <tr key={`${clase} ${origen}`}>
                  <th scope="row">{clase === 'red' ? `Red ${origen.slice(0, 6)}` : origen}</th>
                  <td className={styles.number} data-label="En diez minutos">
                    {formatThousands(tope)}
                  </td>
                  <td data-label="Desde">{formatMoment(tramo)}</td>
                  <td className={styles.number} data-label="En total">
                    {formatThousands(votos)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <h3 className={styles.leaps}>Horas en que un correo saltó</h3>
      <p className={styles.note}>
        Un correo que en una hora pone muchos más votos de los que le tocan por lo que pone en las demás. También es
        sólo para mirar.
      </p>
      {leaps.length === 0 ? (
        <p className={styles.others}>Ninguna por ahora.</p>
      ) : (
        <ul className={styles.annulments}>
          {leaps.map(({ correo, hour, votos, total, usual }) => (
            <li key={`${correo} ${hour}`}>
              {capitalize(correo)}, en la hora del {formatMoment(hour)}: {formatThousands(votos)} de{' '}
              {quantity(total, 'voto')}
              {`; lo usual serían ${formatThousands(usual)}.`}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
