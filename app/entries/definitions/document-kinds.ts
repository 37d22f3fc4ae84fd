/** Descriptors of the kinds of document: forms, checks, panel and exports are built from them. */

/** The two forms by which an entry arrives. */
export type EntryType = 'candidata' | 'traje'

const MB = 1_048_576
/** Largest file of the candidates' form, for which the specification sets no limit; the largest of either form. */
export const MAX_FILE_BYTES = 15 * MB
/** @source §9, D11 */
const MAX_SKETCH_BYTES = 5 * MB
/** @source §9, D11 */
const MAX_IDENTIFICATION_BYTES = 2 * MB

/** Media types of a document, detected from its content: all of them for a candidate, fewer for a costume. */
export const DOCUMENT_MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'application/pdf'] as const
export type DocumentMediaType = (typeof DOCUMENT_MEDIA_TYPES)[number]
/** @source §9 */
const JPG_PNG_PDF = ['image/jpeg', 'image/png', 'application/pdf'] as const

/** One kind of document: its names, and the limits and messages for its files. */
interface Kind {
  /** The form that asks for this document. */
  entryType: EntryType
  /** Label in the form. */
  label: string
  /** Name in the panel, in mail, in exports and on the folio's page. */
  name: string
  /** Identity document: views and exports put the watermark across it. */
  isIdentity: boolean
  /** Reserved document: the panel shows it only when the organiser asks once more. */
  isReserved: boolean
  /** Whether the jury's card shows it. */
  isOnJuryCard: boolean
  /** Number of files. @source §5 */
  fileCount: 1 | 2
  /** Largest size of one file, in bytes. */
  maxBytes: number
  mediaTypes: readonly DocumentMediaType[]
  /** Value for the file input, extensions included. */
  accept: string
  /** The accepted types and the size limit, in words. */
  hint: string
  /** Message when too few files were chosen. */
  missingMessage: string
  /** Messages for a file that is too large, and for one of another type. */
  tooLargeMessage(file: string): string
  wrongTypeMessage(file: string): string
  /** Short message for another type, shown in the document's row. */
  shortWrongTypeMessage: string
}

/** Messages for a kind that takes one file, when none or several came. */
export const MISSING_DOCUMENT = 'Elige el archivo de este documento.'
export const EXTRA_DOCUMENT = 'Este documento lleva un solo archivo.'

type KindSpec = Pick<Kind, 'label' | 'name'> &
  Partial<Pick<Kind, 'isIdentity' | 'isReserved' | 'isOnJuryCard' | 'fileCount' | 'missingMessage'>>

const DEFAULTS = {
  isIdentity: false,
  isReserved: false,
  isOnJuryCard: false,
  fileCount: 1,
  missingMessage: MISSING_DOCUMENT,
} as const

const candidateKind = (ownPart: KindSpec): Kind => ({
  ...DEFAULTS,
  entryType: 'candidata',
  maxBytes: MAX_FILE_BYTES,
  mediaTypes: DOCUMENT_MEDIA_TYPES,
  accept: [...DOCUMENT_MEDIA_TYPES, 'image/heif', '.heic', '.heif'].join(','),
  hint: `Foto o PDF, hasta ${MAX_FILE_BYTES / MB} MB`,
  tooLargeMessage: (file) => `El archivo "${file}" pesa demasiado: el máximo es ${MAX_FILE_BYTES / MB} MB por archivo.`,
  wrongTypeMessage: (file) =>
    `El archivo "${file}" no es una foto ni un PDF. Sube una foto (JPG, PNG, WebP o HEIC) o un PDF.`,
  shortWrongTypeMessage: 'Sólo fotos (JPG, PNG, WebP o HEIC) o un PDF.',
  ...ownPart,
})

const costumeKind = (maxBytes: number, ownPart: KindSpec): Kind => ({
  ...DEFAULTS,
  entryType: 'traje',
  maxBytes,
  mediaTypes: JPG_PNG_PDF,
  accept: JPG_PNG_PDF.join(','),
  hint: `JPG, PNG o PDF, hasta ${maxBytes / MB} MB`,
  // Both sentences are verbatim. @source §8
  tooLargeMessage: (file) => `El archivo "${file}" excede el tamaño máximo de ${maxBytes / MB}MB.`,
  wrongTypeMessage: (file) => `El archivo "${file}" debe ser JPG, PNG o PDF.`,
  shortWrongTypeMessage: 'Sólo JPG, PNG o PDF.',
  ...ownPart,
})

/** In the order of the forms. Labels: §2.8; keys: §3. */
const KINDS = {
  actaNacimiento: candidateKind({
    label: 'Acta de Nacimiento',
    name: 'Acta de nacimiento',
    isIdentity: true,
  }),
  credencialElector: candidateKind({
    label: 'Cred. Elector (ambos lados)',
    name: 'Credencial de elector',
    isIdentity: true,
    fileCount: 2,
    missingMessage: 'Sube dos archivos: primero el frente y después el reverso de tu credencial.',
  }),
  constanciaEstudios: candidateKind({
    label: 'Constancia de Estudios',
    name: 'Constancia de estudios',
    isIdentity: true,
  }),
  fotoRostro: candidateKind({ label: 'Foto Rostro', name: 'Foto de rostro', isOnJuryCard: true }),
  fotoCuerpo: candidateKind({
    label: 'Foto Cuerpo (traje de baño)',
    name: 'Foto de cuerpo (traje de baño)',
    isReserved: true,
  }),
  bocetoFrontal: costumeKind(MAX_SKETCH_BYTES, {
    label: 'Boceto frontal',
    name: 'Boceto frontal',
    isOnJuryCard: true,
  }),
  bocetoPosterior: costumeKind(MAX_SKETCH_BYTES, { label: 'Boceto posterior', name: 'Boceto posterior' }),
  identificacion: costumeKind(MAX_IDENTIFICATION_BYTES, {
    label: 'Identificación',
    name: 'Identificación',
    isIdentity: true,
  }),
} satisfies Record<string, Kind>

export type DocumentKind = keyof typeof KINDS
export type VoterCardSide = 'anverso' | 'reverso'

export const kindOf = (kind: DocumentKind): Kind => KINDS[kind]

/** Every kind, in the order of the forms. */
export const DOCUMENT_KINDS = Object.keys(KINDS) as DocumentKind[]

/** The voter card's sides, in the order in which their files are chosen (D13). */
export const SIDES: readonly VoterCardSide[] = ['anverso', 'reverso']

const SIDE_NAMES = { anverso: 'frente', reverso: 'reverso' } as const

/** Full name of a document, such as «Credencial de elector, frente». */
export const documentName = (kind: DocumentKind, side: VoterCardSide | null): string =>
  side ? `${KINDS[kind].name}, ${SIDE_NAMES[side]}` : KINDS[kind].name

/** Orders documents as the forms ask for them, the front of the voter card before its back. */
export const compareByKind = (
  a: { clase: DocumentKind; lado: VoterCardSide | null },
  b: { clase: DocumentKind; lado: VoterCardSide | null },
): number =>
  DOCUMENT_KINDS.indexOf(a.clase) - DOCUMENT_KINDS.indexOf(b.clase) || (a.lado ?? '').localeCompare(b.lado ?? '')

/** Short message for a file that is too large. */
export const sizeLimitText = (kind: DocumentKind): string => `Máximo ${KINDS[kind].maxBytes / MB} MB.`
