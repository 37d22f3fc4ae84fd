import * as v from 'valibot'
import { formatLongDate } from '#app/core/time/mexico-dates.ts'
import { type FieldPath, valueAt } from './field-path.ts'

/** Kind of a form field; each kind but `id` has its input in the panel. */
type FieldKind =
  | 'text'
  /** Text of several lines. */
  | 'longText'
  /** Text of one or two lines; two are stored as a list. */
  | 'lines'
  /** Paragraph, or a list whose lines begin with a hyphen. */
  | 'paragraph'
  | 'number'
  | 'yesNo'
  | 'choice'
  /** Colour of a candidate, by name. */
  | 'tone'
  /** Day such as 2025-09-12. */
  | 'date'
  /** Date and time with their zone, shown in Mexico City's time. */
  | 'moment'
  /** Time of day in Mexico City, such as «19:30». */
  | 'time'
  /** Colour of six digits, such as #ff2d8f. */
  | 'color'
  /** Day and month in words: «7 de agosto». */
  | 'birthday'
  | 'link'
  /** File, alternative text and focal point of a photograph. */
  | 'photo'
  | 'logo'
  | 'video'
  | 'document'
  /** Id of a candidate. */
  | 'candidate'
  /** Id that the site creates and no screen shows. */
  | 'id'

/** Metadata of a schema for its form field, beside `v.title`, `v.description` and `v.examples`. */
export interface FieldMetadata extends Record<string, unknown> {
  kind?: FieldKind
  /** Whether the screen emphasises words between *asterisks*. */
  hasEmphasis?: boolean
  /** Whether the text may have the marks of app/core/text/rich-text.ts. */
  hasMarks?: boolean
  /** Labels of a choice by value. */
  options?: Record<string, string>
  /** Name of one item of a list: «noticia». */
  itemName?: string
  /** Labels of a record's keys; the form shows no other keys. */
  keyLabels?: Record<string, string>
  /** Whether the field is stored but left out of the form. */
  isHidden?: boolean
  /** Accepted extensions of a file's name. */
  extensions?: string[]
  frame?: PhotoFrame
}

/** The frame in which screens show a photograph. */
export interface PhotoFrame {
  /** Width in pixels below which the panel warns about a photograph. */
  minWidth: number
  /** Width of the frame divided by its height. */
  aspectRatios: { phone: number; desktop: number }
}

interface SharedDescriptorProps {
  label: string
  help?: string
  isOptional: boolean
  isHidden?: boolean
}

export interface LeafDescriptor extends SharedDescriptorProps {
  kind: FieldKind
  example?: string
  hasEmphasis?: boolean
  hasMarks?: boolean
  /** Minimum of a number's value. */
  min?: number
  /** Maximum of a number's value, or of a text's length in characters. */
  max?: number
  options?: [value: string, label: string][]
  extensions?: string[]
  frame?: PhotoFrame
}

export interface GroupDescriptor extends SharedDescriptorProps {
  kind: 'group'
  /** Fields by name; those of a tuple by index. */
  fields: { name: string | number; descriptor: FieldDescriptor }[]
}

export interface ListDescriptor extends SharedDescriptorProps {
  kind: 'list'
  itemName: string
  item: FieldDescriptor
  min: number
  max?: number
}

/** A form field as plain data for the browser. */
export type FieldDescriptor = LeafDescriptor | GroupDescriptor | ListDescriptor

type FieldSchema = v.GenericSchema

/** Returns the schemas and actions of a pipe, the innermost pipe's first. */
function pipeItemsOf(schema: FieldSchema): { kind: string; type: string; requirement?: unknown }[] {
  const pipe = (schema as { pipe?: FieldSchema[] }).pipe
  if (!pipe) return [schema]
  return [...pipeItemsOf(pipe[0]!), ...pipe.slice(1)]
}

const numericConstraintOf = (schema: FieldSchema, ...types: string[]): number | undefined => {
  const lastConstraint = pipeItemsOf(schema).findLast(
    ({ type, requirement }) => types.includes(type) && typeof requirement === 'number',
  )
  return lastConstraint?.requirement as number | undefined
}

/**
 * Derives the form of a schema.
 * @param label replaces the schema's own title
 * @throws Error for a field whose schema has no title or no kind
 */
