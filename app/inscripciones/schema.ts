export type EstadoInscripcion = 'recibida' | 'en-revision' | 'aceptada' | 'rechazada' | 'falta-documento'
export type TipoInscripcion = 'candidata' | 'traje'

/** In the order in which an entry usually goes through them. */
export const ESTADOS: readonly EstadoInscripcion[] = [
  'recibida',
  'en-revision',
  'falta-documento',
  'aceptada',
  'rechazada',
]

export const NOMBRE_DE_ESTADO: Readonly<Record<EstadoInscripcion, string>> = {
  recibida: 'recibida',
  'en-revision': 'en revisión',
  aceptada: 'aceptada',
  rechazada: 'rechazada',
  'falta-documento': 'falta documento',
}

export const NOMBRE_DE_TIPO: Readonly<Record<TipoInscripcion, string>> = {
  candidata: 'Candidata',
  traje: 'Traje típico',
}

/** Which entries a list, an export or a print shows. */
export interface Filtro {
  edicion: number
  tipo?: TipoInscripcion | undefined
  estado?: EstadoInscripcion | undefined
  /** Outside 18 to 26. */
  fueraDeEdad?: boolean | undefined
  /** As typed: beginnings of words of name, costume, address, telephone or folio. */
  texto?: string | undefined
  /** Only these entries. */
  ids?: number[] | undefined
}

/** An entry as the list shows it. */
export interface Renglon {
  id: number
  tipo: TipoInscripcion
  folio: string
  titular: string
  /** The costume's name. */
  detalle: string | null
  edad: number | null
  estado: EstadoInscripcion
  /** Kinds of documents that were asked for again and have not come. */
  faltan: number
  recibidaAt: Date
}

export type Cuentas = Record<TipoInscripcion, Record<EstadoInscripcion, number>>

export const MAX_NOTA_CARACTERES = 1000
export const MAX_TEXTO_CARACTERES = 120

/** Kinds of documents that an entry brings. @source specification §3 */
export const DOCUMENTOS_POR_TIPO: Readonly<Record<TipoInscripcion, number>> = { candidata: 5, traje: 3 }

export type ClaseDeDocumento =
  | 'actaNacimiento'
  | 'credencialElector'
  | 'constanciaEstudios'
  | 'fotoRostro'
  | 'fotoCuerpo'
  | 'bocetoFrontal'
  | 'bocetoPosterior'
  | 'identificacion'

export type LadoDeDocumento = 'anverso' | 'reverso'

/** Say who somebody is: whatever shows or exports them puts the mark across. */
const DE_IDENTIDAD: readonly ClaseDeDocumento[] = [
  'actaNacimiento',
  'credencialElector',
  'constanciaEstudios',
  'identificacion',
]
export const esDeIdentidad = (clase: ClaseDeDocumento): boolean => DE_IDENTIDAD.includes(clase)

/** In the order of the forms. */
const NOMBRE_DE_CLASE: Readonly<Record<ClaseDeDocumento, string>> = {
  actaNacimiento: 'Acta de nacimiento',
  credencialElector: 'Credencial de elector',
  constanciaEstudios: 'Constancia de estudios',
  fotoRostro: 'Foto de rostro',
  fotoCuerpo: 'Foto de cuerpo (traje de baño)',
  bocetoFrontal: 'Boceto frontal',
  bocetoPosterior: 'Boceto posterior',
  identificacion: 'Identificación',
}
const ORDEN = Object.keys(NOMBRE_DE_CLASE)
export const ordenDeClase = (clase: ClaseDeDocumento): number => ORDEN.indexOf(clase)

const NOMBRE_DE_LADO = { anverso: 'frente', reverso: 'reverso' } as const
export const nombreDeDocumento = (clase: ClaseDeDocumento, lado: LadoDeDocumento | null): string =>
  lado ? `${NOMBRE_DE_CLASE[clase]}, ${NOMBRE_DE_LADO[lado]}` : NOMBRE_DE_CLASE[clase]

/** A document as the panel lists it. */
export interface Documento {
  id: number
  clase: ClaseDeDocumento
  lado: LadoDeDocumento | null
  nombreArchivo: string
  contentType: string
  bytes: number
  recibidoAt: Date
  /** When another took its place. */
  reemplazadoAt: Date | null
}

/** One step of an entry's history. */
interface Cambio {
  id: number
  at: Date
  de: EstadoInscripcion
  a: EstadoInscripcion
  nota: string | null
  /** Whether it is for the person, too: the folio's page shows that of the last step. */
  paraPersona: boolean
  /** An organiser's address; null: the person, by sending what was asked for. */
  quien: string | null
}

interface Solicitud {
  id: number
  clase: ClaseDeDocumento
  lado: LadoDeDocumento | null
  nota: string
  pedidaAt: Date
}

/** An entry as it is judged. */
export interface Inscripcion extends Omit<Renglon, 'faltan'> {
  version: number
  correo: string | null
  celular: string
  /** What else the form asked for: label and value, in its order. */
  campos: { etiqueta: string; valor: string }[]
  documentos: Documento[]
  /** Both sides of the credential hold the same bytes: taken as it came, and marked. */
  credencialRepetida: boolean
  historia: Cambio[]
  solicitudes: Solicitud[]
}

/** Why a change of an entry was not made. */
export type MotivoDeCambio =
  /** Somebody else changed it meanwhile. */
  'version' | 'borrada' | 'estado' | 'nota' | 'documento' | 'ya-pedido' | 'sin-cambio'

export const MENSAJES_DE_CAMBIO: Readonly<Record<Exclude<MotivoDeCambio, 'version'>, string>> = {
  borrada: 'Esta inscripción ya no existe: alguien la borró. Vuelve a la lista.',
  estado: 'Elige a qué estado pasa la inscripción; en ese ya está.',
  nota: `Escribe la nota con ${MAX_NOTA_CARACTERES} caracteres a lo más; para pedir un documento, di qué le falta.`,
  documento: 'Elige cuál de los documentos de esta inscripción hay que pedir de nuevo.',
  'ya-pedido': 'Ese documento ya se pidió y todavía no llega. Su nota está en la lista de pedidos.',
  'sin-cambio': 'No hay ningún cambio que deshacer.',
}

/** Whether an account opens anything: its password is set and holds, is still to be chosen, ran out, was withdrawn. */
export type SituacionDePersona = 'activa' | 'invitada' | 'vencida' | 'baja'

/** An account of the press or of the organisers, as the panel lists it. */
export interface Persona {
  correo: string
  rol: 'admin' | 'prensa'
  medio: string | null
  /** Last day of an accreditation, like 2025-10-05, in Mexico City. */
  hasta: string | null
  situacion: SituacionDePersona
  /** The one that looks at it. */
  esPropia: boolean
}
