import type { Campo } from './campos.ts'
import { CAMPOS_CANDIDATA } from './campos-candidata.ts'
import { CAMPOS_TRAJE } from './campos-traje.ts'
import { CLASES_DOCUMENTO, type ClaseDocumento, claseOf, type TipoInscripcion } from './clases.ts'

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
const isAparte = ({ fueraDeMetadata }: Campo) => fueraDeMetadata === true

const clasesDe = (tipo: TipoInscripcion) => CLASES_DOCUMENTO.filter((clase) => claseOf(clase).de === tipo)

const CANDIDATA: Forma = {
  tipo: 'candidata',
  ruta: '/registro',
  bucket: 'registro',
  tabla: 'registros',
  periodo: 'registro.candidatas',
  deQuien: 'candidatas',
  grupos: [{ titulo: 'Tus datos', campos: CAMPOS_CANDIDATA.filter((campo) => !isAparte(campo)) }],
  campos: CAMPOS_CANDIDATA,
  aparte: CAMPOS_CANDIDATA.filter(isAparte),
  clases: clasesDe('candidata'),
  refusesAtOnce: true,
  incompleto: 'Por favor completa todos los campos y sube ambos lados de tu credencial.',
}

/** Who designed the costume; what follows is about the costume itself. */
const DE_QUIEN_DISENA = ['nombre_disenador', 'email', 'celular', 'ciudad']
const isOfDesigner = ({ nombre }: Campo) => DE_QUIEN_DISENA.includes(nombre)

const TRAJE: Forma = {
  tipo: 'traje',
  ruta: '/registro-traje-tipico',
  bucket: 'registrotrajes',
  tabla: 'trajes_tipicos',
  periodo: 'registro.trajes',
  deQuien: 'trajes típicos',
  grupos: [
    { titulo: 'Tus datos', campos: CAMPOS_TRAJE.filter(isOfDesigner) },
    { titulo: 'El traje', campos: CAMPOS_TRAJE.filter((campo) => !isOfDesigner(campo) && !isAparte(campo)) },
  ],
  campos: CAMPOS_TRAJE,
  aparte: CAMPOS_TRAJE.filter(isAparte),
  clases: clasesDe('traje'),
  refusesAtOnce: false,
  incompleto: 'Por favor completa todos los campos obligatorios y sube todos los archivos requeridos.',
}

export const FORMAS: Readonly<Record<TipoInscripcion, Forma>> = { candidata: CANDIDATA, traje: TRAJE }

/** How a field or a document is called where its form shows it. */
export const etiquetaDe = (forma: Forma, nombre: string): string =>
  forma.campos.find((campo) => campo.nombre === nombre)?.etiqueta ?? claseOf(nombre as ClaseDocumento).etiqueta
