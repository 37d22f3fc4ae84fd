import { DOCUMENT_KINDS, type DocumentKind, type EntryType, kindOf } from './document-kinds.ts'
import type { Field } from './field.ts'

/** Descriptor of one of the two forms: its fields and documents, its address, its storage. */
export interface Forma {
  tipo: EntryType
  /** Path of the form's screen; the plain form is posted there, the page's script posts to `envio` below it. */
  ruta: string
  /** Bucket of the object storage. @source §7 */
  bucket: string
  /** Table of the database. @source §3 */
  tabla: 'registros' | 'trajes_tipicos'
  /** Key of the edition's setting that says from when to when the form is open. */
  periodo: 'registro.candidatas' | 'registro.trajes'
  /** Completes the sentence «el registro de …». */
  deQuien: string
  /** Typed fields, grouped under the form's headings. */
  grupos: readonly { titulo: string; campos: readonly Field[] }[]
  /** All typed fields: the groups', then the extras. */
  campos: readonly Field[]
  /** Extras: permissions and optional additions, shown below all required fields. */
  aparte: readonly Field[]
  clases: readonly DocumentKind[]
  /** Whether a bad file is refused when chosen, keeping the previous choice; else when the form is sent. @source §4, §5 */
  refusesAtOnce: boolean
  /** Message when something is missing, verbatim. @source §8 */
  incompleto: string
}

/** Whether a field goes beyond §3: a permission, or the candidate's optional email. */
export const isExtra = ({ fueraDeMetadata }: Field) => fueraDeMetadata === true

export const kindsOf = (type: EntryType) => DOCUMENT_KINDS.filter((kind) => kindOf(kind).de === type)

/** Label of a field or a document in its form. */
export const labelOf = (forma: Forma, name: string): string =>
  forma.campos.find((field) => field.nombre === name)?.etiqueta ?? kindOf(name as DocumentKind).etiqueta
