import { miles } from '#app/core/text/thousands-separator.ts'
import type { Rules } from '#app/voting/election/origin-rules.ts'
import { quantity } from '#app/voting/election/tally-rules.ts'
import { OTHERS } from '#app/voting/tally/schema.ts'
import styles from './rules-table.module.css'

const WITHDRAWAL_RULE_WORDS = { nulos: `entre «${OTHERS}»`, cuentan: 'siguen siendo suyos, sin poder ganar' }

/** The published thresholds, in words for every visitor. */
export function RulesTable({ reglas }: { reglas: Rules }) {
  const rows: [string, number | undefined][] = [
    ['Correos de un mismo dominio propio, en toda la edición', reglas.dominio],
    ['Correos de servicios de alias, todos juntos, en toda la edición', reglas.servicio],
    ['Correos de dominios que recibe un mismo servidor, en toda la edición', reglas.receptor],
    [
      'Correos de dominios propios en un mismo alojamiento y desde una misma red, en toda la edición',
      reglas.alojamientoPorRed,
    ],
    ['Desde una misma red, en diez minutos', reglas.rafagaPorRed],
    ['Desde un bloque grande de IPv6, en diez minutos', reglas.rafagaPorBloque],
  ]
  return (
    <>
      <p className={styles.nota}>Con un voto más que éstos, se marcan todos los del origen o de la ráfaga:</p>
      <dl className={styles.reglas}>
        {rows.map(
          ([que, votes]) =>
            votes !== undefined && (
              <div key={que}>
                <dt>{que}</dt>
                <dd>{quantity(votes, 'voto')}</dd>
              </div>
            ),
        )}
        {reglas.unoDeCada !== undefined && (
          <div>
            <dt>Los de un dominio y los de servicios de alias, cuando hay muchos votos</dt>
            <dd>uno de cada {miles(reglas.unoDeCada)}</dd>
          </div>
        )}
        <div>
          <dt>Correos desechables</dt>
          <dd>desde el primero</dd>
        </div>
        <div>
          <dt>Votos de una candidata que se retira</dt>
          <dd>{WITHDRAWAL_RULE_WORDS[reglas.retiro ?? 'nulos']}</dd>
        </div>
      </dl>
      <p className={styles.nota}>
        No son un origen los dominios en que cualquiera tiene correo ({reglas.proveedores.slice(0, 4).join(', ')} y{' '}
        {reglas.proveedores.length - 4} más).
      </p>
    </>
  )
}
