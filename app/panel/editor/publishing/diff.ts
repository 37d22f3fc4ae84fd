import { type FieldPath, isEqual, valorEn } from '#app/cms/schema/edits.ts'
import { type DocumentName, descriptorDe, isDocumentName } from '#app/cms/schema/faults.ts'
import { type Descriptor, fieldAt, inWords } from '#app/cms/schema/field-descriptor.ts'

/** A changed field, in the words of the form. */
export interface Change {
  documento: string
  campo: FieldPath
  donde: string
  /** Old and new value; undefined where the field is empty. */
  antes: DescribedValue | undefined
  ahora: DescribedValue | undefined
}

/** A value for people: text, or a picture or file by its path in the edition. */
export type DescribedValue = { texto: string } | { foto: string; alt: string } | { archivo: string }

/** Changes between two states of an edition's documents, in the order of the forms. */
export function changesBetween(antes: Record<string, unknown>, now: Record<string, unknown>): Change[] {
  return Object.keys({ ...antes, ...now })
    .filter(isDocumentName)
    .flatMap((document) => differences(document, descriptorDe(document), [], antes[document], now[document]))
}

function differences(
  document: DocumentName,
  root: Descriptor,
  field: FieldPath,
  antes: unknown,
  now: unknown,
): Change[] {
  if (isEqual(antes, now)) return []
  const descriptor = fieldAt(root, field)
  // The site sets hidden ids by itself.
  if (descriptor?.clase !== 'grupo' && descriptor?.oculto && field.at(-1) === 'id') return []
  const deeper = (key: string | number) =>
    differences(document, root, [...field, key], valorEn(antes, [key]), valorEn(now, [key]))
  if (descriptor?.clase === 'grupo' && isGroup(antes) && isGroup(now))
    return Object.keys({ ...antes, ...now }).flatMap(deeper)
  if (descriptor?.clase === 'lista' && Array.isArray(antes) && Array.isArray(now)) {
    if (antes.length === now.length) return antes.flatMap((_, place) => deeper(place))
    // For a list whose length changed, added and removed items are listed one by one.
    const came = now.flatMap((item, place) => (antes.some((one) => isEqual(one, item)) ? [] : [place]))
    const went = antes.flatMap((item, place) => (now.some((one) => isEqual(one, item)) ? [] : [place]))
    const line = (place: number, before: unknown, after: unknown): Change => ({
      ...{ documento: document, campo: [...field, place], donde: inWords(root, [...field, place]) },
      antes: describeValue(before),
      ahora: describeValue(after),
    })
    return [
      ...came.map((place) => line(place, undefined, now[place])),
      ...went.map((place) => line(place, antes[place], undefined)),
    ]
  }
  return [
    {
      documento: document,
      campo: field,
      donde: inWords(root, field),
      antes: describeValue(antes),
      ahora: describeValue(now),
    },
  ]
}

const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const FILE_PATH = /^[\w-]+\/[\w./-]+\.\w+$/

/** A value in few words; a group is described by its name, title or first text. */
function describeValue(valor: unknown): DescribedValue | undefined {
  if (valor === undefined || valor === null || valor === '') return undefined
  if (typeof valor === 'string') return FILE_PATH.test(valor) ? { archivo: valor } : { texto: valor }
  if (typeof valor === 'boolean') return { texto: valor ? 'Sí' : 'No' }
  if (typeof valor !== 'object') return { texto: String(valor) }
  if ('foto' in valor && 'foco' in valor)
    return { foto: String(valor.foto), alt: 'alt' in valor ? String(valor.alt) : '' }
  const entries = Object.entries(valor).filter(([key]) => key !== 'id')
  const named = entries.filter(([key]) => key === 'nombre' || key === 'titulo' || key === 'que')
  for (const [, item] of [...named, ...entries]) {
    const said = describeValue(item)
    if (said && 'texto' in said) return said
  }
  return undefined
}
