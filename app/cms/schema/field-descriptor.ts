import * as v from 'valibot'
import type { FieldPath } from './edits.ts'

/** Kinds of form fields; each kind has its input in the panel. */
type FieldKind =
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
  /** The id of a candidate. */
  | 'persona'
  /** An id that the site makes and no screen shows. */
  | 'id'

/** Data of a schema for its form field, beside `v.title`, `v.description` and `v.examples`. */
export interface FieldMetadata extends Record<string, unknown> {
  clase?: FieldKind
  /** Words between *asterisks* are emphasised on the screen. */
  enfasis?: boolean
  /** Value of a choice → its label. */
  opciones?: Record<string, string>
  /** Name of one item of a list: «noticia». */
  uno?: string
  /** Keys of a record → their labels. */
  claves?: Record<string, string>
  /** Stored, but left out of the form. */
  oculto?: boolean
  /** How a file's name may end. */
  extensiones?: string[]
  marco?: PhotoFrame
}

/** The frame in which the screens show a photograph. */
export interface PhotoFrame {
  /** Smallest width of a photograph, in pixels. */
  minimoAncho: number
  /** Width divided by height. */
  proporciones: { telefono: number; escritorio: number }
}

interface SharedProps {
  label: string
  help?: string
  isOptional: boolean
  isHidden?: boolean
}

export interface Leaf extends SharedProps {
  kind: FieldKind
  example?: string
  hasEmphasis?: boolean
  /** Limits of a text's length in characters, or of a number's value. */
  min?: number
  max?: number
  /** Values of a choice, each with its label. */
  options?: [valor: string, palabras: string][]
  /** How a file's name may end. */
  extensions?: string[]
  /** Only for a photograph. */
  frame?: PhotoFrame
}

export interface Group extends SharedProps {
  kind: 'grupo'
  fields: { name: string | number; descriptor: Descriptor }[]
}

export interface List extends SharedProps {
  kind: 'lista'
  /** Name of one item. */
  itemName: string
  item: Descriptor
  min: number
  max?: number
}

/** A form field, as plain data that goes to the browser. */
export type Descriptor = Leaf | Group | List

type FieldSchema = v.GenericSchema

/** The schemas and actions of a pipe, nested ones first. */
function pipeItemsOf(schema: FieldSchema): { kind: string; type: string; requirement?: unknown }[] {
  const pipe = (schema as { pipe?: FieldSchema[] }).pipe
  if (!pipe) return [schema]
  return [...pipeItemsOf(pipe[0]!), ...pipe.slice(1)]
}

const numberOf = (schema: FieldSchema, ...types: string[]): number | undefined => {
  const found = pipeItemsOf(schema).findLast(
    ({ type, requirement }) => types.includes(type) && typeof requirement === 'number',
  )
  return found?.requirement as number | undefined
}

/**
 * Describes the form of a schema.
 * @param label replaces the schema's own title
 * @throws Error naming a field whose schema has no title or no kind
 */
export function describeSchema(schema: FieldSchema, label?: string, where = ''): Descriptor {
  const [base] = pipeItemsOf(schema) as [FieldSchema]
  const { type } = base as { type: string }
  if (type === 'optional') {
    const { wrapped } = base as unknown as { wrapped: FieldSchema }
    return { ...describeSchema(wrapped, label ?? v.getTitle(schema), where), isOptional: true }
  }
  const data = v.getMetadata(schema) as FieldMetadata
  const title = label ?? v.getTitle(schema)
  if (title === undefined) throw new Error(`${where} has no title`)
  const help = v.getDescription(schema)
  const shared: SharedProps = {
    label: title,
    isOptional: false,
    ...(help === undefined ? {} : { help }),
    ...(data.oculto ? { isHidden: true } : {}),
  }
  const inner = (name: string | number, one: FieldSchema, its?: string) => describeSchema(one, its, `${where}.${name}`)
  if (data.clase === undefined) {
    if (type === 'strict_object') {
      const { entries } = base as unknown as { entries: Record<string, FieldSchema> }
      const fields = Object.entries(entries).map(([name, one]) => ({ name, descriptor: inner(name, one) }))
      return { ...shared, kind: 'grupo', fields }
    }
    if (type === 'tuple') {
      const { items } = base as unknown as { items: FieldSchema[] }
      return {
        ...shared,
        kind: 'grupo',
        fields: items.map((one, name) => ({ name, descriptor: inner(name, one) })),
      }
    }
    if (type === 'record') {
      const { value } = base as unknown as { value: FieldSchema }
      const fields = Object.entries(data.claves ?? {}).map(([name, its]) => ({
        name,
        descriptor: inner(name, value, its),
      }))
      return { ...shared, kind: 'grupo', fields }
    }
    if (type === 'array') {
      const { item } = base as unknown as { item: FieldSchema }
      const itemName = data.uno ?? 'renglón'
      const max = numberOf(schema, 'length', 'max_length')
      const min = numberOf(schema, 'length', 'min_length') ?? 0
      return {
        ...shared,
        kind: 'lista',
        itemName,
        item: inner(0, item, v.getTitle(item) ?? capital(itemName)),
        min,
        ...(max !== undefined && { max }),
      }
    }
  }
  return leafOf(schema, base, data, shared, where)
}

