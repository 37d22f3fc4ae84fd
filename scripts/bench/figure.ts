/** A number that the bench measures, with the target and the baseline that it is compared with. */
export interface Figure {
  name: string
  value: number
  unit: string
  /** The value is compared with the target; a number without a target only informs. */
  target?: { atMost?: number; atLeast?: number }
  /** A value measured in the same run, for comparison. */
  baseline?: { name: string; value: number }
}

/** Returns the middle value (the mean of the middle two). @param values at least one */
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export const ratioToBaseline = ({ value, baseline }: Figure): number | undefined =>
  baseline && baseline.value !== 0 ? value / baseline.value : undefined

export const isTargetReached = ({ value, target }: Figure): boolean | undefined =>
  target &&
  value <= (target.atMost ?? Number.POSITIVE_INFINITY) &&
  value >= (target.atLeast ?? Number.NEGATIVE_INFINITY)
