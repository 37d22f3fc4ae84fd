import { withoutInvisible } from '#app/core/text/typed-text.ts'

/** Returns the value with invisible characters removed from all its texts, and letters composed (NFC). */
export function typedValue(value: unknown): unknown {
  if (typeof value === 'string') return withoutInvisible(value)
  if (Array.isArray(value)) return value.map(typedValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, typedValue(one)]))
}
