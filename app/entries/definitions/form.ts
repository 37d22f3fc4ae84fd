import { DOCUMENT_KINDS, type DocumentKind, type EntryType, kindOf } from './document-kinds.ts'
import type { Field } from './field.ts'

/** A FormDescriptor describes one of the two forms: its fields and documents, its address, its storage. */
export interface FormDescriptor {
  type: EntryType
  /** The form's screen has this path; the plain form is posted there, the page's script posts to `envio` below it. */
  path: string
  /** §7 names the bucket of the object storage. */
  bucket: string
  /** §3 names the table. */
  table: 'registros' | 'trajes_tipicos'
  /** The edition's setting under this key says from when to when the form is open. */
  periodSetting: 'registro.candidatas' | 'registro.trajes'
  /** These words complete the sentence «el registro de …». */
  entrantsText: string
  /** The groups hold the fields but the extras, under the form's headings. */
  groups: readonly { title: string; fields: readonly Field[] }[]
  /** All typed fields in the form's order, extras included. */
  fields: readonly Field[]
  /** The extras are permissions and optional additions; the form shows them below all required fields. */
  extras: readonly Field[]
  kinds: readonly DocumentKind[]
  /** A bad file is refused when it is chosen, and the previous choice stays (§4); else it is refused on sending (§5). */
  refusesAtOnce: boolean
  /** §8 gives this message for a form in which something is missing word for word. */
  incompleteMessage: string
}

/** Returns whether a field goes beyond §3: a permission, or the candidate's optional email. */
export const isExtra = ({ isOutsideMetadata }: Field) => isOutsideMetadata === true

export const kindsOf = (type: EntryType) => DOCUMENT_KINDS.filter((kind) => kindOf(kind).entryType === type)

/** Returns the label of a field or of a kind of document; `name` must be one of the form's. */
export const labelOf = (descriptor: FormDescriptor, name: string): string =>
  descriptor.fields.find((field) => field.name === name)?.label ?? kindOf(name as DocumentKind).label
