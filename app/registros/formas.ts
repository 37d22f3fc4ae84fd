import { type Campos, type Cuentas, type Validacion, validateCandidata, validateTraje } from './rules.ts'
import {
  CAMPOS_CANDIDATA,
  CAMPOS_TRAJE,
  type CampoTexto,
  CLASES_CANDIDATA,
  CLASES_TRAJE,
  type ClaseDocumento,
  type DatosCandidata,
  type DatosTraje,
  type TipoInscripcion,
} from './schema.ts'

/** One of the two forms: what it asks for, and how that is checked, in the browser and again on the server. */
export interface Forma<Datos = unknown> {
  tipo: TipoInscripcion
  /** Where its screen stands; its data are posted there, or by the page's script to `envio` below it. */
  ruta: string
  /** Of the object storage. @source specification §7 */
  bucket: string
  /** Its key among the edition's settings: from when to when it is open. */
  periodo: 'registro.candidatas' | 'registro.trajes'
  /** Whose registration it is, in a sentence: «el registro de …». */
  deQuien: string
  campos: readonly CampoTexto[]
  clases: readonly ClaseDocumento[]
  /** Whether a file is refused as it is chosen, the choice before it kept; else when the form is sent. @source specification §4, §5 */
  refusesAtOnce: boolean
  validate(fields: Campos, cuentas: Cuentas): Validacion<Datos>
}

export const CANDIDATA: Forma<DatosCandidata> = {
  tipo: 'candidata',
  ruta: '/registro',
  bucket: 'registro',
  periodo: 'registro.candidatas',
  deQuien: 'candidatas',
  campos: CAMPOS_CANDIDATA,
  clases: CLASES_CANDIDATA,
  refusesAtOnce: true,
  validate: validateCandidata,
}

export const TRAJE: Forma<DatosTraje> = {
  tipo: 'traje',
  ruta: '/registro-traje-tipico',
  bucket: 'registrotrajes',
  periodo: 'registro.trajes',
  deQuien: 'trajes típicos',
  campos: CAMPOS_TRAJE,
  clases: CLASES_TRAJE,
  refusesAtOnce: false,
  validate: validateTraje,
}

export const FORMAS: Readonly<Record<TipoInscripcion, Forma>> = { candidata: CANDIDATA, traje: TRAJE }

/** The form that asks for a kind of document. */
export const formaOf = (clase: ClaseDocumento): Forma => (TRAJE.clases.includes(clase) ? TRAJE : CANDIDATA)