export function describeSchema(schema: FieldSchema, label?: string, schemaPath = ''): FieldDescriptor {
  const [base] = pipeItemsOf(schema) as [FieldSchema]
  const { type } = base as { type: string }
  if (type === 'optional') {
    const { wrapped } = base as unknown as { wrapped: FieldSchema }
    return { ...describeSchema(wrapped, label ?? v.getTitle(schema), schemaPath), isOptional: true }
  }
  const metadata = v.getMetadata(schema) as FieldMetadata
  const title = label ?? v.getTitle(schema)
  if (title === undefined) throw new Error(`${schemaPath} has no title`)
  const help = v.getDescription(schema)
  const sharedProps: SharedDescriptorProps = {
    label: title,
    isOptional: false,
    ...(help === undefined ? {} : { help }),
    ...(metadata.isHidden ? { isHidden: true } : {}),
  }
  const describeInner = (name: string | number, innerSchema: FieldSchema, ownLabel?: string) =>
    describeSchema(innerSchema, ownLabel, `${schemaPath}.${name}`)
  if (metadata.kind === undefined) {
    if (type === 'strict_object') {
      const { entries } = base as unknown as { entries: Record<string, FieldSchema> }
      const fields = Object.entries(entries).map(([name, entrySchema]) => ({
        name,
        descriptor: describeInner(name, entrySchema),
      }))
      return { ...sharedProps, kind: 'group', fields }
    }
    if (type === 'tuple') {
      const { items } = base as unknown as { items: FieldSchema[] }
      return {
        ...sharedProps,
        kind: 'group',
        fields: items.map((itemSchema, name) => ({ name, descriptor: describeInner(name, itemSchema) })),
      }
    }
    if (type === 'record') {
      const { value } = base as unknown as { value: FieldSchema }
      const fields = Object.entries(metadata.keyLabels ?? {}).map(([name, ownLabel]) => ({
        name,
        descriptor: describeInner(name, value, ownLabel),
      }))
      return { ...sharedProps, kind: 'group', fields }
    }
    if (type === 'array') {
      const { item } = base as unknown as { item: FieldSchema }
      const itemName = metadata.itemName ?? 'renglón'
      const max = numericConstraintOf(schema, 'length', 'max_length')
      const min = numericConstraintOf(schema, 'length', 'min_length') ?? 0
      return {
        ...sharedProps,
        kind: 'list',
        itemName,
        item: describeInner(0, item, v.getTitle(item) ?? capitalize(itemName)),
        min,
        ...(max !== undefined && { max }),
      }
    }
  }
  return describeLeaf(schema, base, metadata, sharedProps, schemaPath)
}

/** Field kinds that follow from a schema's type, so that such a schema needs no `kind`. */
const KIND_BY_TYPE: Record<string, FieldKind> = { number: 'number', boolean: 'yesNo', picklist: 'choice' }

