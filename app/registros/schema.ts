/** Shapes, limits and words of the candidate registration, shared by the browser and the server. */

/** @source specification §3 */
export const CLASES_DOCUMENTO = [
  'actaNacimiento',
  'credencialElector',
  'constanciaEstudios',
  'fotoRostro',
  'fotoCuerpo',
] as const
export type ClaseDocumento = (typeof CLASES_DOCUMENTO)[number]

/** @source specification §2.8; the first is the default */
export const GRADOS_ESTUDIO = ['Estudiante', 'Egresada', 'Profesionista'] as const
type GradoEstudio = (typeof GRADOS_ESTUDIO)[number]

export type LadoCredencial = 'anverso' | 'reverso'

export const CAMPOS_TEXTO = ['nombre', 'edad', 'estatura', 'gradoEstudio', 'celular'] as const
type CampoTexto = (typeof CAMPOS_TEXTO)[number]
export type CampoRegistro = CampoTexto | ClaseDocumento

/** How many files a kind takes. @source specification §5 */
export const ARCHIVOS_POR_CLASE: Readonly<Record<ClaseDocumento, number>> = {
  actaNacimiento: 1,
  credencialElector: 2,
  constanciaEstudios: 1,
  fotoRostro: 1,
  fotoCuerpo: 1,
}

/** A file at most, in bytes; the specification names none for this form. */
export const MAX_ARCHIVO_BYTES = 15 * 1_048_576
export const MAX_NOMBRE_CARACTERES = 120
export const MAX_CELULAR_CARACTERES = 30
export const MAX_NOMBRE_ARCHIVO_CARACTERES = 255
/** Years. 18 to 26 is a hint of the form, not a rule. @source specification §5 */
export const EDAD_MINIMA = 1
export const EDAD_MAXIMA = 120
/** Metres. */
export const ESTATURA_MINIMA_M = 0.5
export const ESTATURA_MAXIMA_M = 2.5

/** What a document may be, by its content; for the `accept` of the file inputs, extensions included. */
const TIPOS_DOCUMENTO = ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'application/pdf'] as const
export type TipoDocumento = (typeof TIPOS_DOCUMENTO)[number]
export const ACCEPT_DOCUMENTO = [...TIPOS_DOCUMENTO, 'image/heif', '.heic', '.heif'].join(',')

/** Names of the kinds as the form shows them. @source specification §2.8 */
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
}

/** Every sentence a registration can answer with. Those of the specification (§5, §8) stand first, to the letter. */
export const MENSAJES = {
  incompleto: 'Por favor completa todos los campos y sube ambos lados de tu credencial.',
  exito: 'Registro exitoso.',
  caracteres: (archivo: string) => `El archivo "${archivo}" contiene caracteres no permitidos.`,

  faltaNombre: 'Escribe tu nombre completo.',
  faltaEdad: 'Escribe tu edad.',
  faltaEstatura: 'Escribe tu estatura.',
  faltaCelular: 'Escribe tu número de celular.',
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
    `El archivo "${archivo}" pesa demasiado: el máximo es ${MAX_ARCHIVO_BYTES / 1_048_576} MB por archivo.`,
  archivoTipo: (archivo: string) =>
    `El archivo "${archivo}" no es una foto ni un PDF. Sube una foto (JPG, PNG, WebP o HEIC) o un PDF.`,
  archivoNombreLargo: (archivo: string) =>
    `El nombre del archivo "${archivo.slice(0, 40)}…" es demasiado largo. Cámbialo por uno más corto.`,
  archivoIncompleto: (archivo: string) => `El archivo "${archivo}" no terminó de subir. Súbelo de nuevo.`,
  archivoPerdido: 'Uno de los archivos ya no está en el servidor. Elígelo y súbelo de nuevo.',
  credencialRepetida:
    'Los dos lados de la credencial son el mismo archivo. Sube una foto del frente y otra del reverso.',

  subidaAjena: 'Esta subida no existe o ya caducó. Elige el archivo de nuevo.',
  subidaDesfasada: 'La subida siguió en otra parte. Vuelve a intentarlo.',
  subidaLarga: 'El archivo trajo más datos de los anunciados. Elígelo y súbelo de nuevo.',
  subidasDemasiadas: 'Hay demasiados archivos en este registro. Quita los que sobran o recarga la página.',
  peticion: 'El formulario llegó incompleto o dañado. Recarga la página e inténtalo de nuevo.',
  camposDesconocidos: 'El formulario trae datos que no conocemos. Recarga la página e inténtalo de nuevo.',
  yaRecibido:
    'Este registro ya se había recibido con otros datos. Si necesitas corregirlos, vuelve a enviar el formulario completo.',
  limite: 'Llegaron demasiados envíos desde tu conexión. Espera unos minutos e inténtalo de nuevo.',
  saturado: 'En este momento estamos recibiendo demasiados archivos. Espera unos minutos e inténtalo de nuevo.',
  sinEspacio:
    'El servidor se quedó sin espacio para guardar tu archivo. Avisa al comité organizador e inténtalo más tarde.',
  falla: (errorId: string) =>
    `No pudimos guardar tu registro por una falla nuestra; no perdiste nada de lo que ya subiste. Inténtalo de nuevo en unos minutos y, si continúa, comparte este número con el comité organizador: ${errorId}.`,
} as const

/** Why an upload or a registration was refused, and the HTTP status that says so. */
const ESTADO_POR_MOTIVO = {
  peticion: 400,
  camposDesconocidos: 400,
  entrega: 400,
  archivoVacio: 400,
  nombreArchivo: 400,
  subidaAjena: 404,
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
  message: string
}

/** What POST /registro came to. */
export type ResultadoRegistro =
  | { ok: true }
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
      /** Only with reason limite or saturado: seconds to wait. */
      retryAfterSeconds?: number
    }

/** How HTTP says the same. */
export const answerInit = (resultado: ResultadoRegistro): { status: number; headers: Record<string, string> } =>
  resultado.ok
    ? { status: 200, headers: {} }
    : {
        status: statusOf(resultado.reason),
        headers: resultado.retryAfterSeconds ? { 'retry-after': String(resultado.retryAfterSeconds) } : {},
      }

/** The values of a registration once checked. */
export interface DatosRegistro {
  nombre: string
  edad: number
  /** Metres. */
  estatura: number
  gradoEstudio: GradoEstudio
  celular: string
}
