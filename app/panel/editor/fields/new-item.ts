import { conValor, valorEn } from '#app/cms/schema/edits.ts'
import { type Descriptor, vacioDe } from '#app/cms/schema/field-descriptor.ts'

/** Begins the id of something that was just added and has no name yet. */
export const NUEVO = 'nuevo-'

/** A new item: with an id of its own, and a colour that no other has. */
export function nuevoDe(de: Descriptor, others: readonly unknown[]): unknown {
  let nuevo = vacioDe(de)
  if (de.clase !== 'grupo') return nuevo
  for (const { nombre, campo } of de.campos) {
    if (campo.clase === 'id' && !campo.opcional)
      nuevo = conValor(nuevo, [nombre], NUEVO + Math.random().toString(36).slice(2, 8))
    if (campo.clase !== 'tono') continue
    const taken = others.map((one) => valorEn(one, [nombre]))
    const free = campo.opciones?.find(([value]) => !taken.includes(value)) ?? campo.opciones?.[0]
    nuevo = conValor(nuevo, [nombre], free?.[0] ?? '')
  }
  return nuevo
}
