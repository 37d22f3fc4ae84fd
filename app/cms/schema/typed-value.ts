import { withoutUnseen } from '#app/core/text/typed-text.ts'

/** Every text within a value, without what nobody can see to have typed. */
export function typedValue(value: unknown): unknown {
  if (typeof value === 'string') return withoutUnseen(value)
  if (Array.isArray(value)) return value.map(typedValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, typedValue(one)]))
}
