import type { ReactNode } from 'react'
import { Form, useNavigation } from 'react-router'
import { enDiaHoraYMinuto } from '#app/platform/fechas.ts'
import { Button } from '#app/ui/button.tsx'
import { SelectField, TextField } from '#app/ui/field.tsx'
import { type Desenlace, Dicho } from './dicho.tsx'
import styles from './resultados.module.css'
import { cuantos, miles } from './rules.ts'
import type { Rafaga } from './schema.ts'

export const enHoras = (at: string) => `${enDiaHoraYMinuto(new Date(at))} h`

/** «1 voto anulado», «20 votos anulados». */
export const anulados = (votos: number) => cuantos(votos, 'voto anulado', 'votos anulados')

interface Props {
  rafagas: Rafaga[]
  /** Counted votes of throw-away addresses. */
  desechables: number
  anulaciones: { id: number; motivo: string; votos: number; at: string }[]
  cerrada: boolean
  dicho: Desenlace | undefined
}

/** Where many votes came from at once. A burst proves nothing by itself: a school votes from one network. */
export function Rafagas({ rafagas, desechables, anulaciones, cerrada, dicho }: Props) {
  return (
    <section aria-labelledby="rafagas">
      <h2 id="rafagas">Ráfagas por red y dominio</h2>
      <p className={styles.nota}>
        Diez votos o más en diez minutos desde una misma red, o desde un dominio de correo poco común. Una escuela o una
        compañía telefónica comparten red: sólo los votos que pasaron de lo usual están bajo sospecha, y sólo ésos se
        pueden anular, con un motivo que se publica en el acta.
      </p>
      <Dicho dicho={dicho} de={['anular']} />
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
              {rafagas.map(({ clase, origen, tope, tramo, votos, sospechosos, tramos }) => {
                const nombre = clase === 'red' ? `Red ${origen.slice(0, 6)}` : origen
                return (
                  <tr key={`${clase} ${origen}`}>
                    <th scope="row">{nombre}</th>
                    <td className={styles.numero} data-que="En diez minutos">
                      {miles(tope)}
                    </td>
                    <td data-que="Desde">{enHoras(tramo)}</td>
                    <td className={styles.numero} data-que="En total">
                      {miles(votos)}
                    </td>
                    <td className={styles.numero} data-que="Bajo sospecha">
                      {miles(sospechosos)}
                    </td>
                    <td>
                      {sospechosos > 0 && !cerrada ? (
                        <Anular id={`${clase}-${origen}`} de={`los de ${nombre}`} clase={clase}>
                          <input type="hidden" name="origen" value={origen} />
                          <SelectField
                            id={`tramo-${clase}-${origen}`}
                            name="tramo"
                            label="Cuáles"
                            options={[
                              ['', 'Todos los que están bajo sospecha'],
                              ...tramos.map(
                                (uno) =>
                                  [
                                    uno.tramo,
                                    `Los que se marcaron desde ${enHoras(uno.tramo)}: ${miles(uno.sospechosos)}`,
                                  ] as const,
                              ),
                            ]}
                          />
                        </Anular>
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
      {!cerrada && (
        <div className={styles.sueltos}>
          {desechables > 0 && (
            <Anular
              id="desechables"
              de={`los de correos desechables, de cualquier dominio: ${miles(desechables)}`}
              clase="desechable"
            />
          )}
          <Anular id="recibo" de="uno por su recibo" clase="recibo">
            <TextField
              id="recibo-anulado"
              name="recibo"
              label="Recibo"
              placeholder="7F2K-94QX-M3TR"
              hint="Sólo si está bajo sospecha."
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              required
            />
          </Anular>
        </div>
      )}
      {anulaciones.length > 0 && (
        <ul className={styles.anulaciones}>
          {anulaciones.map(({ id, motivo, votos, at }) => (
            <li key={id}>
              {enHoras(at)}: {anulados(votos)}. {motivo}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

interface AnularProps {
  id: string
  /** Which votes are annulled, in words. */
  de: string
  clase: Rafaga['clase'] | 'desechable' | 'recibo'
  /** Hidden fields that say which votes, where the class alone does not. */
  children?: ReactNode
}

/** A button that takes votes out of the count, and asks for the reason, which is published. */
function Anular({ id, de, clase, children }: AnularProps) {
  const busy = useNavigation().state === 'submitting'
  return (
    <details>
      <summary>Anular {de}…</summary>
      <Form method="post" action="#rafagas" preventScrollReset className={styles.anula}>
        <input type="hidden" name="clase" value={clase} />
        {children}
        <TextField
          id={`motivo-${id}`}
          name="motivo"
          label="Motivo (se publica)"
          minLength={10}
          maxLength={500}
          required
        />
        <Button type="submit" look="outline" busy={busy} name="hacer" value="anular">
          {clase === 'recibo' ? 'Anular ese voto' : 'Anular sus votos bajo sospecha'}
        </Button>
      </Form>
    </details>
  )
}
