import styles from './bar-chart.module.css'

/**
 * Bars side by side, each as tall as its share of the tallest. Hidden from screen readers: the figures stand in text nearby.
 */
export function BarChart({
  bars,
  className,
}: {
  bars: { label: string; value: number }[]
  className?: string | undefined
}) {
  const most = Math.max(1, ...bars.map(({ value }) => value))
  const [wide, high] = [10, 100]
  return (
    <svg
      viewBox={`0 0 ${bars.length * wide} ${high}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className={className ?? styles.bars}
    >
      {bars.map(({ label, value }, at) => {
        const tall = value === 0 ? 0 : Math.max(3, (value / most) * high)
        return (
          <rect key={label} x={at * wide + 1} y={high - tall} width={wide - 2} height={tall}>
            <title>{`${label}: ${value.toLocaleString('es-MX')}`}</title>
          </rect>
        )
      })}
    </svg>
  )
}

/** A line as long as a share of the whole, from 0 to 1. */
export const ProportionBar = ({ share }: { share: number }) => (
  <svg viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true" className={styles.stripe}>
    <rect width={share * 100} height="3" />
  </svg>
)
