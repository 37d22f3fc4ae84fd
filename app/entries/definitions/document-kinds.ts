/** The kinds of document that an entry brings: one descriptor each, from which forms, checks, panel and exports are made. */

/** The two forms by which an entry comes. */
export type TipoInscripcion = 'candidata' | 'traje'

const MB = 1_048_576
/** A file of the candidates' form at most, in bytes; the specification names none for it. No file of any form is larger. */
export const MAX_ARCHIVO_BYTES = 15 * MB
/** @source §9, D11 */
const MAX_BOCETO_BYTES = 5 * MB
/** @source §9, D11 */
const MAX_IDENTIFICACION_BYTES = 2 * MB

/** What a document may be, by its content. */
const FOTO_O_PDF = ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'application/pdf'] as const
/** All that any document may be. */
export const TIPOS_DOCUMENTO = FOTO_O_PDF
export type TipoDocumento = (typeof FOTO_O_PDF)[number]
/** @source §9 */
const JPG_PNG_PDF = ['image/jpeg', 'image/png', 'application/pdf'] as const

/** What is asked of the files of one kind, and how it is called. */
interface Clase {
  /** The form that asks for it. */
  de: TipoInscripcion
  /** As its form shows it. */
  etiqueta: string
  /** As panel, mail, exports and the folio's page call it. */
  nombre: string
  /** It says who somebody is: whatever shows or exports it puts the mark across. */
  esDeIdentidad: boolean
  /** The panel shows it only to whoever asks for it once more. */
  esReservado: boolean
  /** It stands on the jury's card. */
  vaEnFicha: boolean
  /** How many files. @source §5 */
  archivos: 1 | 2
  /** Bytes of one file. */
  maxBytes: number
  tipos: readonly TipoDocumento[]
  /** For the file input, extensions included. */
  accept: string
  /** The same for people, with the limit. */
  pista: string
  /** What is said where too few files were chosen. */
  falta: string
  /** What is said of a file that is larger, or of another type. */
  grande(archivo: string): string
  tipo(archivo: string): string
  /** What the document's own line says of another type. */
  tipoBreve: string
}

/** What is said where one file is asked for, and none or several came. */
export const FALTA_DOCUMENTO = 'Elige el archivo de este documento.'
export const SOBRA_DOCUMENTO = 'Este documento lleva un solo archivo.'

type Propio = Pick<Clase, 'etiqueta' | 'nombre'> &
  Partial<Pick<Clase, 'esDeIdentidad' | 'esReservado' | 'vaEnFicha' | 'archivos' | 'falta'>>

const COMUN = {
  esDeIdentidad: false,
  esReservado: false,
  vaEnFicha: false,
  archivos: 1,
  falta: FALTA_DOCUMENTO,
} as const

const deCandidata = (propio: Propio): Clase => ({
  ...COMUN,
  de: 'candidata',
  maxBytes: MAX_ARCHIVO_BYTES,
  tipos: FOTO_O_PDF,
  accept: [...FOTO_O_PDF, 'image/heif', '.heic', '.heif'].join(','),
  pista: `Foto o PDF, hasta ${MAX_ARCHIVO_BYTES / MB} MB`,
  grande: (archivo) => `El archivo "${archivo}" pesa demasiado: el máximo es ${MAX_ARCHIVO_BYTES / MB} MB por archivo.`,
  tipo: (archivo) =>
    `El archivo "${archivo}" no es una foto ni un PDF. Sube una foto (JPG, PNG, WebP o HEIC) o un PDF.`,
  tipoBreve: 'Sólo fotos (JPG, PNG, WebP o HEIC) o un PDF.',
  ...propio,
})

const deTraje = (maxBytes: number, propio: Propio): Clase => ({
  ...COMUN,
  de: 'traje',
  maxBytes,
  tipos: JPG_PNG_PDF,
  accept: JPG_PNG_PDF.join(','),
  pista: `JPG, PNG o PDF, hasta ${maxBytes / MB} MB`,
  // Both sentences to the letter. @source §8
  grande: (archivo) => `El archivo "${archivo}" excede el tamaño máximo de ${maxBytes / MB}MB.`,
  tipo: (archivo) => `El archivo "${archivo}" debe ser JPG, PNG o PDF.`,
  tipoBreve: 'Sólo JPG, PNG o PDF.',
  ...propio,
})

/** In the order of the forms. Names of the forms' labels: §2.8; kinds: §3. */
const CLASES = {
  actaNacimiento: deCandidata({
    etiqueta: 'Acta de Nacimiento',
    nombre: 'Acta de nacimiento',
    esDeIdentidad: true,
  }),
  credencialElector: deCandidata({
    etiqueta: 'Cred. Elector (ambos lados)',
    nombre: 'Credencial de elector',
    esDeIdentidad: true,
    archivos: 2,
    falta: 'Sube dos archivos: primero el frente y después el reverso de tu credencial.',
  }),
  constanciaEstudios: deCandidata({
    etiqueta: 'Constancia de Estudios',
    nombre: 'Constancia de estudios',
    esDeIdentidad: true,
  }),
  fotoRostro: deCandidata({ etiqueta: 'Foto Rostro', nombre: 'Foto de rostro', vaEnFicha: true }),
  fotoCuerpo: deCandidata({
    etiqueta: 'Foto Cuerpo (traje de baño)',
    nombre: 'Foto de cuerpo (traje de baño)',
    esReservado: true,
  }),
  bocetoFrontal: deTraje(MAX_BOCETO_BYTES, {
    etiqueta: 'Boceto frontal',
    nombre: 'Boceto frontal',
    vaEnFicha: true,
  }),
  bocetoPosterior: deTraje(MAX_BOCETO_BYTES, { etiqueta: 'Boceto posterior', nombre: 'Boceto posterior' }),
  identificacion: deTraje(MAX_IDENTIFICACION_BYTES, {
    etiqueta: 'Identificación',
    nombre: 'Identificación',
    esDeIdentidad: true,
  }),
} satisfies Record<string, Clase>

export type ClaseDocumento = keyof typeof CLASES
export type LadoCredencial = 'anverso' | 'reverso'

export const claseOf = (clase: ClaseDocumento): Clase => CLASES[clase]

/** Every kind, in the order of the forms. */
export const CLASES_DOCUMENTO = Object.keys(CLASES) as ClaseDocumento[]

/** A document's sides, in the order in which they are chosen (D13). */
export const LADOS: readonly LadoCredencial[] = ['anverso', 'reverso']

const NOMBRE_DE_LADO = { anverso: 'frente', reverso: 'reverso' } as const

/** What everybody calls one document: «Credencial de elector, frente». */
export const nombreDeDocumento = (clase: ClaseDocumento, lado: LadoCredencial | null): string =>
  lado ? `${CLASES[clase].nombre}, ${NOMBRE_DE_LADO[lado]}` : CLASES[clase].nombre

/** Orders documents as the forms ask for them, the front of the credential before its back. */
export const porClase = (
  a: { clase: ClaseDocumento; lado: LadoCredencial | null },
  b: { clase: ClaseDocumento; lado: LadoCredencial | null },
): number =>
  CLASES_DOCUMENTO.indexOf(a.clase) - CLASES_DOCUMENTO.indexOf(b.clase) || (a.lado ?? '').localeCompare(b.lado ?? '')

/** What is said of a file's size in one line beside it. */
export const tamanoBreve = (clase: ClaseDocumento): string => `Máximo ${CLASES[clase].maxBytes / MB} MB.`
