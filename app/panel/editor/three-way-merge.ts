import { type FieldPath, isEqual, isPlainObject, valueAt, withValueAt } from '#app/cms/schema/field-path.ts'

/** A field that both sides changed to different values. */
export interface FieldConflict {
  /** The field's path in the merged document. */
  field: FieldPath
  /** The field's path in the other side's document. */
  theirField: FieldPath
  before: unknown
  mine: unknown
  theirs: unknown
}

/** A list item that one side removed and the other side changed. The device stores it with these keys. */
export interface RemovedItem {
  /** The list's path in the merged document. */
  lista: FieldPath
  quito: 'yo' | 'otro'
  /** For an item removed here (`yo`), the item as the other side changed it; for `otro`, the values that were typed here. */
  valor: unknown
}

interface MergeResult {
  /** The merged document; a conflicting field has the local value. */
  value: unknown
  conflicts: FieldConflict[]
  /**
   * Items that one side removed and the other changed: items that were removed here stay in `value`, items that the other side
   * removed are gone.
   */
  removals: RemovedItem[]
}

/**
 * Merges two states of a document that come from one earlier state, `before` (three-way merge). A field that only one side changed
 * takes that side's value, a field that both changed differently keeps the local value as a conflict; new list items of both sides
 * stay. List items are matched as in `pairItems`.
 */
export function mergeThreeWays(before: unknown, mine: unknown, theirs: unknown): MergeResult {
  const conflicts: FieldConflict[] = []
  const removals: RemovedItem[] = []
  const merge = (before: unknown, mine: unknown, theirs: unknown, field: FieldPath, theirField: FieldPath): unknown => {
    if (isEqual(before, theirs) || isEqual(mine, theirs)) return mine
    if (isEqual(before, mine)) return theirs
    if (Array.isArray(mine) && Array.isArray(theirs))
      return mergeLists(Array.isArray(before) ? before : [], mine, theirs, field, theirField)
    if (isPlainObject(mine) && isPlainObject(theirs) && !isPhoto(mine)) {
      const earlierFields = isPlainObject(before) ? before : {}
      return Object.keys({ ...theirs, ...mine }).reduce<unknown>(
        (merged, name) =>
          withValueAt(
            merged,
            [name],
            merge(earlierFields[name], mine[name], theirs[name], [...field, name], [...theirField, name]),
          ),
        {},
      )
    }
    conflicts.push({ field, theirField, before, mine, theirs })
    return mine
  }
  const mergeLists = (
    before: readonly unknown[],
    mine: readonly unknown[],
    theirs: readonly unknown[],
    field: FieldPath,
    theirField: FieldPath,
  ) =>
    alignItems(before, mine, theirs)
      .filter((row) => {
        if (row.before === undefined || (row.mine !== undefined && row.theirs !== undefined)) return true
        const earlierValue = before[row.before]
        const isMine = row.mine !== undefined
        const remainingValue = isMine ? mine[row.mine!] : theirs[row.theirs!]
        if (isEqual(earlierValue, remainingValue)) return false
        const value = isMine
          ? listDifferences(earlierValue, remainingValue).map((path) => valueAt(remainingValue, path))
          : remainingValue
        removals.push({ lista: field, quito: isMine ? 'otro' : 'yo', valor: value })
        return !isMine
      })
      .map((row, index) => {
        if (row.theirs === undefined) return mine[row.mine!]
        if (row.mine === undefined) return theirs[row.theirs]
        const earlierValue = row.before === undefined ? undefined : before[row.before]
        return merge(earlierValue, mine[row.mine], theirs[row.theirs], [...field, index], [...theirField, row.theirs])
      })
  return { value: merge(before, mine, theirs, [], []), conflicts, removals }
}

const isPhoto = (value: object) => 'foto' in value && 'foco' in value

/** Lists the paths whose values differ. A list that changed its length counts as one path, and so does a photograph. */
export function listDifferences(before: unknown, after: unknown, field: FieldPath = []): FieldPath[] {
  if (isEqual(before, after)) return []
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return after.flatMap((item, index) => listDifferences(before[index], item, [...field, index]))
  if (!isPlainObject(before) || !isPlainObject(after) || isPhoto(before) || isPhoto(after)) return [field]
  return Object.keys({ ...before, ...after }).flatMap((name) =>
    listDifferences(before[name], after[name], [...field, name]),
  )
}

