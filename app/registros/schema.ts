import type { EstadoInscripcion } from '#app/platform/tables.ts'

/** Shapes, limits and words of both registrations, candidates' and costumes', shared by the browser and the server. */

export type TipoInscripcion = 'candidata' | 'traje'

/** The kinds of document of each form. @source specification §3 */
export const CLASES_CANDIDATA = [
  'actaNacimiento',
  'credencialElector',
  'constanciaEstudios',
  'fotoRostro',
  'fotoCuerpo',
] as const
export const CLASES_TRAJE = ['bocetoFrontal', 'bocetoPosterior', 'identificacion'] as const
export const CLASES_DOCUMENTO = [...CLASES_CANDIDATA, ...CLASES_TRAJE] as const
export type ClaseDocumento = (typeof CLASES_DOCUMENTO)[number]

/** @source specification §2.8; the first is the default */
export const GRADOS_ESTUDIO = ['Estudiante', 'Egresada', 'Profesionista'] as const
type GradoEstudio = (typeof GRADOS_ESTUDIO)[number]

/** @source specification §2.9; the first is the default */
export const HA_PARTICIPADO = ['No', 'Sí'] as const

export type LadoCredencial = 'anverso' | 'reverso'

/** The typed fields of each form, in its order. @source specification §2.8, §2.9 */
export const CAMPOS_CANDIDATA = ['nombre', 'edad', 'estatura', 'gradoEstudio', 'celular'] as const
export const CAMPOS_TRAJE = [
  'nombre_disenador',
  'email',
  'celular',
  'ciudad',
  'nombre_traje',
  'tematica',
  'descripcion',
  'materiales',
  'altura',
  'ha_participado',
] as const
export type CampoTexto = (typeof CAMPOS_CANDIDATA)[number] | (typeof CAMPOS_TRAJE)[number]
export type CampoRegistro = CampoTexto | ClaseDocumento

const MB = 1_048_576
/** A file of the candidates' form at most, in bytes; the specification names none for it. No file of any form is larger. */
export const MAX_ARCHIVO_BYTES = 15 * MB
/** @source specification §9, decision 11 */
const MAX_BOCETO_BYTES = 5 * MB
/** @source specification §9, decision 11 */
const MAX_IDENTIFICACION_BYTES = 2 * MB
export const MAX_NOMBRE_CARACTERES = 120
export const MAX_CELULAR_CARACTERES = 30
export const MAX_NOMBRE_ARCHIVO_CARACTERES = 255
/** Years. 18 to 26 is a hint of the form, not a rule. @source specification §5 */
export const EDAD_MINIMA = 1
export const EDAD_MAXIMA = 120
/** Metres. */
export const ESTATURA_MINIMA_M = 0.5
export const ESTATURA_MAXIMA_M = 2.5
/** Of tematica and materiales. @source specification §9 */
export const MAX_TEMATICA_CARACTERES = 100
/** @source specification §9 */
export const MAX_DESCRIPCION_CARACTERES = 250
/** The specification names none. */
export const MAX_NOMBRE_TRAJE_CARACTERES = 250
/** Centimetres. @source specification §9 */
export const ALTURA_MAXIMA_CM = 150

/** What a document may be, by its content. */
const FOTO_O_PDF = ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'application/pdf'] as const
export type TipoDocumento = (typeof FOTO_O_PDF)[number]
/** @source specification §9 */
const JPG_PNG_PDF = ['image/jpeg', 'image/png', 'application/pdf'] as const

/** What is asked of the files of one kind. */
export interface DocumentoPedido {
  /** How many files. @source specification §5 */
  archivos: 1 | 2
  /** Bytes of one file. */
  maxBytes: number
  tipos: readonly TipoDocumento[]
  /** For the file input, extensions included. */
  accept: string
  /** The same for people, with the limit. */
  pista: string
  /** What is said of a file that is larger, or of another type. */
  grande(archivo: string): string
  tipo(archivo: string): string
  /** What the document's own line says of another type. */
  tipoBreve: string
}

const deCandidata = (archivos: 1 | 2): DocumentoPedido => ({
  archivos,
  maxBytes: MAX_ARCHIVO_BYTES,
  tipos: FOTO_O_PDF,
  accept: [...FOTO_O_PDF, 'image/heif', '.heic', '.heif'].join(','),
  pista: `Foto o PDF, hasta ${MAX_ARCHIVO_BYTES / MB} MB`,
  grande: (archivo) => MENSAJES.archivoGrande(archivo),
  tipo: (archivo) => MENSAJES.archivoTipo(archivo),
  tipoBreve: 'Sólo fotos (JPG, PNG, WebP o HEIC) o un PDF.',
})

