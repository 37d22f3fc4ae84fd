import { Form, useNavigation } from 'react-router'
import { Button } from '#app/ui/button.tsx'
import { TextField } from '#app/ui/field.tsx'
import styles from './resultados.module.css'
import type { Rafaga } from './schema.ts'
import { miles } from './tabla.tsx'

export const momento = new Intl.DateTimeFormat('es-MX', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'America/Mexico_City',
})

interface Props {
  rafagas: Rafaga[]
  anulaciones: { id: number; motivo: string; votos: number; at: string }[]
  cerrada: boolean
}

/** Where many votes came from at once. A burst proves nothing by itself: a school votes from one network. */
export function Rafagas({ rafagas, anulaciones, cerrada }: Props) {
  const busy = useNavigation().state === 'submitting'
  return (
    <section aria-labelledby="rafagas">
      <h2 id="rafagas">Ráfagas por red y dominio</h2>
      <p className={styles.nota}>
        Diez votos o más en diez minutos desde una misma red, o desde un dominio de correo poco común. Una escuela o una
        compañía telefónica comparten red: sólo los votos que pasaron de lo usual están bajo sospecha, y sólo ésos se
        pueden anular, con un motivo que se publica en el acta.
      </p>
      {rafagas.length === 0 ? (
        <p className={styles.otros}>Ninguna por ahora.</p>
      ) : (
        <div className={styles.ancha}>
          <table className={styles.rafagas}>
            <thead>
              <tr>
                <th scope="col">Origen</th>
                <th scope="col" className={styles.numero}>
                  En diez minutos
                </th>
                <th scope="col">Desde</th>
                <th scope="col" className={styles.numero}>
                  En total
                </th>
                <th scope="col" className={styles.numero}>
                  Bajo sospecha
                </th>
                <th scope="col">Anular</th>
              </tr>
            </thead>
            <tbody>
              {rafagas.map(({ clase, origen, tope, tramo, votos, sospechosos }) => {
                const nombre = clase === 'red' ? `Red ${origen.slice(0, 6)}` : origen
                return (
                  <tr key={`${clase} ${origen}`}>
                    <th scope="row">{nombre}</th>
                    <td className={styles.numero}>{miles(tope)}</td>
                    <td>{momento.format(new Date(tramo))}</td>
                    <td className={styles.numero}>{miles(votos)}</td>
                    <td className={styles.numero}>{miles(sospechosos)}</td>
                    <td>
                      {sospechosos > 0 && !cerrada ? (
                        <details>
                          <summary>Anular los de {nombre}…</summary>
                          <Form method="post" preventScrollReset className={styles.anula}>
                            <input type="hidden" name="clase" value={clase} />
                            <input type="hidden" name="origen" value={origen} />
                            <TextField
                              id={`motivo-${clase}-${origen}`}
                              name="motivo"
                              label="Motivo (se publica)"
                              minLength={10}
                              maxLength={500}
                              required
                            />
                            <Button type="submit" look="outline" busy={busy} name="hacer" value="anular">
                              Anular sus votos bajo sospecha
                            </Button>
                          </Form>
                        </details>
                      ) : (
                        '—'
                      )}
                    </td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </div>
      )}
      {anulaciones.length > 0 && (
        <ul className={styles.anulaciones}>
          {anulaciones.map(({ id, motivo, votos, at }) => (
            <li key={id}>
              {momento.format(new Date(at))} h: {miles(votos)} votos anulados. {motivo}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
