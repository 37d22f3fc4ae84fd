import styles from './bar-chart.module.css'

/**
 * Draws bars side by side, relative to the tallest. A bar has at least 3 % of its height unless the value is 0. The chart is
 * hidden from screen readers: text nearby must state its figures.
 */
export function BarChart({ bars }: { bars: { label: string; value: number }[] }) {
  const maxValue = Math.max(1, ...bars.map(({ value }) => value))
  const [barWidth, chartHeight] = [10, 100]
  return (
    <svg
      viewBox={`0 0 ${bars.length * barWidth} ${chartHeight}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className={styles.bars}
    >
      {bars.map(({ label, value }, index) => {
        const barHeight = value === 0 ? 0 : Math.max(3, (value / maxValue) * chartHeight)
        return (
          <rect
            key={label}
            x={index * barWidth + 1}
            y={chartHeight - barHeight}
            width={barWidth - 2}
            height={barHeight}
          >
            <title>{`${label}: ${value.toLocaleString('es-MX')}`}</title>
          </rect>
        )
      })}
    </svg>
  )
}

/** Draws a line whose length is a share of the width, from 0 to 1. */
export const ProportionBar = ({ share }: { share: number }) => (
  <svg viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true" className={styles.proportionBar}>
    <rect width={share * 100} height="3" />
  </svg>
)
