import type { Camino } from '#app/cms/schema/edits.ts'
import type { Descriptor, Hoja } from '#app/cms/schema/field-descriptor.ts'

/** What every input of a form is given. */
export interface PropsDeCampo<Valor = unknown> {
  /** Of the input that the label names. */
  id: string
  /** Undefined or of another shape where nothing, or nothing well, was written yet. */
  valor: Valor | undefined
  onCambio(valor: Valor | undefined): void
  descriptor: Hoja
  /** Ids of what describes the input. */
  describedBy?: string | undefined
  invalid?: boolean | undefined
  /** Where it stands, for what knows its neighbours. */
  lugar?: { documento: string; campo: Camino } | undefined
}

/** A place of a form. */
export interface PropsDeLugar<D extends Descriptor = Descriptor> {
  descriptor: D
  documento: string
  campo: Camino
  /** How deep it stands in the form: headings follow it. */
  nivel: number
  /** Whether what is around it says its title already. */
  sinRotulo?: boolean
}