/** Field kinds that follow from the schema's type. */
const KIND_BY_TYPE: Record<string, FieldKind> = { number: 'numero', boolean: 'si-no', picklist: 'eleccion' }

function leafOf(schema: FieldSchema, base: FieldSchema, data: FieldMetadata, shared: SharedProps, where: string): Leaf {
  const { type, options } = base as unknown as { type: string; options?: unknown[] }
  const kind = data.clase ?? KIND_BY_TYPE[type]
  if (kind === undefined) throw new Error(`${where} has no class`)
  const example = (v.getExamples(schema) as readonly unknown[])[0]
  const min = numberOf(schema, 'min_value')
  const max = numberOf(schema, 'max_value', 'max_length')
  const choices =
    type === 'picklist'
      ? options!.map(String).map((one): [string, string] => [one, data.opciones?.[one] ?? one])
      : undefined
  return {
    ...shared,
    kind,
    ...(example !== undefined && { example: String(example) }),
    ...(data.enfasis && { hasEmphasis: true }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(choices && { options: choices }),
    ...(data.extensiones && { extensions: data.extensiones }),
    ...(data.marco && { frame: data.marco }),
  }
}

export const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** The descriptor at a path; undefined where the form has none. */
export function fieldAt(descriptor: Descriptor, path: FieldPath): Descriptor | undefined {
  let here: Descriptor | undefined = descriptor
  for (const step of path) {
    if (here?.kind === 'lista' && typeof step === 'number') here = here.item
    else if (here?.kind === 'grupo') here = here.fields.find(({ name }) => name === step)?.descriptor
    else return undefined
  }
  return here
}

/** A path by the form's labels: «Noticias › 2 › Título». */
export function inWords(descriptor: Descriptor, path: FieldPath): string {
  let here: Descriptor | undefined = descriptor
  // If the document itself is a list, its label comes before the item's number.
  const said: string[] = descriptor.kind === 'lista' && path.length > 0 ? [descriptor.label] : []
  for (const step of path) {
    if (here?.kind === 'lista' && typeof step === 'number') {
      here = here.item
      said.push(String(step + 1))
    } else if (here?.kind === 'grupo') {
      here = here.fields.find(({ name }) => name === step)?.descriptor
      said.push(here?.label ?? String(step))
    } else break
  }
  return said.join(' › ')
}

/** Every leaf field with its path. A list's items appear once, with index 0. */
export function leavesOf(descriptor: Descriptor, path: FieldPath = []): { path: FieldPath; leaf: Leaf }[] {
  if (descriptor.kind === 'grupo')
    return descriptor.fields.flatMap(({ name, descriptor }) => leavesOf(descriptor, [...path, name]))
  if (descriptor.kind === 'lista') return leavesOf(descriptor.item, [...path, 0])
  return [{ path, leaf: descriptor }]
}

/** The value of a newly added item: empty, with the minimum number of items in its lists. */
export function emptyValueOf(descriptor: Descriptor): unknown {
  if (descriptor.kind === 'grupo') {
    const said = descriptor.fields
      .filter(({ descriptor }) => !descriptor.isOptional)
      .map(({ name, descriptor }) => [name, emptyValueOf(descriptor)] as const)
    if (descriptor.fields.some(({ name }) => typeof name === 'number')) return said.map(([, value]) => value)
    return Object.fromEntries(said.filter(([, value]) => value !== undefined))
  }
  if (descriptor.kind === 'lista') return Array.from({ length: descriptor.min }, () => emptyValueOf(descriptor.item))
  if (descriptor.kind === 'foto') return { foto: '', alt: '', foco: [50, 50] }
  if (descriptor.kind === 'si-no') return false
  return descriptor.kind === 'numero' ? undefined : ''
}
