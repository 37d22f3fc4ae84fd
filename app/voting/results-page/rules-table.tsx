import { quantity } from '#app/core/text/quantity.ts'
import { formatThousands } from '#app/core/text/thousands-separator.ts'
import type { OriginRules } from '#app/voting/election/origin-rules.ts'
import { OTHERS } from '#app/voting/sealing/schema.ts'
import styles from './rules-table.module.css'

const WITHDRAWAL_RULE_TEXTS = { nulos: `entre «${OTHERS}»`, cuentan: 'siguen siendo suyos, sin poder ganar' }

export function RulesTable({ rules }: { rules: OriginRules }) {
  const rows: [string, number | undefined][] = [
    ['Correos de un mismo dominio propio, en toda la edición', rules.dominio],
    ['Correos de servicios de alias, todos juntos, en toda la edición', rules.servicio],
    ['Correos de dominios que recibe un mismo servidor, en toda la edición', rules.receptor],
    [
      'Correos de dominios propios en un mismo alojamiento y desde una misma red, en toda la edición',
      rules.alojamientoPorRed,
    ],
    ['Desde una misma red, en diez minutos', rules.rafagaPorRed],
    ['Desde un bloque grande de IPv6, en diez minutos', rules.rafagaPorBloque],
  ]
  return (
    <>
      <p className={styles.note}>Con un voto más que éstos, se marcan todos los del origen o de la ráfaga:</p>
      <dl className={styles.rules}>
        {rows.map(
          ([label, votes]) =>
            votes !== undefined && (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{quantity(votes, 'voto')}</dd>
              </div>
            ),
        )}
        {rules.unoDeCada !== undefined && (
          <div>
            <dt>Los de un dominio y los de servicios de alias, cuando hay muchos votos</dt>
            <dd>uno de cada {formatThousands(rules.unoDeCada)}</dd>
          </div>
        )}
        <div>
          <dt>Correos desechables</dt>
          <dd>desde el primero</dd>
        </div>
        <div>
          <dt>Votos de una candidata que se retira</dt>
          <dd>{WITHDRAWAL_RULE_TEXTS[rules.retiro ?? 'nulos']}</dd>
        </div>
      </dl>
      <p className={styles.note}>
        No son un origen los dominios en que cualquiera tiene correo ({rules.proveedores.slice(0, 4).join(', ')} y{' '}
        {rules.proveedores.length - 4} más).
      </p>
    </>
  )
}
