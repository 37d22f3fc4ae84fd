import { DOCUMENT_KINDS, type DocumentKind, type EntryType, kindOf } from './document-kinds.ts'
import type { Field } from './field.ts'

/** One of the two forms: its fields and documents, its address, its storage. */
export interface FormDescriptor {
  type: EntryType
  /** Path of the form's screen, to which the form is posted without JavaScript; the page's script posts to `envio` below it. */
  path: string
  /** Bucket of the object storage (§7). */
  bucket: string
  /** Table of the form's rows (§3). */
  table: 'registros' | 'trajes_tipicos'
  /** Key of the edition's setting that says from when to when the form is open. */
  periodSetting: 'registro.candidatas' | 'registro.trajes'
  /** Completes the sentence «el registro de …». */
  entrantsText: string
  /** All fields but the extras, under the form's headings. */
  groups: readonly { title: string; fields: readonly Field[] }[]
  /** All typed fields in the form's order, extras included. */
  fields: readonly Field[]
  /** Permissions and optional additions, which the form shows below all required fields. */
  extras: readonly Field[]
  kinds: readonly DocumentKind[]
  /** Whether a bad file is refused when it is chosen, and the previous choice stays (§4), or only on sending (§5). */
  refusesAtOnce: boolean
  /** The message of §8, word for word, for a form in which something is missing. */
  incompleteMessage: string
}

/** Returns whether a field goes beyond §3: a permission, or the candidate's optional email. */
export const isExtra = ({ isLeftOutOfMetadata }: Field) => isLeftOutOfMetadata === true

export const kindsOf = (type: EntryType) => DOCUMENT_KINDS.filter((kind) => kindOf(kind).entryType === type)

/** Returns the label of a form's field or kind of document. @param name of the field or kind, which the form must have */
export const labelOf = (descriptor: FormDescriptor, name: string): string =>
  descriptor.fields.find((field) => field.name === name)?.label ?? kindOf(name as DocumentKind).label
