import { type Descriptor, emptyValueOf } from '#app/cms/schema/field-descriptor.ts'
import { valueAt, withValueAt } from '#app/cms/schema/field-path.ts'

/** The id of a new item has this prefix until the item has a name. */
export const NEW_ID_PREFIX = 'nuevo-'

/** Makes an empty item with a random id and, while one is free, a colour that no other item has. */
export function newItemOf(item: Descriptor, others: readonly unknown[]): unknown {
  let newOne = emptyValueOf(item)
  if (item.kind !== 'group') return newOne
  for (const { name, descriptor } of item.fields) {
    if (descriptor.kind === 'id' && !descriptor.isOptional)
      newOne = withValueAt(newOne, [name], NEW_ID_PREFIX + Math.random().toString(36).slice(2, 8))
    if (descriptor.kind !== 'tone') continue
    const usedTones = others.map((one) => valueAt(one, [name]))
    const free = descriptor.options?.find(([value]) => !usedTones.includes(value)) ?? descriptor.options?.[0]
    newOne = withValueAt(newOne, [name], free?.[0] ?? '')
  }
  return newOne
}
