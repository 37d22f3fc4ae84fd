import { emptyValueOf, type FieldDescriptor } from '#app/cms/schema/field-descriptor.ts'
import { isEqual, valueAt, withValueAt } from '#app/cms/schema/field-path.ts'
import { itemSlugOf, withSlugs } from '#app/cms/schema/item-slugs.ts'

/** Prefix of a new item's id until the item has a name. */
const NEW_ID_PREFIX = 'nuevo-'

/**
 * Creates an empty item. A required or hidden id is random until the item has a name; a tone is, if possible, one that no existing
 * item has.
 */
export function createItem(itemDescriptor: FieldDescriptor, existingItems: readonly unknown[]): unknown {
  let newItem = emptyValueOf(itemDescriptor)
  if (itemDescriptor.kind !== 'group') return newItem
  for (const { name, descriptor } of itemDescriptor.fields) {
    if (descriptor.kind === 'id' && (!descriptor.isOptional || descriptor.isHidden))
      newItem = withValueAt(newItem, [name], NEW_ID_PREFIX + Math.random().toString(36).slice(2, 8))
    if (descriptor.kind !== 'tone') continue
    const usedTones = existingItems.map((existing) => valueAt(existing, [name]))
    const freeOption = descriptor.options?.find(([value]) => !usedTones.includes(value)) ?? descriptor.options?.[0]
    newItem = withValueAt(newItem, [name], freeOption?.[0] ?? '')
  }
  return newItem
}

interface NamedItem {
  name: string
  /** Name of the item when its name field took the focus. */
  nameBefore: string
  publishedIds: readonly string[]
  /** Ids of withdrawn candidates, which no other item gets. */
  withdrawnIds: readonly string[]
  /** Whether the item's URL comes from its name until the item has an id. */
  keepsUrl: boolean
}

/**
 * Returns the new id of an item whose name was typed; undefined if its id stays. A new item's id comes from the first name that it
 * gets before it is published, and then stays. Older content has items without ids: such an item gets its present URL's slug as id,
 * so that a corrected title keeps the URL.
 */
export function idOfNamedItem(
  siblings: readonly unknown[],
  index: number,
  { name, nameBefore, publishedIds, withdrawnIds, keepsUrl }: NamedItem,
): string | undefined {
  const ownId = valueAt(siblings[index], ['id'])
  if (ownId === undefined && keepsUrl && name !== nameBefore) {
    const items = siblings.map((sibling, position) => ({
      id: valueAt(sibling, ['id']) as string | undefined,
      titulo: position === index ? nameBefore : String(valueAt(sibling, ['titulo']) ?? ''),
    }))
    return withSlugs(items, '')[index]?.slug || undefined
  }
  if (typeof ownId !== 'string' || !ownId.startsWith(NEW_ID_PREFIX) || publishedIds.includes(ownId)) return undefined
  const slug = itemSlugOf(name)
  const isTaken = withdrawnIds.includes(slug) || siblings.some((sibling) => isEqual(valueAt(sibling, ['id']), slug))
  return isTaken ? slug + ownId.slice(NEW_ID_PREFIX.length - 1) : slug || undefined
}
