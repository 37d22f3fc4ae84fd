/** A path leads to a value in a document by field names, and by list indexes from 0. */
export type FieldPath = readonly (string | number)[]

type Group = Record<string, unknown>

export const isPlainObject = (value: unknown): value is Group =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A document may have lists and groups of at most this many items and levels, more than any edition needs. */
export const MAX_ITEMS = 500
const MAX_DEPTH = 12

/** Returns whether a value is small enough to be compared item by item. */
export function isBounded(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return true
  const items = Object.values(value)
  return depth > 0 && items.length <= MAX_ITEMS && items.every((item) => isBounded(item, depth - 1))
}

/** Compares two values deeply; an undefined field equals a missing field. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => isEqual(item, other[at]))
  if (!isPlainObject(one) || !isPlainObject(other)) return false
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].every((name) => isEqual(one[name], other[name]))
}

/** Returns the value at a path, or undefined where the path leads nowhere. */
export function valueAt(value: unknown, path: FieldPath): unknown {
  let here = value
  for (const step of path) {
    if (Array.isArray(here) && typeof step === 'number') here = here[step]
    else if (isPlainObject(here) && typeof step === 'string' && Object.hasOwn(here, step)) here = here[step]
    else return undefined
  }
  return here
}

/**
 * Returns a copy of the value with `now` at a path.
 * @param now undefined removes the field
 */
export function withValueAt(value: unknown, [step, ...rest]: FieldPath, now: unknown): unknown {
  if (step === undefined) return now
  if (typeof step === 'number') {
    const list = Array.isArray(value) ? [...value] : []
    list[step] = withValueAt(list[step], rest, now)
    return list
  }
  const group = isPlainObject(value) ? value : {}
  const next = withValueAt(group[step], rest, now)
  // No document has a field such as __proto__ (prototype pollution).
  if (step in Object.prototype) return group
  if (next !== undefined) return { ...group, [step]: next }
  const { [step]: _gone, ...others } = group
  return others
}
