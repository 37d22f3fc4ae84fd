import { type FieldPath, isEqual, isGroup, valueAt, withValueAt } from '#app/cms/schema/field-path.ts'

/** Both sides changed this field, in different ways. */
export interface FieldConflict {
  /** The field's path in the merged document. */
  campo: FieldPath
  /** The field's path in the other side's document. */
  suCampo: FieldPath
  antes: unknown
  mio: unknown
  suyo: unknown
}

/** One side removed a list item that the other side changed. */
export interface RemovedItem {
  /** The list's path in the merged document. */
  lista: FieldPath
  quito: 'yo' | 'otro'
  /** For an item removed here, the item as the other side changed it; otherwise the values that were typed here. */
  valor: unknown
}

interface Merge {
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
export function mergeThreeWays(before: unknown, mine: unknown, theirs: unknown): Merge {
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
    conflicts.push({ campo: field, suCampo: theirField, antes: before, mio: mine, suyo: theirs })
    return mine
  }
  const mergeLists = (
    before: readonly unknown[],
    mine: readonly unknown[],
    theirs: readonly unknown[],
    field: FieldPath,
    theirField: FieldPath,
  ) =>
    rowsOf(before, mine, theirs)
      .filter((row) => {
        if (row.before === undefined || (row.mine !== undefined && row.theirs !== undefined)) return true
        const was = before[row.before]
        const isMine = row.mine !== undefined
        const now = isMine ? mine[row.mine!] : theirs[row.theirs!]
        if (isEqual(was, now)) return false
        const value = isMine ? differences(was, now).map((path) => valueAt(now, path)) : now
        removals.push({ lista: field, quito: isMine ? 'otro' : 'yo', valor: value })
        return !isMine
      })
      .map((row, index) => {
        if (row.theirs === undefined) return mine[row.mine!]
        if (row.mine === undefined) return theirs[row.theirs]
        const was = row.before === undefined ? undefined : before[row.before]
        return merge(was, mine[row.mine], theirs[row.theirs], [...field, index], [...theirField, row.theirs])
      })
  return { value: merge(before, mine, theirs, [], []), conflicts, removals }
}

const isPhoto = (value: object) => 'foto' in value && 'foco' in value

/** Lists the paths whose values differ; a list of another length counts as one path, and so does a photograph. */
export function differences(before: unknown, now: unknown, field: FieldPath = []): FieldPath[] {
  if (isEqual(before, now)) return []
  if (Array.isArray(before) && Array.isArray(now) && before.length === now.length)
    return now.flatMap((item, at) => differences(before[at], item, [...field, at]))
  if (!isGroup(before) || !isGroup(now) || isPhoto(before) || isPhoto(now)) return [field]
  return Object.keys({ ...before, ...now }).flatMap((name) => differences(before[name], now[name], [...field, name]))
}

/** A row of a merged list has an item's index in each state that has the item. */
type Row = Record<'before' | 'mine' | 'theirs', number | undefined>

/** Lists the items of both sides in their order; the order of the side that moved items counts. */
function rowsOf(before: readonly unknown[], mine: readonly unknown[], theirs: readonly unknown[]): Row[] {
  const [inMine, inTheirs] = [pairItems(before, mine), pairItems(before, theirs)]
  const rows = before.map((_, at): Row => ({ before: at, mine: inMine[at], theirs: inTheirs[at] }))
  for (const at of mine.keys()) if (!inMine.includes(at)) rows.push({ before: undefined, mine: at, theirs: undefined })
  for (const [at, item] of theirs.entries()) {
    if (inTheirs.includes(at)) continue
    // An item that both sides added is one item, as after a lost answer.
    const twin = rows.find(
      (row) => row.before === undefined && row.theirs === undefined && isSameItem(mine[row.mine!], item),
    )
    if (twin) twin.theirs = at
    else rows.push({ before: undefined, mine: undefined, theirs: at })
  }
  const kept = inMine.filter((at) => at !== undefined)
  const isMoved = kept.some((at, place) => place > 0 && at < kept[place - 1]!)
  const [first, second] = isMoved ? (['mine', 'theirs'] as const) : (['theirs', 'mine'] as const)
  const inOrder = (side: 'mine' | 'theirs') =>
    rows.filter((row) => row[side] !== undefined).sort((one, other) => one[side]! - other[side]!)
  const order = inOrder(first)
  for (const [place, row] of inOrder(second).entries())
    if (row[first] === undefined) order.splice(order.indexOf(inOrder(second)[place - 1]!) + 1, 0, row)
  return order
}

/** Finds each item of a list in a later state of the list; undefined for a removed item. */
function pairItems(before: readonly unknown[], now: readonly unknown[]): (number | undefined)[] {
  const found: (number | undefined)[] = before.map(() => undefined)
  const free = new Set(now.keys())
  const pairUp = (find: (item: unknown, at: number) => number | undefined) => {
    for (const [at, item] of before.entries()) {
      const place = found[at] === undefined ? find(item, at) : undefined
      if (place === undefined || !free.delete(place)) continue
      found[at] = place
    }
  }
  pairUp((item, at) => (at < now.length && isSameItem(item, now[at]) ? at : undefined))
  pairUp((item) => [...free].find((place) => isSameItem(item, now[place])))
  pairUp((item) => {
    const likest = [...free].sort((one, other) => likeness(item, now[other]) - likeness(item, now[one]))[0]
    return likest !== undefined && likeness(item, now[likest]) > 0 ? likest : undefined
  })
  // A text is paired with the text in its place. A group without anything in common is another item.
  if (before.length === now.length) pairUp((item) => (isGroup(item) ? undefined : [...free][0]))
  return found
}

/** Says whether two items have the same id or, without ids, the same content. */
const isSameItem = (one: unknown, other: unknown): boolean =>
  isGroup(one) && isGroup(other) && one.id && other.id ? one.id === other.id : isEqual(one, other)

/** Counts the texts and numbers that two groups have in common. */
const likeness = (one: unknown, other: unknown): number =>
  isGroup(one) && isGroup(other)
    ? Object.entries(one).filter(
        ([name, value]) => value && typeof value !== 'object' && value !== true && value === other[name],
      ).length
    : 0