const deTraje = (maxBytes: number): DocumentoPedido => ({
  archivos: 1,
  maxBytes,
  tipos: JPG_PNG_PDF,
  accept: JPG_PNG_PDF.join(','),
  pista: `JPG, PNG o PDF, hasta ${maxBytes / MB} MB`,
  grande: (archivo) => MENSAJES.archivoExcede(archivo, maxBytes),
  tipo: (archivo) => MENSAJES.archivoTipoTraje(archivo),
  tipoBreve: 'Sólo JPG, PNG o PDF.',
})

export const DOCUMENTOS: Readonly<Record<ClaseDocumento, DocumentoPedido>> = {
  actaNacimiento: deCandidata(1),
  credencialElector: deCandidata(2),
  constanciaEstudios: deCandidata(1),
  fotoRostro: deCandidata(1),
  fotoCuerpo: deCandidata(1),
  bocetoFrontal: deTraje(MAX_BOCETO_BYTES),
  bocetoPosterior: deTraje(MAX_BOCETO_BYTES),
  identificacion: deTraje(MAX_IDENTIFICACION_BYTES),
}

/** Names of fields and documents as the forms show them; §2.8 gives the candidate's. */
export const ETIQUETAS: Readonly<Record<CampoRegistro, string>> = {
  nombre: 'Nombre',
  edad: 'Edad',
  estatura: 'Estatura (m)',
  gradoEstudio: 'Grado de Estudio',
  celular: 'Celular',
  actaNacimiento: 'Acta de Nacimiento',
  credencialElector: 'Cred. Elector (ambos lados)',
  constanciaEstudios: 'Constancia de Estudios',
  fotoRostro: 'Foto Rostro',
  fotoCuerpo: 'Foto Cuerpo (traje de baño)',
  nombre_disenador: 'Nombre del diseñador o diseñadora',
  email: 'Correo electrónico',
  ciudad: 'Ciudad',
  nombre_traje: 'Nombre del traje',
  tematica: 'Temática',
  descripcion: 'Descripción',
  materiales: 'Materiales',
  altura: 'Altura (cm)',
  ha_participado: '¿Ha participado en otros concursos?',
  bocetoFrontal: 'Boceto frontal',
  bocetoPosterior: 'Boceto posterior',
  identificacion: 'Identificación',
}

