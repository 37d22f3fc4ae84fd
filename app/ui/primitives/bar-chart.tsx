import styles from './bar-chart.module.css'

/**
 * Bars side by side, each as tall as its share of the tallest. Hidden from screen readers: the figures stand in text nearby.
 */
export function BarChart({
  valores,
  className,
}: {
  valores: { nombre: string; valor: number }[]
  className?: string | undefined
}) {
  const most = Math.max(1, ...valores.map(({ valor }) => valor))
  const [wide, high] = [10, 100]
  return (
    <svg
      viewBox={`0 0 ${valores.length * wide} ${high}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className={className ?? styles.barras}
    >
      {valores.map(({ nombre, valor }, at) => {
        const tall = valor === 0 ? 0 : Math.max(3, (valor / most) * high)
        return (
          <rect key={nombre} x={at * wide + 1} y={high - tall} width={wide - 2} height={tall}>
            <title>{`${nombre}: ${valor.toLocaleString('es-MX')}`}</title>
          </rect>
        )
      })}
    </svg>
  )
}

/** A line as long as a share of the whole, from 0 to 1. */
export const ProportionBar = ({ parte }: { parte: number }) => (
  <svg viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true" className={styles.raya}>
    <rect width={parte * 100} height="3" />
  </svg>
)
