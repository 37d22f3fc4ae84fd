import { DOCUMENT_KINDS, type DocumentKind, type EntryType, kindOf } from './document-kinds.ts'
import type { Field } from './field.ts'

/** Descriptor of one of the two forms: its fields and documents, its address, its storage. */
export interface FormDescriptor {
  type: EntryType
  /** Path of the form's screen; the plain form is posted there, the page's script posts to `envio` below it. */
  path: string
  /** Bucket of the object storage. @source §7 */
  bucket: string
  /** Table of the database. @source §3 */
  table: 'registros' | 'trajes_tipicos'
  /** Key of the edition's setting that says from when to when the form is open. */
  periodSetting: 'registro.candidatas' | 'registro.trajes'
  /** Completes the sentence «el registro de …». */
  entrantsText: string
  /** Typed fields, grouped under the form's headings. */
  groups: readonly { title: string; fields: readonly Field[] }[]
  /** All typed fields: the groups', then the extras. */
  fields: readonly Field[]
  /** Extras: permissions and optional additions, shown below all required fields. */
  extras: readonly Field[]
  kinds: readonly DocumentKind[]
  /** Whether a bad file is refused when chosen, keeping the previous choice; else when the form is sent. @source §4, §5 */
  refusesAtOnce: boolean
  /** Message when something is missing, verbatim. @source §8 */
  incompleteMessage: string
}

/** Whether a field goes beyond §3: a permission, or the candidate's optional email. */
export const isExtra = ({ isOutsideMetadata }: Field) => isOutsideMetadata === true

export const kindsOf = (type: EntryType) => DOCUMENT_KINDS.filter((kind) => kindOf(kind).entryType === type)

/** Label of a field or a document in its form. */
export const labelOf = (descriptor: FormDescriptor, name: string): string =>
  descriptor.fields.find((field) => field.name === name)?.label ?? kindOf(name as DocumentKind).label
