import { CLASES_DOCUMENTO, type ClaseDocumento, claseOf, type TipoInscripcion } from './document-kinds.ts'
import type { Campo } from './field.ts'

/** One of the two forms: what it asks for, where it stands, and what it is kept as. */
export interface Forma {
  tipo: TipoInscripcion
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
  grupos: readonly { titulo: string; campos: readonly Campo[] }[]
  /** All of them: those of the groups, then what stands apart. */
  campos: readonly Campo[]
  /** What a person may add or allow, below everything that is asked for. */
  aparte: readonly Campo[]
  clases: readonly ClaseDocumento[]
  /** Whether a file is refused as it is chosen, the choice before it kept; else when the form is sent. @source §4, §5 */
  refusesAtOnce: boolean
  /** What is said when something is missing, to the letter. @source §8 */
  incompleto: string
}

/** Beyond what §3 asks for: a permission, or where somebody may be written to. */
export const isAparte = ({ fueraDeMetadata }: Campo) => fueraDeMetadata === true

export const clasesDe = (tipo: TipoInscripcion) => CLASES_DOCUMENTO.filter((clase) => claseOf(clase).de === tipo)

/** How a field or a document is called where its form shows it. */
export const etiquetaDe = (forma: Forma, nombre: string): string =>
  forma.campos.find((campo) => campo.nombre === nombre)?.etiqueta ?? claseOf(nombre as ClaseDocumento).etiqueta
