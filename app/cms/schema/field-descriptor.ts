import * as v from 'valibot'
import type { Camino } from './edits.ts'

/** How a field is written: each has one input in the panel. */
type ClaseDeHoja =
  | 'texto'
  /** Several lines. */
  | 'texto-largo'
  /** One line or two, as a list when there are two. */
  | 'renglones'
  /** A paragraph, or a list whose lines begin with a hyphen. */
  | 'parrafo'
  | 'numero'
  | 'si-no'
  | 'eleccion'
  /** A candidate's colour. */
  | 'tono'
  /** A day: 2025-09-12. */
  | 'fecha'
  /** Day and hour with their zone, shown by the clocks of Mexico City. */
  | 'momento'
  /** An hour of Mexico City: «19:30». */
  | 'hora'
  /** A colour of six digits: #ff2d8f. */
  | 'color'
  /** Day and month in words: «7 de agosto». */
  | 'cumple'
  | 'enlace'
  /** File, alternative text and focal point together. */
  | 'foto'
  | 'logo'
  | 'video'
  | 'documento'
  /** Another's id: one of the candidates. */
  | 'persona'
  /** Made by the site, and shown nowhere. */
  | 'id'

/** What a schema says of a field for whoever writes it, beside `v.title`, `v.description` and `v.examples`. */
export interface DatosDeCampo extends Record<string, unknown> {
  clase?: ClaseDeHoja
  /** Words between *asterisks* are set apart by the design. */
  enfasis?: boolean
  /** Words for the values of a choice. */
  opciones?: Record<string, string>
  /** What one item of a list is called: «noticia». */
  uno?: string
  /** Names of a group whose names are free, each with its title. */
  claves?: Record<string, string>
  /** Kept, but not offered to be written. */
  oculto?: boolean
  /** How a file's name may end. */
  extensiones?: string[]
  marco?: MarcoDeFoto
}

/** The frame in which the screens show a photograph. */
export interface MarcoDeFoto {
  /** Pixels that it needs across. */
  minimoAncho: number
  /** Width by height. */
  proporciones: { telefono: number; escritorio: number }
}

interface Comun {
  rotulo: string
  ayuda?: string
  opcional: boolean
  oculto?: boolean
}

export interface Hoja extends Comun {
  clase: ClaseDeHoja
  ejemplo?: string
  enfasis?: boolean
  /** Characters of a text, or the number itself. */
  min?: number
  max?: number
  /** Values of a choice, each with its words. */
  opciones?: [valor: string, palabras: string][]
  /** How a file's name may end. */
  extensiones?: string[]
  /** Of a photograph. */
  marco?: MarcoDeFoto
}

export interface Grupo extends Comun {
  clase: 'grupo'
  campos: { nombre: string | number; campo: Descriptor }[]
}

export interface Lista extends Comun {
  clase: 'lista'
  /** What one item is called. */
  uno: string
  de: Descriptor
  min: number
  max?: number
}

/** What the panel knows of a field, plain data that goes to the browser. */
export type Descriptor = Hoja | Grupo | Lista

type Esquema = v.GenericSchema

/** The schemas and actions of a pipe, nested ones first. */
function piezasDe(schema: Esquema): { kind: string; type: string; requirement?: unknown }[] {
  const pipe = (schema as { pipe?: Esquema[] }).pipe
  if (!pipe) return [schema]
  return [...piezasDe(pipe[0]!), ...pipe.slice(1)]
}

const numeroDe = (schema: Esquema, ...types: string[]): number | undefined => {
  const found = piezasDe(schema).findLast(
    ({ type, requirement }) => types.includes(type) && typeof requirement === 'number',
  )
  return found?.requirement as number | undefined
}

/**
 * What can be written under a schema, and how.
 * @param rotulo a title that the schema around gives; else the schema's own
 * @throws Error naming the field that has no title or no class: the schema has to say them
 */
