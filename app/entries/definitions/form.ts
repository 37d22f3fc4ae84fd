import { DOCUMENT_KINDS, type DocumentKind, type EntryType, kindOf } from './document-kinds.ts'
import type { Field } from './field.ts'

/** One of the two forms: what it asks for, where it stands, and what it is kept as. */
export interface Forma {
  tipo: EntryType
  /** Where its screen stands; its data are posted there, or by the page's script to `envio` below it. */
  ruta: string
  /** Of the object storage. @source §7 */
  bucket: string
  /** Of the database. @source §3 */
  tabla: 'registros' | 'trajes_tipicos'
  /** Its key among the edition's settings: from when to when it is open. */
  periodo: 'registro.candidatas' | 'registro.trajes'
  /** Whose registration it is, in a sentence: «el registro de …». */
  deQuien: string
  /** Its typed fields, under the headings that the form has. */
  grupos: readonly { titulo: string; campos: readonly Field[] }[]
  /** All of them: those of the groups, then what stands apart. */
  campos: readonly Field[]
  /** What a person may add or allow, below everything that is asked for. */
  aparte: readonly Field[]
  clases: readonly DocumentKind[]
  /** Whether a file is refused as it is chosen, the choice before it kept; else when the form is sent. @source §4, §5 */
  refusesAtOnce: boolean
  /** What is said when something is missing, to the letter. @source §8 */
  incompleto: string
}

/** Beyond what §3 asks for: a permission, or where somebody may be written to. */
export const isExtra = ({ fueraDeMetadata }: Field) => fueraDeMetadata === true

export const kindsOf = (type: EntryType) => DOCUMENT_KINDS.filter((kind) => kindOf(kind).de === type)

/** How a field or a document is called where its form shows it. */
export const labelOf = (forma: Forma, name: string): string =>
  forma.campos.find((field) => field.nombre === name)?.etiqueta ?? kindOf(name as DocumentKind).etiqueta
