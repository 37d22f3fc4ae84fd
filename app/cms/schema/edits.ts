import { typedValue } from './typed-value.ts'

/** A path leads to a value in a document by field names, and by list indexes from 0. */
export type FieldPath = readonly (string | number)[]

interface FieldRef {
  documento: string
  campo: FieldPath
  /** `vistos` has the list items on the path as the author saw them, by which items that have moved are found again. */
  vistos: readonly unknown[]
}

/** An edit of a draft applies only while the field is as its author saw it. */
export type Edit = FieldRef &
  (
    | { que: 'poner'; antes?: unknown; ahora?: unknown }
    /** For list edits `campo` is the list's path, `en` the index, `largo` the list's length as seen. */
    | { que: 'agregar'; en: number; largo: number; ahora: unknown }
    | { que: 'quitar'; en: number; largo: number; antes: unknown }
    | { que: 'mover'; en: number; a: number; antes: unknown }
  ) & {
    /** `dudoso` marks an edit that is sent again and may have been applied before. */
    dudoso?: boolean
  }

export type EditResult =
  | { ok: true; value: unknown; field: FieldPath }
  /** Another person changed the field, whose value is `actual` now. Without `field`, a list item on the path is gone. */
  | { ok: false; actual: unknown; field?: FieldPath }

type Group = Record<string, unknown>

export const isGroup = (value: unknown): value is Group =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A document may have lists and groups of at most this many items and levels, more than any edition needs. */
export const MAX_ITEMS = 500
const MAX_DEPTH = 12

/** Says whether a value is small enough to be compared and searched item by item. */
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
  if (!isGroup(one) || !isGroup(other)) return false
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].every((name) => isEqual(one[name], other[name]))
}

/** Returns the value at a path, or undefined where the path leads nowhere. */
export function valueAt(value: unknown, path: FieldPath): unknown {
  let here = value
  for (const step of path) {
    if (Array.isArray(here) && typeof step === 'number') here = here[step]
    else if (isGroup(here) && typeof step === 'string' && Object.hasOwn(here, step)) here = here[step]
    else return undefined
  }
  return here
}

/** Returns the list items on the path to a field, for `vistos` of an Edit. */
export const seenItemsTo = (value: unknown, path: FieldPath): unknown[] =>
  path.flatMap((step, at) => (typeof step === 'number' ? [valueAt(value, path.slice(0, at + 1))] : []))

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
  const group = isGroup(value) ? value : {}
  const next = withValueAt(group[step], rest, now)
  // No document has a field such as __proto__ (prototype pollution).
  if (step in Object.prototype) return group
  if (next !== undefined) return { ...group, [step]: next }
  const { [step]: _removed, ...others } = group
  return others
}

/** Returns the scalars within a value, each as a text with its path. */
function leavesOf(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesOf(item, `${at}/${index}`))
  if (isGroup(value)) return Object.entries(value).flatMap(([name, item]) => leavesOf(item, `${at}/${name}`))
  return [`${at}=${JSON.stringify(value)}`]
}

/** A longer list is not searched by similarity, which reads all its texts. Forms make no longer lists. */
const MAX_SEARCHED_ITEMS = 300

/**
 * Finds the index of an item that its author may have seen at another index: by its id, else by equality, else by similarity. An
 * item at the same index counts even without any similarity.
 * @returns undefined when the list has become shorter than the index, and has no similar item
 */
function findItem(list: readonly unknown[], index: number, viewed: unknown): number | undefined {
  if (isGroup(viewed) && typeof viewed.id === 'string' && viewed.id !== '') {
    const hasSameId = (item: unknown) => isGroup(item) && item.id === viewed.id
    if (hasSameId(list[index])) return index
    const found = list.findIndex(hasSameId)
    if (found !== -1) return found
  }
  if (isEqual(list[index], viewed)) return index
  const same = list.findIndex((item) => isEqual(item, viewed))
  if (same !== -1) return same
  if (!isGroup(viewed) || list.length > MAX_SEARCHED_ITEMS) return index < list.length ? index : undefined
  const viewedLeaves = new Set(leavesOf(viewed))
  const likenessOf = (item: unknown) => leavesOf(item).filter((leaf) => viewedLeaves.has(leaf)).length
  let best = index < list.length ? index : undefined
  let likeness = best === undefined ? 0 : likenessOf(list[index])
  for (const [at, item] of list.entries()) {
    const alike = likenessOf(item)
    if (alike > likeness) [best, likeness] = [at, alike]
  }
  return best
}

/** Returns the current path of a field; undefined when an item on the path is gone. */
function findCurrentPath(value: unknown, field: FieldPath, seenItems: readonly unknown[]): FieldPath | undefined {
  const found: (string | number)[] = []
  let seenCount = 0
  for (const step of field) {
    if (typeof step === 'string') {
      found.push(step)
      continue
    }
    const list = valueAt(value, found)
    if (!Array.isArray(list)) return undefined
    const viewed = seenItems[seenCount++]
    const at = viewed === undefined ? (step < list.length ? step : undefined) : findItem(list, step, viewed)
    if (at === undefined) return undefined
    found.push(at)
  }
  return found
}

const countEqual = (list: readonly unknown[], viewed: unknown) => list.filter((item) => isEqual(item, viewed)).length

/**
 * Applies one edit to a document's value, which is not mutated. Items that have moved are found again. Browser and
 * server share this function.
 */
export function applyEdit(value: unknown, edit: Edit): EditResult {
  const field = findCurrentPath(value, edit.campo, edit.vistos)
  if (!field) return { ok: false, actual: undefined }
  if (edit.que === 'poner') {
    const actual = valueAt(value, field)
    // A field that already has the new value, for example after a lost answer, counts as done.
    const now = typedValue(edit.ahora)
    if (!isEqual(actual, edit.antes) && !isEqual(actual, now)) return { ok: false, actual, field: field }
    return { ok: true, value: withValueAt(value, field, now), field: field }
  }
  const list = valueAt(value, field) ?? []
  if (!Array.isArray(list)) return { ok: false, actual: list, field: field }
  const withItems = (items: readonly unknown[]): EditResult => ({
    ok: true,
    value: withValueAt(value, field, items),
    field: field,
  })
  if (edit.que === 'agregar') {
    const now = typedValue(edit.ahora)
    const isAdded = list.length > edit.largo && countEqual(list, now) > 0
    if (edit.dudoso && isAdded) return { ok: true, value: value, field: field }
    return withItems(list.toSpliced(Math.min(edit.en, list.length), 0, now))
  }
  const { en: index, antes } = edit
  const at = findItem(list, index, antes)
  if (edit.que === 'quitar' && edit.dudoso && list.length < edit.largo) {
    if (at === undefined || !isEqual(list[at], antes)) return { ok: true, value: value, field: field }
  }
  if (at === undefined)
    return edit.que === 'quitar'
      ? { ok: true, value: value, field: field }
      : { ok: false, actual: undefined, field: field }
  // Removal deletes the item's whole content, which therefore must be as seen. Moving keeps the content.
  if (edit.que === 'quitar')
    return isEqual(list[at], antes) ? withItems(list.toSpliced(at, 1)) : { ok: false, actual: list[at], field: field }
  if (edit.dudoso && isEqual(list[edit.a], antes)) return { ok: true, value: value, field: field }
  const item = list[at]
  return withItems(list.toSpliced(at, 1).toSpliced(edit.a, 0, item))
}
