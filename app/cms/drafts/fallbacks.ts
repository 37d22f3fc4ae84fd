import * as v from 'valibot'
import { ARCHIVOS } from '#app/cms/schema/edition-documents.ts'
import { type Camino, conValor, isIgual, valorEn } from '#app/cms/schema/edits.ts'
import { contradicciones, type Documento, descriptorDe } from '#app/cms/schema/faults.ts'
import { campoEn, type Descriptor, type Hoja, vacioDe } from '#app/cms/schema/field-descriptor.ts'
import type { Valores } from '#app/cms/schema/read-content.server.ts'

/** Stands in a preview where a photograph or a logo is missing. */
export const FOTO_QUE_FALTA = 'falta/foto.jpg'
export const LOGO_QUE_FALTA = 'falta/logo.svg'

/** Mending one fault may bring another to light; so often at most. */
const VUELTAS = 8

/**
 * The documents of a draft as a screen can show them: whatever is missing or wrong is as it is published, and where
 * nothing is, something neutral stands in its place. Nothing of this is ever kept.
 * @param existe whether a file of the edition is there
 */
export function sanar(valores: Valores, publicados: Valores, existe: (ruta: string) => boolean): Valores {
  const healed = Object.fromEntries(
    (Object.keys(ARCHIVOS) as Documento[]).map((documento) => {
      const [valor, publicado] = [valores[documento], publicados[documento]]
      return [documento, isIgual(valor, publicado) ? publicado : sanarDocumento(documento, valor, publicado, existe)]
    }),
  )
  // A winner who is no candidate any more is nobody.
  if (contradicciones(healed).length > 0)
    healed['popularidad.yaml'] = conValor(healed['popularidad.yaml'], ['ganadora'], undefined)
  return healed
}

function sanarDocumento(documento: Documento, valor: unknown, publicado: unknown, existe: (ruta: string) => boolean) {
  const descriptor = descriptorDe(documento)
  let healed = conArchivos(descriptor, valor, publicado, existe)
  for (let turn = 0; turn < VUELTAS; turn++) {
    const { success, issues = [] } = v.safeParse(ARCHIVOS[documento], healed)
    if (success) return healed
    for (const { path = [], input } of issues) {
      const campo = path.map(({ key }) => key as string | number)
      healed = conRemedio(descriptor, healed, campo, input, turn === 0 ? publicado : undefined)
    }
  }
  return publicado
}

/** Mends one fault. @param publicado where there is something that may stand in its place */
function conRemedio(
  descriptor: Descriptor,
  valor: unknown,
  campo: Camino,
  input: unknown,
  publicado: unknown,
): unknown {
  const { place, hoja } = enElCampo(descriptor, campo)
  if (!hoja) return conValor(valor, campo, undefined)
  const stood = valorEn(publicado, place)
  const said = valorEn(valor, place)
  if (hoja.clase === 'foto') {
    const { foto, alt, foco } = (typeof said === 'object' && said ? said : {}) as Record<string, unknown>
    return conValor(valor, place, {
      foto: typeof foto === 'string' && foto !== '' ? foto : FOTO_QUE_FALTA,
      alt: typeof alt === 'string' && alt.trim() !== '' ? alt.slice(0, 500) : `${hoja.rotulo} (falta)`,
      foco: Array.isArray(foco) && foco.length === 2 ? foco : [50, 50],
    })
  }
  if (typeof input === 'string' && hoja.clase.startsWith('texto') && 'max' in hoja && input.length > hoja.max!)
    return conValor(valor, place, input.slice(0, hoja.max))
  if (stood !== undefined && !isIgual(stood, said)) return conValor(valor, place, stood)
  if (hoja.opcional && hoja.clase !== 'lista') return conValor(valor, place, undefined)
  if (hoja.clase === 'lista' || hoja.clase === 'grupo') return conValor(valor, place, vacioDe(hoja))
  const neutral = neutralDe(hoja, place)
  if (neutral !== undefined) return conValor(valor, place, neutral)
  // A video, say: what it belongs to goes, if it may.
  const holder = opcionalAlrededor(descriptor, place)
  return holder ? conValor(valor, holder, undefined) : valor
}

/** The field that is written by itself and holds a place, or the group or list at fault. */
function enElCampo(descriptor: Descriptor, campo: Camino): { place: Camino; hoja: Descriptor | undefined } {
  for (let length = 0; length <= campo.length; length++) {
    const place = campo.slice(0, length)
    const here = campoEn(descriptor, place)
    if (here && here.clase !== 'grupo' && here.clase !== 'lista') return { place, hoja: here }
  }
  return { place: campo, hoja: campoEn(descriptor, campo) }
}

function opcionalAlrededor(descriptor: Descriptor, place: Camino): Camino | undefined {
  for (let length = place.length; length > 0; length--)
    if (campoEn(descriptor, place.slice(0, length))?.opcional) return place.slice(0, length)
  return undefined
}

/** Something that a field may say while it says nothing. */
function neutralDe({ clase, rotulo, ejemplo, opciones, min }: Hoja, place: Camino): unknown {
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
      return LOGO_QUE_FALTA
    case 'id':
      return `falta-${place
        .join('-')
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')}`
    default:
      return undefined
  }
}

/** The same value without the files that are not there. */
function conArchivos(
  descriptor: Descriptor,
  valor: unknown,
  publicado: unknown,
  existe: (ruta: string) => boolean,
): unknown {
  let healed = valor
  for (const { camino, clase } of lugaresDeArchivos(descriptor, valor)) {
    const path = clase === 'foto' ? [...camino, 'foto'] : camino
    const ruta = valorEn(valor, path)
    if (typeof ruta !== 'string' || ruta === '' || existe(ruta)) continue
    const stood = valorEn(publicado, path)
    const other = typeof stood === 'string' && existe(stood) ? stood : ''
    healed = conValor(healed, path, other)
  }
  return healed
}

function lugaresDeArchivos(
  descriptor: Descriptor,
  valor: unknown,
  camino: Camino = [],
): { camino: Camino; clase: string }[] {
  if (valor === undefined || valor === null) return []
  if (descriptor.clase === 'lista')
    return Array.isArray(valor)
      ? valor.flatMap((item, at) => lugaresDeArchivos(descriptor.de, item, [...camino, at]))
      : []
  if (descriptor.clase === 'grupo')
    return descriptor.campos.flatMap(({ nombre, campo }) =>
      lugaresDeArchivos(campo, valorEn(valor, [nombre]), [...camino, nombre]),
    )
  return ['foto', 'logo', 'video', 'documento'].includes(descriptor.clase) ? [{ camino, clase: descriptor.clase }] : []
}