export function describir(schema: Esquema, rotulo?: string, where = ''): Descriptor {
  const [base] = piezasDe(schema) as [Esquema]
  const { type } = base as { type: string }
  if (type === 'optional') {
    const { wrapped } = base as unknown as { wrapped: Esquema }
    return { ...describir(wrapped, rotulo ?? v.getTitle(schema), where), opcional: true }
  }
  const datos = v.getMetadata(schema) as DatosDeCampo
  const title = rotulo ?? v.getTitle(schema)
  if (title === undefined) throw new Error(`${where} has no title`)
  const ayuda = v.getDescription(schema)
  const comun: Comun = {
    rotulo: title,
    opcional: false,
    ...(ayuda === undefined ? {} : { ayuda }),
    ...(datos.oculto ? { oculto: true } : {}),
  }
  const inner = (name: string | number, one: Esquema, its?: string) => describir(one, its, `${where}.${name}`)
  if (datos.clase === undefined) {
    if (type === 'strict_object') {
      const { entries } = base as unknown as { entries: Record<string, Esquema> }
      const campos = Object.entries(entries).map(([nombre, one]) => ({ nombre, campo: inner(nombre, one) }))
      return { ...comun, clase: 'grupo', campos }
    }
    if (type === 'tuple') {
      const { items } = base as unknown as { items: Esquema[] }
      return { ...comun, clase: 'grupo', campos: items.map((one, nombre) => ({ nombre, campo: inner(nombre, one) })) }
    }
    if (type === 'record') {
      const { value } = base as unknown as { value: Esquema }
      const campos = Object.entries(datos.claves ?? {}).map(([nombre, its]) => ({
        nombre,
        campo: inner(nombre, value, its),
      }))
      return { ...comun, clase: 'grupo', campos }
    }
    if (type === 'array') {
      const { item } = base as unknown as { item: Esquema }
      const uno = datos.uno ?? 'renglón'
      const max = numeroDe(schema, 'length', 'max_length')
      const min = numeroDe(schema, 'length', 'min_length') ?? 0
      return {
        ...comun,
        clase: 'lista',
        uno,
        de: inner(0, item, v.getTitle(item) ?? capital(uno)),
        min,
        ...(max !== undefined && { max }),
      }
    }
  }
  return hojaDe(schema, base, datos, comun, where)
}

/** Classes of values that say by their type what they are. */
const POR_TIPO: Record<string, ClaseDeHoja> = { number: 'numero', boolean: 'si-no', picklist: 'eleccion' }

function hojaDe(schema: Esquema, base: Esquema, datos: DatosDeCampo, comun: Comun, where: string): Hoja {
  const { type, options } = base as unknown as { type: string; options?: unknown[] }
  const clase = datos.clase ?? POR_TIPO[type]
  if (clase === undefined) throw new Error(`${where} has no class`)
  const ejemplo = (v.getExamples(schema) as readonly unknown[])[0]
  const min = numeroDe(schema, 'min_value')
  const max = numeroDe(schema, 'max_value', 'max_length')
  const opciones =
    type === 'picklist'
      ? options!.map(String).map((one): [string, string] => [one, datos.opciones?.[one] ?? one])
      : undefined
  return {
    ...comun,
    clase,
    ...(ejemplo !== undefined && { ejemplo: String(ejemplo) }),
    ...(datos.enfasis && { enfasis: true }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(opciones && { opciones }),
    ...(datos.extensiones && { extensiones: datos.extensiones }),
    ...(datos.marco && { marco: datos.marco }),
  }
}

export const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** What stands at a place below a descriptor; undefined where nothing can be written. */
export function campoEn(descriptor: Descriptor, camino: Camino): Descriptor | undefined {
  let here: Descriptor | undefined = descriptor
  for (const paso of camino) {
    if (here?.clase === 'lista' && typeof paso === 'number') here = here.de
    else if (here?.clase === 'grupo') here = here.campos.find(({ nombre }) => nombre === paso)?.campo
    else return undefined
  }
  return here
}

/** A place in the words of the form: «Noticias › 2 › Título». */
export function enPalabras(descriptor: Descriptor, camino: Camino): string {
  let here: Descriptor | undefined = descriptor
  // An item of a document that is a list has no other word before its number.
  const said: string[] = descriptor.clase === 'lista' && camino.length > 0 ? [descriptor.rotulo] : []
  for (const paso of camino) {
    if (here?.clase === 'lista' && typeof paso === 'number') {
      here = here.de
      said.push(String(paso + 1))
    } else if (here?.clase === 'grupo') {
      here = here.campos.find(({ nombre }) => nombre === paso)?.campo
      said.push(here?.rotulo ?? String(paso))
    } else break
  }
  return said.join(' › ')
}

/** Every field that is written by itself, with its place. Items of lists stand once, at 0. */
export function hojasDe(descriptor: Descriptor, camino: Camino = []): { camino: Camino; hoja: Hoja }[] {
  if (descriptor.clase === 'grupo')
    return descriptor.campos.flatMap(({ nombre, campo }) => hojasDe(campo, [...camino, nombre]))
  if (descriptor.clase === 'lista') return hojasDe(descriptor.de, [...camino, 0])
  return [{ camino, hoja: descriptor }]
}

/** The value of something that was just added: empty, and with as many items as there must be. */
export function vacioDe(descriptor: Descriptor): unknown {
  if (descriptor.clase === 'grupo') {
    const said = descriptor.campos
      .filter(({ campo }) => !campo.opcional)
      .map(({ nombre, campo }) => [nombre, vacioDe(campo)] as const)
    if (descriptor.campos.some(({ nombre }) => typeof nombre === 'number')) return said.map(([, value]) => value)
    return Object.fromEntries(said.filter(([, value]) => value !== undefined))
  }
  if (descriptor.clase === 'lista') return Array.from({ length: descriptor.min }, () => vacioDe(descriptor.de))
  if (descriptor.clase === 'foto') return { foto: '', alt: '', foco: [50, 50] }
  if (descriptor.clase === 'si-no') return false
  return descriptor.clase === 'numero' ? undefined : ''
}
