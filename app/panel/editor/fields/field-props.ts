import type { Descriptor, Leaf } from '#app/cms/schema/field-descriptor.ts'
import type { FieldPath } from '#app/cms/schema/field-path.ts'

export interface InputProps<Value = unknown> {
  /** The label refers to the input with this id. */
  id: string
  /** The value is undefined, or of another shape, while the field has no valid value. */
  value: Value | undefined
  onChange(value: Value | undefined): void
  descriptor: Leaf
  describedBy?: string | undefined
  invalid?: boolean | undefined
  /** Inputs that also write a neighbouring field need the field's place. */
  place?: { documentName: string; path: FieldPath } | undefined
}

export interface FieldProps<D extends Descriptor = Descriptor> {
  descriptor: D
  documentName: string
  path: FieldPath
  /** The depth in the form sets the level of headings. */
  level: number
  /** The surrounding element shows the title already. */
  isUnlabelled?: boolean
}

/** Returns a field's value as its input shows it; '' for a value that is neither text nor number. */
export const asText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
