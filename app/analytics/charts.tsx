import { formatLongDate } from '#app/core/time/mexico-dates.ts'
import { BarChart, ProportionBar } from '#app/ui/primitives/bar-chart.tsx'
import styles from './charts.module.css'

const number = (value: number) => value.toLocaleString('es-MX')

/** Visits by day: a bar chart, with the best day in words. */
export function VisitsByDay({ dias }: { dias: { dia: string; visitas: number }[] }) {
  const best = dias.toSorted((a, b) => b.visitas - a.visitas)[0]
  return (
    <figure className={styles.dias}>
      <BarChart valores={dias.map(({ dia, visitas }) => ({ nombre: dia, valor: visitas }))} />
      <figcaption>
        {best && best.visitas > 0
          ? `El día con más visitas: ${formatLongDate(best.dia)}, con ${number(best.visitas)}.`
          : 'Todavía no hay visitas en estos días.'}
      </figcaption>
    </figure>
  )
}

/** Names with their counts, the largest first, each with a bar. */
export function List({
  titulo,
  vacia,
  filas,
}: {
  titulo: string
  vacia: string
  filas: { nombre: string; cuenta: number }[]
}) {
  const most = Math.max(1, ...filas.map(({ cuenta }) => cuenta))
  return (
    <section className={styles.lista} aria-label={titulo}>
      <h2>{titulo}</h2>
      {filas.length === 0 ? (
        <p>{vacia}</p>
      ) : (
        <ul>
          {filas.map(({ nombre, cuenta }) => (
            <li key={nombre}>
              <span>{nombre}</span>
              <b>{number(cuenta)}</b>
              <ProportionBar parte={cuenta / most} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** The figures above the charts. */
export const Totals = ({ cifras }: { cifras: { cifra: number; texto: string }[] }) => (
  <dl className={styles.totales}>
    {cifras.map(({ cifra, texto }) => (
      <div key={texto}>
        <dt>{texto}</dt>
        <dd>{number(cifra)}</dd>
      </div>
    ))}
  </dl>
)
