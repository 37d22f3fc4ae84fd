import { type FieldPath, isEqual, isGroup, valueAt, withValueAt } from '#app/cms/schema/field-path.ts'

/** A FieldConflict is a field that both sides changed, in different ways. */
export interface FieldConflict {
  /** The field's path in the merged document. */
  field: FieldPath
  /** The field's path in the other side's document. */
  theirField: FieldPath
  before: unknown
  mine: unknown
  theirs: unknown
}

/** A RemovedItem is a list item that one side removed and the other side changed. The device stores it with these keys. */
export interface RemovedItem {
  /** The list's path in the merged document. */
  lista: FieldPath
  quito: 'yo' | 'otro'
  /** For an item removed here, the item as the other side changed it; otherwise the values that were typed here. */
  valor: unknown
}

interface MergeResult {
  /** Conflicting fields have the local value here. */
  value: unknown
  conflicts: FieldConflict[]
  /** An item that was removed here stays; an item that the other side removed goes. */
  removals: RemovedItem[]
}

/**
 * Merges two states of a document that come from one earlier state (three-way merge): a field that one side changed has
 * that side's value, and new list items of both sides stay. A list item is found again by its id, else by its content.
 * @param before the earlier state
 */
export function mergeThreeWays(before: unknown, mine: unknown, theirs: unknown): MergeResult {
  const conflicts: FieldConflict[] = []
  const removals: RemovedItem[] = []
  const merge = (before: unknown, mine: unknown, theirs: unknown, field: FieldPath, theirField: FieldPath): unknown => {
    if (isEqual(before, theirs) || isEqual(mine, theirs)) return mine
    if (isEqual(before, mine)) return theirs
    if (Array.isArray(mine) && Array.isArray(theirs))
      return mergeLists(Array.isArray(before) ? before : [], mine, theirs, field, theirField)
    if (isGroup(mine) && isGroup(theirs) && !isPhoto(mine)) {
      const earlier = isGroup(before) ? before : {}
      return Object.keys({ ...theirs, ...mine }).reduce<unknown>(
        (merged, name) =>
          withValueAt(
            merged,
            [name],
            merge(earlier[name], mine[name], theirs[name], [...field, name], [...theirField, name]),
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
        const now = isMine ? mine[row.mine!] : theirs[row.theirs!]
        if (isEqual(earlierValue, now)) return false
        const value = isMine ? listDifferences(earlierValue, now).map((path) => valueAt(now, path)) : now
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

/** Lists the paths whose values differ; a list of another length counts as one path, and so does a photograph. */
export function listDifferences(before: unknown, now: unknown, field: FieldPath = []): FieldPath[] {
  if (isEqual(before, now)) return []
  if (Array.isArray(before) && Array.isArray(now) && before.length === now.length)
    return now.flatMap((item, index) => listDifferences(before[index], item, [...field, index]))
  if (!isGroup(before) || !isGroup(now) || isPhoto(before) || isPhoto(now)) return [field]
  return Object.keys({ ...before, ...now }).flatMap((name) =>
    listDifferences(before[name], now[name], [...field, name]),
  )
}

/** A row of a merged list has an item's index in each state that has the item. */
type Row = Record<'before' | 'mine' | 'theirs', number | undefined>

/** Lists the items of both sides in their order; the order of the side that moved items counts. */
function alignItems(before: readonly unknown[], mine: readonly unknown[], theirs: readonly unknown[]): Row[] {
  const [mineIndexes, theirIndexes] = [pairItems(before, mine), pairItems(before, theirs)]
  const rows = before.map((_, index): Row => ({ before: index, mine: mineIndexes[index], theirs: theirIndexes[index] }))
  for (const index of mine.keys())
    if (!mineIndexes.includes(index)) rows.push({ before: undefined, mine: index, theirs: undefined })
  for (const [index, item] of theirs.entries()) {
    if (theirIndexes.includes(index)) continue
    // An item that both sides added is one item, as after a lost answer.
    const twin = rows.find(
      (row) => row.before === undefined && row.theirs === undefined && isSameItem(mine[row.mine!], item),
    )
    if (twin) twin.theirs = index
    else rows.push({ before: undefined, mine: undefined, theirs: index })
  }
  const keptIndexes = mineIndexes.filter((index) => index !== undefined)
  const isMoved = keptIndexes.some((index, position) => position > 0 && index < keptIndexes[position - 1]!)
  const [first, second] = isMoved ? (['mine', 'theirs'] as const) : (['theirs', 'mine'] as const)
  const inOrder = (side: 'mine' | 'theirs') =>
    rows.filter((row) => row[side] !== undefined).sort((one, other) => one[side]! - other[side]!)
  const order = inOrder(first)
  for (const [position, row] of inOrder(second).entries())
    if (row[first] === undefined) order.splice(order.indexOf(inOrder(second)[position - 1]!) + 1, 0, row)
  return order
}

/** Finds each item of a list in a later state of the list; undefined for a removed item. */
export function pairItems(before: readonly unknown[], now: readonly unknown[]): (number | undefined)[] {
  const pairedIndexes: (number | undefined)[] = before.map(() => undefined)
  const unpairedIndexes = new Set(now.keys())
  const pairUp = (find: (item: unknown, index: number) => number | undefined) => {
    for (const [index, item] of before.entries()) {
      const position = pairedIndexes[index] === undefined ? find(item, index) : undefined
      if (position === undefined || !unpairedIndexes.delete(position)) continue
      pairedIndexes[index] = position
    }
  }
  pairUp((item, index) => (index < now.length && isSameItem(item, now[index]) ? index : undefined))
  pairUp((item) => [...unpairedIndexes].find((position) => isSameItem(item, now[position])))
  pairUp((item) => {
    const mostSimilar = [...unpairedIndexes].sort(
      (one, other) => similarity(item, now[other]) - similarity(item, now[one]),
    )[0]
    return mostSimilar !== undefined && similarity(item, now[mostSimilar]) > 0 ? mostSimilar : undefined
  })
  // A text is paired with the text in its place. A group without anything in common is another item.
  if (before.length === now.length) pairUp((item) => (isGroup(item) ? undefined : [...unpairedIndexes][0]))
  return pairedIndexes
}

/** Returns whether two items have the same id or, without ids, the same content. */
const isSameItem = (one: unknown, other: unknown): boolean =>
  isGroup(one) && isGroup(other) && one.id && other.id ? one.id === other.id : isEqual(one, other)

/** Counts the texts and numbers that two groups have in common; groups with different ids are never one item. */
const similarity = (one: unknown, other: unknown): number =>
  isGroup(one) && isGroup(other) && !(one.id && other.id && one.id !== other.id)
    ? Object.entries(one).filter(
        ([name, value]) => value && typeof value !== 'object' && value !== true && value === other[name],
      ).length
    : 0
