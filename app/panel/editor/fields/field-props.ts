import type { FieldPath } from '#app/cms/schema/edits.ts'
import type { Descriptor, Leaf } from '#app/cms/schema/field-descriptor.ts'

export interface InputProps<Value = unknown> {
  /** Id of the input that the label refers to. */
  id: string
  /** Undefined, or of another shape, while the field has no valid value. */
  value: Value | undefined
  onChange(valor: Value | undefined): void
  descriptor: Leaf
  /** Ids for `aria-describedby`. */
  describedBy?: string | undefined
  invalid?: boolean | undefined
  /** The field's place, for inputs that also write a neighbouring field. */
  place?: { documentName: string; path: FieldPath } | undefined
}

export interface FieldProps<D extends Descriptor = Descriptor> {
  descriptor: D
  documentName: string
  path: FieldPath
  /** Depth in the form, which sets the level of headings. */
  level: number
  /** Whether the surrounding element already shows the title. */
  isUnlabelled?: boolean
}

/** A field's value as its input shows it; '' for no valid value. */
export const asText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
