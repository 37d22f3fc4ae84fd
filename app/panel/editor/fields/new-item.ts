import { conValor, valorEn } from '#app/cms/schema/edits.ts'
import { type Descriptor, emptyValueOf } from '#app/cms/schema/field-descriptor.ts'

/** Prefix of the id of a new item that has no name yet. */
export const NEW_ID_PREFIX = 'nuevo-'

/** An empty item with a random id and a colour that no other item has. */
export function newItemOf(de: Descriptor, others: readonly unknown[]): unknown {
  let newOne = emptyValueOf(de)
  if (de.clase !== 'grupo') return newOne
  for (const { nombre, campo } of de.campos) {
    if (campo.clase === 'id' && !campo.opcional)
      newOne = conValor(newOne, [nombre], NEW_ID_PREFIX + Math.random().toString(36).slice(2, 8))
    if (campo.clase !== 'tono') continue
    const taken = others.map((one) => valorEn(one, [nombre]))
    const free = campo.opciones?.find(([value]) => !taken.includes(value)) ?? campo.opciones?.[0]
    newOne = conValor(newOne, [nombre], free?.[0] ?? '')
  }
  return newOne
}