/** Every sentence a registration can answer with. Those of the specification (§5, §8) stand first, to the letter. */
export const MENSAJES = {
  incompleto: 'Por favor completa todos los campos y sube ambos lados de tu credencial.',
  exito: 'Registro exitoso.',
  caracteres: (archivo: string) => `El archivo "${archivo}" contiene caracteres no permitidos.`,

  incompletoTraje: 'Por favor completa todos los campos obligatorios y sube todos los archivos requeridos.',
  yaParticipo: 'El traje no es elegible si ya participó en otros concursos.',
  tematicaLarga: `Temática y materiales no deben exceder ${MAX_TEMATICA_CARACTERES} caracteres.`,
  descripcionLarga: `La descripción no debe exceder ${MAX_DESCRIPCION_CARACTERES} caracteres.`,
  alturaMaxima: `La altura máxima permitida es ${ALTURA_MAXIMA_CM} cm.`,
  archivoExcede: (archivo: string, maxBytes: number) =>
    `El archivo "${archivo}" excede el tamaño máximo de ${maxBytes / MB}MB.`,
  archivoTipoTraje: (archivo: string) => `El archivo "${archivo}" debe ser JPG, PNG o PDF.`,

  faltaNombre: 'Escribe tu nombre completo.',
  faltaEdad: 'Escribe tu edad.',
  faltaEstatura: 'Escribe tu estatura.',
  faltaCelular: 'Escribe tu número de celular.',
  faltaDato: 'Escribe este dato.',
  ciudadLarga: `La ciudad no debe exceder ${MAX_NOMBRE_CARACTERES} caracteres.`,
  nombreTrajeLargo: `El nombre del traje no debe exceder ${MAX_NOMBRE_TRAJE_CARACTERES} caracteres.`,
  altura: `Escribe la altura en centímetros, con números y mayor que 0. Por ejemplo: 120.`,
  haParticipado: `Elige ${HA_PARTICIPADO.join(' o ')}.`,
  faltaDocumento: 'Elige el archivo de este documento.',
  faltaCredencial: 'Sube dos archivos: primero el frente y después el reverso de tu credencial.',
  sobraDocumento: 'Este documento lleva un solo archivo.',
  nombreLargo: `El nombre no debe exceder ${MAX_NOMBRE_CARACTERES} caracteres.`,
  celularLargo: `El celular no debe exceder ${MAX_CELULAR_CARACTERES} caracteres.`,
  textoIlegible: 'Este dato contiene caracteres que no se pueden guardar. Escríbelo de nuevo.',
  edad: `Escribe tu edad en años cumplidos, con números enteros entre ${EDAD_MINIMA} y ${EDAD_MAXIMA}. Por ejemplo: 21.`,
  estatura: 'Escribe tu estatura en metros, entre 0.50 y 2.50 y con dos decimales a lo más. Por ejemplo: 1.66.',
  gradoEstudio: `Elige tu grado de estudio: ${GRADOS_ESTUDIO.join(', ')}.`,

  archivoVacio: (archivo: string) => `El archivo "${archivo}" está vacío. Elige otro archivo.`,
  archivoGrande: (archivo: string) =>
    `El archivo "${archivo}" pesa demasiado: el máximo es ${MAX_ARCHIVO_BYTES / MB} MB por archivo.`,
  archivoTipo: (archivo: string) =>
    `El archivo "${archivo}" no es una foto ni un PDF. Sube una foto (JPG, PNG, WebP o HEIC) o un PDF.`,
  archivoNombreLargo: (archivo: string) =>
    `El nombre del archivo "${archivo.slice(0, 40)}…" es demasiado largo. Cámbialo por uno más corto.`,
  archivoIncompleto: (archivo: string) => `El archivo "${archivo}" no terminó de subir. Súbelo de nuevo.`,
  archivoPerdido: 'Uno de los archivos ya no está en el servidor. Elígelo y súbelo de nuevo.',

  cerrado: (que: string, cuando: string) => `El registro de ${que} cerró el ${cuando}.`,
  porAbrir: (que: string, cuando: string) => `El registro de ${que} abre el ${cuando}.`,
  folioDesconocido: 'No encontramos ese folio. Revísalo: son doce letras y números, como 7K3M-Q9XT-04WB.',
  folioEspera: (seconds: number) =>
    `Hubo demasiados intentos desde tu conexión. Espera ${seconds} segundos e inténtalo de nuevo.`,
  documentoRecibido: 'Recibimos tu documento. El comité lo revisará.',
  solicitudCerrada:
    'Este documento ya se recibió o el comité ya no lo pide. Consulta tu folio de nuevo para ver cómo va tu registro.',

  subidaAjena: 'Esta subida no existe o ya caducó. Elige el archivo de nuevo.',
  subidaDesfasada: 'La subida siguió en otra parte. Vuelve a intentarlo.',
  subidaLarga: 'El archivo trajo más datos de los anunciados. Elígelo y súbelo de nuevo.',
  subidasDemasiadas: 'Hay demasiados archivos en este registro. Quita los que sobran o recarga la página.',
  peticion: 'El formulario llegó incompleto o dañado. Recarga la página e inténtalo de nuevo.',
  camposDesconocidos: 'El formulario trae datos que no conocemos. Recarga la página e inténtalo de nuevo.',
  yaRecibido:
    'Este registro ya se había recibido con otros datos. Si necesitas corregirlos, vuelve a enviar el formulario completo.',
  limite: 'Llegaron demasiados envíos desde tu conexión. Espera unos minutos e inténtalo de nuevo.',
  guardando: 'Tu registro todavía se está guardando. Espera un minuto e inténtalo de nuevo.',
  saturado: 'En este momento estamos recibiendo demasiados archivos. Espera unos minutos e inténtalo de nuevo.',
  sinEspacio:
    'El servidor se quedó sin espacio para guardar tu archivo. Avisa al comité organizador e inténtalo más tarde.',
  falla: (errorId: string) =>
    `No pudimos guardar tu registro por una falla nuestra; no perdiste nada de lo que ya subiste. Inténtalo de nuevo en unos minutos y, si continúa, comparte este número con el comité organizador: ${errorId}.`,
} as const

/** The banner says a sentence of §8, once in the page; the field that it is about says it shorter, in its own line. */
export const BREVES = {
  tematicaLarga: `Máximo ${MAX_TEMATICA_CARACTERES} caracteres.`,
  descripcionLarga: `Máximo ${MAX_DESCRIPCION_CARACTERES} caracteres.`,
  alturaMaxima: `Máximo ${ALTURA_MAXIMA_CM} cm.`,
} as const

