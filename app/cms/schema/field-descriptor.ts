import * as v from 'valibot'
import type { FieldPath } from './field-path.ts'

/** Each kind of form field has its input in the panel. */
type FieldKind =
  | 'text'
  /** A long text may have several lines. */
  | 'longText'
  /** A text of two lines is stored as a list, a text of one line as a text. */
  | 'lines'
  /** People type a paragraph, or a list whose lines begin with a hyphen. */
  | 'paragraph'
  | 'number'
  | 'yesNo'
  | 'choice'
  /** A tone is a candidate's colour. */
  | 'tone'
  /** A date is a day such as 2025-09-12. */
  | 'date'
  /** A moment is a day and hour with their zone, shown by the clocks of Mexico City. */
  | 'moment'
  /** A time is an hour of Mexico City such as «19:30». */
  | 'time'
  /** A colour has six digits, as #ff2d8f. */
  | 'color'
  /** A birthday is a day and month in words: «7 de agosto». */
  | 'birthday'
  | 'link'
  /** A photograph joins file, alternative text and focal point in one field. */
  | 'photo'
  | 'logo'
  | 'video'
  | 'document'
  /** The value is the id of a candidate. */
  | 'candidate'
  /** The site makes the id, and no screen shows it. */
  | 'id'

/** A schema carries this data for its form field, beside `v.title`, `v.description` and `v.examples`. */
export interface FieldMetadata extends Record<string, unknown> {
  kind?: FieldKind
  /** Words between *asterisks* are emphasised on the screen. */
  hasEmphasis?: boolean
  /** The text may have the marks of app/core/text/rich-text.ts. */
  hasMarks?: boolean
  /** Maps each value of a choice to its label. */
  options?: Record<string, string>
  /** Names one item of a list: «noticia». */
  itemName?: string
  /** Maps the keys of a record to their labels; the form shows no other key. */
  keyLabels?: Record<string, string>
  /** A hidden field is stored, but left out of the form. */
  isHidden?: boolean
  /** A file's name has to end with one of these extensions. */
  extensions?: string[]
  frame?: PhotoFrame
}

/** The screens show a photograph in a frame. */
export interface PhotoFrame {
  /** The panel warns about a photograph narrower than this many pixels. */
  minWidth: number
  /** A proportion is the frame's width divided by its height. */
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
  /** `min` and `max` limit a text's length in characters, or a number's value. */
  min?: number
  max?: number
  options?: [value: string, words: string][]
  extensions?: string[]
  /** Only a photograph has a frame. */
  frame?: PhotoFrame
}

export interface GroupDescriptor extends SharedDescriptorProps {
  kind: 'group'
  fields: { name: string | number; descriptor: FieldDescriptor }[]
}

export interface ListDescriptor extends SharedDescriptorProps {
  kind: 'list'
  itemName: string
  item: FieldDescriptor
  min: number
  max?: number
}

/** A descriptor describes a form field as plain data that goes to the browser. */
export type FieldDescriptor = LeafDescriptor | GroupDescriptor | ListDescriptor

type FieldSchema = v.GenericSchema

/** Returns the schemas and actions of a pipe, the innermost pipe first. */
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
 * Describes the form of a schema.
 * @param label replaces the schema's own title
 * @throws Error naming a field whose schema has no title or no kind
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
  const describeInner = (name: string | number, one: FieldSchema, ownLabel?: string) =>
    describeSchema(one, ownLabel, `${schemaPath}.${name}`)
  if (metadata.kind === undefined) {
    if (type === 'strict_object') {
      const { entries } = base as unknown as { entries: Record<string, FieldSchema> }
      const fields = Object.entries(entries).map(([name, one]) => ({ name, descriptor: describeInner(name, one) }))
      return { ...sharedProps, kind: 'group', fields }
    }
    if (type === 'tuple') {
      const { items } = base as unknown as { items: FieldSchema[] }
      return {
        ...sharedProps,
        kind: 'group',
        fields: items.map((one, name) => ({ name, descriptor: describeInner(name, one) })),
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

/** These field kinds follow from the schema's type, so that such a schema needs no `kind`. */
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
      ? options!.map(String).map((one): [string, string] => [one, metadata.options?.[one] ?? one])
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

/** Returns the descriptor at a path, or undefined where the form has no such field. Every index of a list leads to its item. */
export function descriptorAt(descriptor: FieldDescriptor, path: FieldPath): FieldDescriptor | undefined {
  let current: FieldDescriptor | undefined = descriptor
  for (const step of path) {
    if (current?.kind === 'list' && typeof step === 'number') current = current.item
    else if (current?.kind === 'group') current = current.fields.find(({ name }) => name === step)?.descriptor
    else return undefined
  }
  return current
}

/** Writes a path with the form's labels, and with list positions from 1: «Noticias › 2 › Título». */
export function fieldInWords(descriptor: FieldDescriptor, path: FieldPath): string {
  let current: FieldDescriptor | undefined = descriptor
  // If the document itself is a list, its label comes before the item's number.
  const labels: string[] = descriptor.kind === 'list' && path.length > 0 ? [descriptor.label] : []
  for (const step of path) {
    if (current?.kind === 'list' && typeof step === 'number') {
      current = current.item
      labels.push(String(step + 1))
    } else if (current?.kind === 'group') {
      current = current.fields.find(({ name }) => name === step)?.descriptor
      labels.push(current?.label ?? String(step))
    } else break
  }
  return labels.join(' › ')
}

/** Returns every leaf field with its path. A list's items appear once, with index 0. */
export function leavesOf(
  descriptor: FieldDescriptor,
  path: FieldPath = [],
): { path: FieldPath; leaf: LeafDescriptor }[] {
  if (descriptor.kind === 'group')
    return descriptor.fields.flatMap(({ name, descriptor }) => leavesOf(descriptor, [...path, name]))
  if (descriptor.kind === 'list') return leavesOf(descriptor.item, [...path, 0])
  return [{ path, leaf: descriptor }]
}

/** Returns the value of a newly added item: empty, with the minimum number of items in its lists. */
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
