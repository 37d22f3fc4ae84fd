import type { FieldPath } from '#app/cms/schema/edits.ts'
import type { Descriptor, Leaf } from '#app/cms/schema/field-descriptor.ts'

/** What every input of a form is given. */
export interface InputProps<Valor = unknown> {
  /** Of the input that the label names. */
  id: string
  /** Undefined or of another shape where nothing, or nothing well, was written yet. */
  valor: Valor | undefined
  onCambio(valor: Valor | undefined): void
  descriptor: Leaf
  /** Ids of what describes the input. */
  describedBy?: string | undefined
  invalid?: boolean | undefined
  /** Where it stands, for what knows its neighbours. */
  lugar?: { documento: string; campo: FieldPath } | undefined
}

/** A place of a form. */
export interface FieldProps<D extends Descriptor = Descriptor> {
  descriptor: D
  documento: string
  campo: FieldPath
  /** How deep it stands in the form: headings follow it. */
  nivel: number
  /** Whether what is around it says its title already. */
  sinRotulo?: boolean
}