/** The indexes of one list item in the three states; undefined in a state without the item. */
type AlignedItem = Record<'before' | 'mine' | 'theirs', number | undefined>

/** Lists the items of both sides once each: in the local order if items were moved here, otherwise in the other side's order. */
function alignItems(before: readonly unknown[], mine: readonly unknown[], theirs: readonly unknown[]): AlignedItem[] {
  const [mineIndexes, theirIndexes] = [pairItems(before, mine), pairItems(before, theirs)]
  const rows = before.map(
    (_, index): AlignedItem => ({ before: index, mine: mineIndexes[index], theirs: theirIndexes[index] }),
  )
  for (const index of mine.keys())
    if (!mineIndexes.includes(index)) rows.push({ before: undefined, mine: index, theirs: undefined })
  for (const [index, item] of theirs.entries()) {
    if (theirIndexes.includes(index)) continue
    // An item that both sides added is one item: a saved item whose answer was lost comes back as the other side's.
    const twin = rows.find(
      (row) => row.before === undefined && row.theirs === undefined && isSameItem(mine[row.mine!], item),
    )
    if (twin) twin.theirs = index
    else rows.push({ before: undefined, mine: undefined, theirs: index })
  }
  const keptIndexes = mineIndexes.filter((index) => index !== undefined)
  const hasMovedItems = keptIndexes.some((index, position) => position > 0 && index < keptIndexes[position - 1]!)
  const [leadingSide, otherSide] = hasMovedItems ? (['mine', 'theirs'] as const) : (['theirs', 'mine'] as const)
  const inOrder = (side: 'mine' | 'theirs') =>
    rows.filter((row) => row[side] !== undefined).sort((first, second) => first[side]! - second[side]!)
  const order = inOrder(leadingSide)
  for (const [position, row] of inOrder(otherSide).entries())
    if (row[leadingSide] === undefined) order.splice(order.indexOf(inOrder(otherSide)[position - 1]!) + 1, 0, row)
  return order
}

/**
 * Returns each item's index in a later state of the list; undefined for a removed item. Items are matched by id or equal
 * content, then by the number of equal texts and numbers, then, in a list of unchanged length, plain values in their order.
 */
export function pairItems(before: readonly unknown[], after: readonly unknown[]): (number | undefined)[] {
  const pairedIndexes: (number | undefined)[] = before.map(() => undefined)
  const unpairedIndexes = new Set(after.keys())
  const pairUp = (findPosition: (item: unknown, index: number) => number | undefined) => {
    for (const [index, item] of before.entries()) {
      const position = pairedIndexes[index] === undefined ? findPosition(item, index) : undefined
      if (position === undefined || !unpairedIndexes.delete(position)) continue
      pairedIndexes[index] = position
    }
  }
  pairUp((item, index) => (index < after.length && isSameItem(item, after[index]) ? index : undefined))
  pairUp((item) => [...unpairedIndexes].find((position) => isSameItem(item, after[position])))
  pairUp((item) => {
    const mostSimilar = [...unpairedIndexes].sort(
      (first, second) => similarity(item, after[second]) - similarity(item, after[first]),
    )[0]
    return mostSimilar !== undefined && similarity(item, after[mostSimilar]) > 0 ? mostSimilar : undefined
  })
  // An object without equal values is another item.
  if (before.length === after.length) pairUp((item) => (isPlainObject(item) ? undefined : [...unpairedIndexes][0]))
  return pairedIndexes
}

/** Returns whether two items have the same id or, without ids, the same content. */
const isSameItem = (first: unknown, second: unknown): boolean =>
  isPlainObject(first) && isPlainObject(second) && first.id && second.id
    ? first.id === second.id
    : isEqual(first, second)

/** Counts the texts and numbers that two objects have in common; 0 for objects with different ids. */
const similarity = (first: unknown, second: unknown): number =>
  isPlainObject(first) && isPlainObject(second) && !(first.id && second.id && first.id !== second.id)
    ? Object.entries(first).filter(
        ([name, value]) => value && typeof value !== 'object' && value !== true && value === second[name],
      ).length
    : 0