function describeLeaf(
  schema: FieldSchema,
  base: FieldSchema,
  metadata: FieldMetadata,
  shared: SharedDescriptorProps,
  schemaPath: string,
): LeafDescriptor {
  const { type, options } = base as unknown as { type: string; options?: unknown[] }
  const kind = metadata.kind ?? KIND_BY_TYPE[type]
  if (kind === undefined) throw new Error(`${schemaPath} has no kind`)
  const example = (v.getExamples(schema) as readonly unknown[])[0]
  const min = numericConstraintOf(schema, 'min_value')
  const max = numericConstraintOf(schema, 'max_value', 'max_length')
  const choices =
    type === 'picklist'
      ? options!.map(String).map((option): [string, string] => [option, metadata.options?.[option] ?? option])
      : undefined
  return {
    ...shared,
    kind,
    ...(example !== undefined && { example: String(example) }),
    ...(metadata.hasEmphasis && { hasEmphasis: true }),
    ...(metadata.hasMarks && { hasMarks: true }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(choices && { options: choices }),
    ...(metadata.extensions && { extensions: metadata.extensions }),
    ...(metadata.frame && { frame: metadata.frame }),
  }
}

export const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** Returns the descriptor at a path; undefined if the form has no such field. Every index of a list leads to its item. */
export function descriptorAt(descriptor: FieldDescriptor, path: FieldPath): FieldDescriptor | undefined {
  let current: FieldDescriptor | undefined = descriptor
  for (const step of path) {
    if (current?.kind === 'list' && typeof step === 'number') current = current.item
    else if (current?.kind === 'group') current = current.fields.find(({ name }) => name === step)?.descriptor
    else return undefined
  }
  return current
}

/**
 * Returns a path in the form's labels, with the names of items: «Noticias › Llegó el carrusel › Título».
 * @param value of the document
 */
export function fieldInWords(descriptor: FieldDescriptor, path: FieldPath, value: unknown): string {
  let current: FieldDescriptor | undefined = descriptor
  // The label of a document that is a list comes before the item's number.
  const labels: string[] = descriptor.kind === 'list' && path.length > 0 ? [descriptor.label] : []
  for (const [index, step] of path.entries()) {
    if (current?.kind === 'list' && typeof step === 'number') {
      current = current.item
      labels.push(itemInWords(current, valueAt(value, path.slice(0, index + 1)), step))
    } else if (current?.kind === 'group') {
      current = current.fields.find(({ name }) => name === step)?.descriptor
      labels.push(current?.label ?? String(step))
    } else break
  }
  return labels.join(' › ')
}

/** Fields that name an item of a list, with the words for an item that has none yet. */
const NAMING_FIELDS = { nombre: 'sin nombre', titulo: 'sin título', que: 'sin nombre' } as const

/** A longer name of an item is cut, and ends with an ellipsis. */
const MAX_ITEM_NAME_CHARACTERS = 60

/** A call's names by the registration that it announces, since its own titles change when the registration closes. */
const CALL_NAMES: Record<string, string> = {
  candidatas: 'Convocatoria de candidatas',
  trajes: 'Convocatoria de trajes típicos',
}

/** Returns the name of a call that announces a registration; undefined for any other item. */
export const callNameOf = (item: unknown): string | undefined => CALL_NAMES[String(valueAt(item, ['registro']))]

/**
 * Returns an item's name, alternative text or day; without any its label, as «Noticia sin título» or, for an item without a name
 * field, «Párrafo 2».
 */
function itemInWords(descriptor: FieldDescriptor, item: unknown, index: number): string {
  const [ownName] = [...Object.keys(NAMING_FIELDS), 'alt'].flatMap(
    (field) => String(valueAt(item, [field]) ?? '').trim() || [],
  )
  const name = callNameOf(item) ?? ownName
  if (name)
    return name.length > MAX_ITEM_NAME_CHARACTERS ? `${name.slice(0, MAX_ITEM_NAME_CHARACTERS).trimEnd()}…` : name
  const day = String(valueAt(item, ['fecha']) ?? '')
  if (!Number.isNaN(Date.parse(`${day}T12:00Z`))) return formatLongDate(day)
  const fieldNames: unknown[] = descriptor.kind === 'group' ? descriptor.fields.map(({ name }) => name) : []
  const [, nameless] = Object.entries(NAMING_FIELDS).find(([field]) => fieldNames.includes(field)) ?? []
  return `${descriptor.label} ${nameless ?? index + 1}`
}

/** Returns all leaves with their paths; the item of a list appears once, with index 0. */
export function leavesOf(
  descriptor: FieldDescriptor,
  path: FieldPath = [],
): { path: FieldPath; leaf: LeafDescriptor }[] {
  if (descriptor.kind === 'group')
    return descriptor.fields.flatMap(({ name, descriptor }) => leavesOf(descriptor, [...path, name]))
  if (descriptor.kind === 'list') return leavesOf(descriptor.item, [...path, 0])
  return [{ path, leaf: descriptor }]
}

/** Returns the value of a newly added field: empty, without optional fields, with the minimum number of items in its lists. */
export function emptyValueOf(descriptor: FieldDescriptor): unknown {
  if (descriptor.kind === 'group') {
    const namedValues = descriptor.fields
      .filter(({ descriptor }) => !descriptor.isOptional)
      .map(({ name, descriptor }) => [name, emptyValueOf(descriptor)] as const)
    if (descriptor.fields.some(({ name }) => typeof name === 'number')) return namedValues.map(([, value]) => value)
    return Object.fromEntries(namedValues.filter(([, value]) => value !== undefined))
  }
  if (descriptor.kind === 'list') return Array.from({ length: descriptor.min }, () => emptyValueOf(descriptor.item))
  if (descriptor.kind === 'photo') return { foto: '', alt: '', foco: [50, 50] }
  if (descriptor.kind === 'yesNo') return false
  return descriptor.kind === 'number' ? undefined : ''
}
