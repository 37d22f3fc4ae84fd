import { withoutInvisible } from '#app/core/text/typed-text.ts'

/** Returns a value without invisible characters in its texts, and with composed letters (NFC). */
export function typedValue(value: unknown): unknown {
  if (typeof value === 'string') return withoutInvisible(value)
  if (Array.isArray(value)) return value.map(typedValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, typedValue(item)]))
}
