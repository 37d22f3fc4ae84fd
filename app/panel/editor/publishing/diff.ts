import { type Camino, isIgual, valorEn } from '#app/cms/schema/edits.ts'
import { type Documento, descriptorDe, isDocumento } from '#app/cms/schema/faults.ts'
import { campoEn, type Descriptor, enPalabras } from '#app/cms/schema/field-descriptor.ts'

/** One field that says something else than before, in the words of the form. */
export interface Cambio {
  documento: string
  campo: Camino
  donde: string
  /** What stood there and what stands there now; undefined: nothing. */
  antes: Dicho | undefined
  ahora: Dicho | undefined
}

/** A value as people read it: words, or a picture or file by its path in the edition. */
export type Dicho = { texto: string } | { foto: string; alt: string } | { archivo: string }

/** What differs between two states of an edition's documents, in the order of the forms. */
export function cambiosEntre(antes: Record<string, unknown>, ahora: Record<string, unknown>): Cambio[] {
  return Object.keys({ ...antes, ...ahora })
    .filter(isDocumento)
    .flatMap((documento) => diferencias(documento, descriptorDe(documento), [], antes[documento], ahora[documento]))
}

function diferencias(documento: Documento, raiz: Descriptor, campo: Camino, antes: unknown, ahora: unknown): Cambio[] {
  if (isIgual(antes, ahora)) return []
  const descriptor = campoEn(raiz, campo)
  // The site writes it down by itself.
  if (descriptor?.clase !== 'grupo' && descriptor?.oculto && campo.at(-1) === 'id') return []
  const deeper = (key: string | number) =>
    diferencias(documento, raiz, [...campo, key], valorEn(antes, [key]), valorEn(ahora, [key]))
  if (descriptor?.clase === 'grupo' && isGroup(antes) && isGroup(ahora))
    return Object.keys({ ...antes, ...ahora }).flatMap(deeper)
  if (descriptor?.clase === 'lista' && Array.isArray(antes) && Array.isArray(ahora)) {
    if (antes.length === ahora.length) return antes.flatMap((_, place) => deeper(place))
    // Of a longer or a shorter list, what came and what went is said, item by item.
    const came = ahora.flatMap((item, place) => (antes.some((one) => isIgual(one, item)) ? [] : [place]))
    const went = antes.flatMap((item, place) => (ahora.some((one) => isIgual(one, item)) ? [] : [place]))
    const line = (place: number, before: unknown, after: unknown): Cambio => ({
      ...{ documento, campo: [...campo, place], donde: enPalabras(raiz, [...campo, place]) },
      antes: dichoDe(before),
      ahora: dichoDe(after),
    })
    return [
      ...came.map((place) => line(place, undefined, ahora[place])),
      ...went.map((place) => line(place, antes[place], undefined)),
    ]
  }
  return [{ documento, campo, donde: enPalabras(raiz, campo), antes: dichoDe(antes), ahora: dichoDe(ahora) }]
}

const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const ARCHIVO = /^[\w-]+\/[\w./-]+\.\w+$/

/** Says a value in few words; of a group, what it begins with. */
function dichoDe(valor: unknown): Dicho | undefined {
  if (valor === undefined || valor === null || valor === '') return undefined
  if (typeof valor === 'string') return ARCHIVO.test(valor) ? { archivo: valor } : { texto: valor }
  if (typeof valor === 'boolean') return { texto: valor ? 'Sí' : 'No' }
  if (typeof valor !== 'object') return { texto: String(valor) }
  if ('foto' in valor && 'foco' in valor)
    return { foto: String(valor.foto), alt: 'alt' in valor ? String(valor.alt) : '' }
  const entries = Object.entries(valor).filter(([key]) => key !== 'id')
  const named = entries.filter(([key]) => key === 'nombre' || key === 'titulo' || key === 'que')
  for (const [, item] of [...named, ...entries]) {
    const said = dichoDe(item)
    if (said && 'texto' in said) return said
  }
  return undefined
}