/** The same for a document. @returns undefined where the sentence has no shorter form */
export function breveDeArchivo(clase: ClaseDocumento, reason: MotivoRechazo | undefined): string | undefined {
  const { maxBytes, tipoBreve } = DOCUMENTOS[clase]
  if (reason === 'nombreArchivo') return 'Cámbiale el nombre: sin ñ, acentos ni ´.'
  if (reason === 'archivoVacio') return 'Elige otro archivo: éste no trae nada.'
  if (reason === 'archivoGrande') return `Máximo ${maxBytes / MB} MB.`
  return reason === 'archivoTipo' ? tipoBreve : undefined
}

/** Why an upload or a registration was refused, and the HTTP status that says so. */
const ESTADO_POR_MOTIVO = {
  peticion: 400,
  camposDesconocidos: 400,
  entrega: 400,
  archivoVacio: 400,
  nombreArchivo: 400,
  cerrado: 403,
  solicitudCerrada: 409,
  subidaAjena: 404,
  folioDesconocido: 404,
  metodo: 405,
  subidaDesfasada: 409,
  subidasDemasiadas: 409,
  yaRecibido: 409,
  archivoGrande: 413,
  archivoTipo: 415,
  incompleto: 422,
  datosInvalidos: 422,
  documentoInvalido: 422,
  limite: 429,
  saturado: 429,
  guardando: 503,
  falla: 500,
  sinEspacio: 507,
} as const
export type MotivoRechazo = keyof typeof ESTADO_POR_MOTIVO

export const statusOf = (reason: MotivoRechazo): number => ESTADO_POR_MOTIVO[reason]

/** Body of every refused upload (/subidas), as JSON. */
export interface RechazoSubida {
  reason: MotivoRechazo
  message: string
}

export interface ErrorCampo {
  campo: CampoRegistro
  /** For the field's own line. */
  message: string
}

/** What sending a form came to. */
export type ResultadoRegistro =
  | { ok: true; folio: string }
  | {
      ok: false
      reason: MotivoRechazo
      /** For the banner. */
      message: string
      /** In the order of the form; empty when no field is to blame. */
      campos: ErrorCampo[]
      /** What was typed, to fill the form again. */
      valores: Record<string, string>
      /** Names of the files that are already on the server, by kind, in order (front, back). */
      recibidos: Partial<Record<ClaseDocumento, string[]>>
      /** The submission to go on with: the same one, or a new one when that cannot be used any more. */
      entrega: string
      /** Only for a fault of ours: the number to look for in the log. */
      errorId?: string
      /** Only with reason limite, saturado or guardando: seconds to wait. */
      retryAfterSeconds?: number
    }

/** How HTTP says the same. */
export const answerInit = (
  resultado: ResultadoRegistro | ResultadoFolio,
): { status: number; headers: Record<string, string> } =>
  resultado.ok
    ? { status: 200, headers: {} }
    : {
        status: statusOf(resultado.reason),
        headers: resultado.retryAfterSeconds ? { 'retry-after': String(resultado.retryAfterSeconds) } : {},
      }

/** What the person sees of an entry by its folio: whose it is, never its other values, nor the files themselves. */
export interface VistaFolio {
  folio: string
  tipo: TipoInscripcion
  /** The candidate, or who designed the costume. */
  titular: string
  /** The costume's name; null for a candidate. */
  detalle: string | null
  estado: EstadoInscripcion
  /** ISO moment. */
  recibida: string
  /** What the organisers last said of it, if it was for the person. */
  nota: string | null
  documentos: DocumentoVisto[]
  /** Documents that are asked for again, and the submission that each may be sent as. */
  solicitudes: { id: number; clase: ClaseDocumento; lado: LadoCredencial | null; nota: string; entrega: string }[]
}

interface DocumentoVisto {
  clase: ClaseDocumento
  lado: LadoCredencial | null
  nombre: string
  /** ISO moment. */
  recibido: string
  /** Another one took its place. */
  reemplazado: boolean
}

/** What asking by a folio, or sending a document again, came to. */
export type ResultadoFolio =
  | { ok: true; vista: VistaFolio; mensaje?: string }
  | {
      ok: false
      reason: MotivoRechazo
      message: string
      /** As it was typed. */
      folio: string
      /** The entry, when it is the document that was refused, and for which solicitud. */
      vista?: VistaFolio
      solicitud?: number
      retryAfterSeconds?: number
    }

/** The values of a candidate's registration once checked. */
export interface DatosCandidata {
  nombre: string
  edad: number
  /** Metres. */
  estatura: number
  gradoEstudio: GradoEstudio
  celular: string
}

/** The values of a costume's registration once checked. @source specification §3 */
export interface DatosTraje {
  nombre_disenador: string
  email: string
  celular: string
  ciudad: string
  nombre_traje: string
  tematica: string
  descripcion: string
  materiales: string
  /** Centimetres. */
  altura: number
  ha_participado: 'No'
}
