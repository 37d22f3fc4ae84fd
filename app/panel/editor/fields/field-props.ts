import type { ReactNode } from 'react'
import type { FieldDescriptor, LeafDescriptor } from '#app/cms/schema/field-descriptor.ts'
import type { FieldPath } from '#app/cms/schema/field-path.ts'

export interface InputProps<Value = unknown> {
  /** Id of the input, to which its label refers. */
  id: string
  /** Value of the field; undefined or of another shape while the field has no valid value. */
  value: Value | undefined
  onChange(value: Value | undefined): void
  descriptor: LeafDescriptor
  describedBy?: string | undefined
  isInvalid?: boolean | undefined
  /** Fault and help of a photograph, which stand under its button, above the alternative text. */
  notes?: ReactNode
  /** Place of the field, for inputs that also set a neighbouring field. */
  place?: { documentName: string; path: FieldPath } | undefined
}

export interface FieldProps<D extends FieldDescriptor = FieldDescriptor> {
  descriptor: D
  documentName: string
  path: FieldPath
  /** Depth in the form, which sets the level of headings. */
  level: number
  /** Whether the surrounding element already shows the title. */
  isUnlabelled?: boolean
}

/** Returns a field's value as its input shows it; '' for a value that is neither text nor number. */
export const asText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
