import { type Descriptor, emptyValueOf } from '#app/cms/schema/field-descriptor.ts'
import { isEqual, valueAt, withValueAt } from '#app/cms/schema/field-path.ts'
import { itemSlugOf, withSlugs } from '#app/cms/schema/item-slugs.ts'

/** The id of a new item has this prefix until the item has a name. */
const NEW_ID_PREFIX = 'nuevo-'

/** Makes an empty item with a random id and, while one is free, a colour that no other item has. */
export function newItemOf(item: Descriptor, others: readonly unknown[]): unknown {
  let newOne = emptyValueOf(item)
  if (item.kind !== 'group') return newOne
  for (const { name, descriptor } of item.fields) {
    if (descriptor.kind === 'id' && (!descriptor.isOptional || descriptor.isHidden))
      newOne = withValueAt(newOne, [name], NEW_ID_PREFIX + Math.random().toString(36).slice(2, 8))
    if (descriptor.kind !== 'tone') continue
    const usedTones = others.map((one) => valueAt(one, [name]))
    const free = descriptor.options?.find(([value]) => !usedTones.includes(value)) ?? descriptor.options?.[0]
    newOne = withValueAt(newOne, [name], free?.[0] ?? '')
  }
  return newOne
}

interface Naming {
  name: string
  /** The item had this name when the focus came to it. */
  nameBefore: string
  publishedIds: readonly string[]
  /** The item's address comes from its name until it has an id. */
  keepsAddress: boolean
}

/**
 * Returns the id of an item whose name was typed; undefined where its id stays. A new item's id comes from its name, unless the id
 * is published. An item of before items had ids gets the id of its address so far, so that a corrected title does not move it.
 */
export function idOfNamedItem(
  siblings: readonly unknown[],
  index: number,
  { name, nameBefore, publishedIds, keepsAddress }: Naming,
): string | undefined {
  const ownId = valueAt(siblings[index], ['id'])
  if (ownId === undefined && keepsAddress && name !== nameBefore) {
    const items = siblings.map((one, at) => ({
      id: valueAt(one, ['id']) as string | undefined,
      titulo: at === index ? nameBefore : String(valueAt(one, ['titulo']) ?? ''),
    }))
    return withSlugs(items, '')[index]?.slug || undefined
  }
  if (typeof ownId !== 'string' || !ownId.startsWith(NEW_ID_PREFIX) || publishedIds.includes(ownId)) return undefined
  const slug = itemSlugOf(name)
  const isTaken = siblings.some((one) => isEqual(valueAt(one, ['id']), slug))
  return isTaken ? slug + ownId.slice(NEW_ID_PREFIX.length - 1) : slug || undefined
}
