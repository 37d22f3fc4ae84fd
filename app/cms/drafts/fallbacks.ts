import * as v from 'valibot'
import { DOCUMENT_SCHEMAS } from '#app/cms/schema/edition-documents.ts'
import { conValor, type FieldPath, isEqual, valorEn } from '#app/cms/schema/edits.ts'
import { type DocumentName, descriptorDe, findContradictions } from '#app/cms/schema/faults.ts'
import { type Descriptor, emptyValueOf, fieldAt, type Leaf } from '#app/cms/schema/field-descriptor.ts'
import type { Values } from '#app/cms/schema/read-content.server.ts'

/** Paths of the placeholders for a missing photograph and a missing logo. */
export const MISSING_PHOTO = 'falta/foto.jpg'
export const MISSING_LOGO = 'falta/logo.svg'

/** How often a document is validated and repaired: a repair may uncover another fault. */
const MAX_PASSES = 8

/**
 * A draft's documents in a form that screens can display: a missing or invalid field takes its published value, else a
 * neutral placeholder. The result is never saved.
 * @param exists whether the edition has a file
 */
export function withFallbacks(values: Values, publishedContent: Values, exists: (filePath: string) => boolean): Values {
  const healed = Object.fromEntries(
    (Object.keys(DOCUMENT_SCHEMAS) as DocumentName[]).map((document) => {
      const [valor, published] = [values[document], publishedContent[document]]
      return [
        document,
        isEqual(valor, published) ? published : documentWithFallbacks(document, valor, published, exists),
      ]
    }),
  )
  // A winner who is no longer a candidate is removed.
  if (findContradictions(healed).length > 0)
    healed['popularidad.yaml'] = conValor(healed['popularidad.yaml'], ['ganadora'], undefined)
  return healed
}

function documentWithFallbacks(
  document: DocumentName,
  valor: unknown,
  published: unknown,
  exists: (filePath: string) => boolean,
) {
  const descriptor = descriptorDe(document)
  let healed = withoutMissingFiles(descriptor, valor, published, exists)
  for (let turn = 0; turn < MAX_PASSES; turn++) {
    const { success, issues = [] } = v.safeParse(DOCUMENT_SCHEMAS[document], healed)
    if (success) return healed
    for (const { path = [], input } of issues) {
      const field = path.map(({ key }) => key as string | number)
      healed = withRemedy(descriptor, healed, field, input, turn === 0 ? published : undefined)
    }
  }
  return published
}

/** Repairs one fault. @param published the published document, if its values may be used */
function withRemedy(
  descriptor: Descriptor,
  valor: unknown,
  field: FieldPath,
  input: unknown,
  published: unknown,
): unknown {
  const { place, hoja } = fieldHolding(descriptor, field)
  if (!hoja) return conValor(valor, field, undefined)
  const stood = valorEn(published, place)
  const said = valorEn(valor, place)
  if (hoja.clase === 'foto') {
    const { foto, alt, foco } = (typeof said === 'object' && said ? said : {}) as Record<string, unknown>
    return conValor(valor, place, {
      foto: typeof foto === 'string' && foto !== '' ? foto : MISSING_PHOTO,
      alt: typeof alt === 'string' && alt.trim() !== '' ? alt.slice(0, 500) : `${hoja.rotulo} (falta)`,
      foco: Array.isArray(foco) && foco.length === 2 ? foco : [50, 50],
    })
  }
  if (typeof input === 'string' && hoja.clase.startsWith('texto') && 'max' in hoja && input.length > hoja.max!)
    return conValor(valor, place, input.slice(0, hoja.max))
  if (stood !== undefined && !isEqual(stood, said)) return conValor(valor, place, stood)
  if (hoja.opcional && hoja.clase !== 'lista') return conValor(valor, place, undefined)
  if (hoja.clase === 'lista' || hoja.clase === 'grupo') return conValor(valor, place, emptyValueOf(hoja))
  const neutral = neutralDe(hoja, place)
  if (neutral !== undefined) return conValor(valor, place, neutral)
  // Without a neutral value, as for a video, the nearest optional group is removed.
  const holder = enclosingOptional(descriptor, place)
  return holder ? conValor(valor, holder, undefined) : valor
}

/** The form field that contains a path, or else the group or list at the path. */
function fieldHolding(descriptor: Descriptor, field: FieldPath): { place: FieldPath; hoja: Descriptor | undefined } {
  for (let length = 0; length <= field.length; length++) {
    const place = field.slice(0, length)
    const here = fieldAt(descriptor, place)
    if (here && here.clase !== 'grupo' && here.clase !== 'lista') return { place, hoja: here }
  }
  return { place: field, hoja: fieldAt(descriptor, field) }
}

function enclosingOptional(descriptor: Descriptor, place: FieldPath): FieldPath | undefined {
  for (let length = place.length; length > 0; length--)
    if (fieldAt(descriptor, place.slice(0, length))?.opcional) return place.slice(0, length)
  return undefined
}

/** A valid placeholder for an empty field; undefined if the field's kind has none. */
function neutralDe({ clase, rotulo, ejemplo, opciones, min }: Leaf, place: FieldPath): unknown {
  switch (clase) {
    case 'texto':
    case 'texto-largo':
    case 'renglones':
    case 'parrafo':
      return /^\d+$/.test(ejemplo ?? '') ? ejemplo : `${rotulo} (falta)`
    case 'numero':
      return min ?? 1
    case 'si-no':
      return false
    case 'eleccion':
    case 'tono':
      return opciones?.[0]?.[0]
    case 'fecha':
      return '2025-01-01'
    case 'hora':
      return '12:00'
    case 'momento':
      return '2025-01-01T12:00:00-06:00'
    case 'cumple':
      return '1 de enero'
    case 'enlace':
      return ejemplo ?? 'https://www.google.com/maps'
    case 'logo':
      return MISSING_LOGO
    case 'id':
      return `falta-${place
        .join('-')
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')}`
    default:
      return undefined
  }
}

/** The value with each missing file replaced by the published one, or by an empty path. */
function withoutMissingFiles(
  descriptor: Descriptor,
  valor: unknown,
  published: unknown,
  exists: (filePath: string) => boolean,
): unknown {
  let healed = valor
  for (const { camino, clase } of filePlaces(descriptor, valor)) {
    const path = clase === 'foto' ? [...camino, 'foto'] : camino
    const filePath = valorEn(valor, path)
    if (typeof filePath !== 'string' || filePath === '' || exists(filePath)) continue
    const stood = valorEn(published, path)
    const other = typeof stood === 'string' && exists(stood) ? stood : ''
    healed = conValor(healed, path, other)
  }
  return healed
}

function filePlaces(
  descriptor: Descriptor,
  valor: unknown,
  path: FieldPath = [],
): { camino: FieldPath; clase: string }[] {
  if (valor === undefined || valor === null) return []
  if (descriptor.clase === 'lista')
    return Array.isArray(valor) ? valor.flatMap((item, at) => filePlaces(descriptor.de, item, [...path, at])) : []
  if (descriptor.clase === 'grupo')
    return descriptor.campos.flatMap(({ nombre, campo }) =>
      filePlaces(campo, valorEn(valor, [nombre]), [...path, nombre]),
    )
  return ['foto', 'logo', 'video', 'documento'].includes(descriptor.clase)
    ? [{ camino: path, clase: descriptor.clase }]
    : []
}
