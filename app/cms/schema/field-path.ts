/** Path to a value in a document: field names, and list indexes from 0. */
export type FieldPath = readonly (string | number)[]

type PlainObject = Record<string, unknown>

export const isPlainObject = (value: unknown): value is PlainObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Maximum number of items in a list or fields in an object of a document, more than any edition needs. */
export const MAX_LIST_ITEMS = 500
/** Maximum depth of a document. */
const MAX_DEPTH = 12

/** Returns whether a value is small enough to be compared deeply. */
export function isBounded(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return true
  const items = Object.values(value)
  return depth > 0 && items.length <= MAX_LIST_ITEMS && items.every((item) => isBounded(item, depth - 1))
}

/** Compares two values deeply; an undefined field equals a missing field. */
export function isEqual(first: unknown, second: unknown): boolean {
  if (first === second) return true
  if (Array.isArray(first) && Array.isArray(second))
    return first.length === second.length && first.every((item, index) => isEqual(item, second[index]))
  if (!isPlainObject(first) || !isPlainObject(second)) return false
  const names = new Set([...Object.keys(first), ...Object.keys(second)])
  return [...names].every((name) => isEqual(first[name], second[name]))
}

/** Returns the value at a path; undefined if there is none. */
export function valueAt(value: unknown, path: FieldPath): unknown {
  let current = value
  for (const step of path) {
    if (Array.isArray(current) && typeof step === 'number') current = current[step]
    else if (isPlainObject(current) && typeof step === 'string' && Object.hasOwn(current, step)) current = current[step]
    else return undefined
  }
  return current
}

/**
 * Returns a copy of a value with another value at a path.
 * @param newValue if it is undefined, an object's field is removed, and a list's item becomes undefined
 */
export function withValueAt(value: unknown, [key, ...rest]: FieldPath, newValue: unknown): unknown {
  if (key === undefined) return newValue
  if (typeof key === 'number') {
    const list = Array.isArray(value) ? [...value] : []
    list[key] = withValueAt(list[key], rest, newValue)
    return list
  }
  const object = isPlainObject(value) ? value : {}
  // Refuses __proto__ and the like (prototype pollution).
  if (key in Object.prototype) return object
  const next = withValueAt(object[key], rest, newValue)
  if (next !== undefined) return { ...object, [key]: next }
  const { [key]: _gone, ...remainingFields } = object
  return remainingFields
}
