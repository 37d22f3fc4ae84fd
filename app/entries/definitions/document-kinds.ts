/** The kinds of document; forms, checks, panel and exports are built from their descriptors. */

/** The form by which an entry arrived. */
export type EntryType = 'candidata' | 'traje'

const MIB = 1_048_576
/** Limit of a candidate's file, for which the specification sets none; also the limit of any upload to a registration. */
export const MAX_FILE_BYTES = 15 * MIB
/** Limit of §9 and D11. */
const MAX_SKETCH_BYTES = 5 * MIB
/** Limit of §9 and D11. */
const MAX_IDENTIFICATION_BYTES = 2 * MIB

/** Media types of a candidate's documents, as they are detected from the content. */
export const DOCUMENT_MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'application/pdf'] as const
export type DocumentMediaType = (typeof DOCUMENT_MEDIA_TYPES)[number]
/** The types that §9 accepts for a costume's files. */
const COSTUME_MEDIA_TYPES = ['image/jpeg', 'image/png', 'application/pdf'] as const

/** Names of a kind of document, with the limits and messages for its files. */
interface Kind {
  /** The form that asks for the document. */
  entryType: EntryType
  /** The form's label, in the words of §2. */
  label: string
  /** The name in panel, mail, exports and on the folio's page. */
  name: string
  /** Whether it is an identity document, which views and exports show with the watermark. */
  isIdentity: boolean
  /** Whether the panel shows the document only to roles with the right `cuerpo`, and only after one more press. */
  isReserved: boolean
  isOnJuryCard: boolean
  /** Number of files that §5 asks for. */
  fileCount: 1 | 2
  /** Limit for each file. */
  maxBytes: number
  mediaTypes: readonly DocumentMediaType[]
  /** The file input's `accept`, with extensions for systems that know no media type for HEIC. */
  accept: string
  /** Accepted types and size limit, in words. */
  hint: string
  /** Also the message for a voter card with one file, or with more than two. */
  missingMessage: string
  tooLargeMessage(file: string): string
  wrongTypeMessage(file: string): string
  /** Message for the document's row; `wrongTypeMessage` is for the banner. */
  shortWrongTypeMessage: string
}

/** Messages of a kind that takes one file, for no file and for several files. */
export const MISSING_DOCUMENT_MESSAGE = 'Elige el archivo de este documento.'
export const EXTRA_DOCUMENT_MESSAGE = 'Este documento lleva un solo archivo.'

type KindSpec = Pick<Kind, 'label' | 'name'> &
  Partial<Pick<Kind, 'isIdentity' | 'isReserved' | 'isOnJuryCard' | 'fileCount' | 'missingMessage'>>

const DEFAULTS = {
  isIdentity: false,
  isReserved: false,
  isOnJuryCard: false,
  fileCount: 1,
  missingMessage: MISSING_DOCUMENT_MESSAGE,
} as const

const candidateKind = (spec: KindSpec): Kind => ({
  ...DEFAULTS,
  entryType: 'candidata',
  maxBytes: MAX_FILE_BYTES,
  mediaTypes: DOCUMENT_MEDIA_TYPES,
  accept: [...DOCUMENT_MEDIA_TYPES, 'image/heif', '.heic', '.heif'].join(','),
  hint: `Foto o PDF, hasta ${MAX_FILE_BYTES / MIB} MB`,
  tooLargeMessage: (file) =>
    `El archivo "${file}" pesa demasiado: el máximo es ${MAX_FILE_BYTES / MIB} MB por archivo.`,
  wrongTypeMessage: (file) =>
    `El archivo "${file}" no es una foto ni un PDF. Sube una foto (JPG, PNG, WebP o HEIC) o un PDF.`,
  shortWrongTypeMessage: 'Sólo fotos (JPG, PNG, WebP o HEIC) o un PDF.',
  ...spec,
})

const costumeKind = (maxBytes: number, spec: KindSpec): Kind => ({
  ...DEFAULTS,
  entryType: 'traje',
  maxBytes,
  mediaTypes: COSTUME_MEDIA_TYPES,
  accept: COSTUME_MEDIA_TYPES.join(','),
  hint: `JPG, PNG o PDF, hasta ${maxBytes / MIB} MB`,
  // §8 gives both sentences word for word.
  tooLargeMessage: (file) => `El archivo "${file}" excede el tamaño máximo de ${maxBytes / MIB}MB.`,
  wrongTypeMessage: (file) => `El archivo "${file}" debe ser JPG, PNG o PDF.`,
  shortWrongTypeMessage: 'Sólo JPG, PNG o PDF.',
  ...spec,
})

/** Kinds in the order of the forms, with the labels of §2.8 and the keys of §3 for the candidates' documents. */
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
/** Side of a voter card; a document of another kind has null or undefined in its place. */
export type VoterCardSide = 'anverso' | 'reverso'

export const kindOf = (kind: DocumentKind): Kind => KINDS[kind]

/** Kinds in the order of the forms, the candidates' first. */
export const DOCUMENT_KINDS = Object.keys(KINDS) as DocumentKind[]

/** Sides in the order in which the files of a voter card are chosen (D13). */
export const VOTER_CARD_SIDES: readonly VoterCardSide[] = ['anverso', 'reverso']

const SIDE_NAMES = { anverso: 'frente', reverso: 'reverso' } as const

/** Returns a document's name with its side, such as «Credencial de elector, frente». */
export const documentName = (kind: DocumentKind, side: VoterCardSide | null): string =>
  side ? `${KINDS[kind].name}, ${SIDE_NAMES[side]}` : KINDS[kind].name

/** Compares documents, for sorting them as the forms ask for them, the front of the voter card before its back. */
export const compareByKind = (
  a: { clase: DocumentKind; lado: VoterCardSide | null },
  b: { clase: DocumentKind; lado: VoterCardSide | null },
): number =>
  DOCUMENT_KINDS.indexOf(a.clase) - DOCUMENT_KINDS.indexOf(b.clase) || (a.lado ?? '').localeCompare(b.lado ?? '')

/** Returns the short message that a document's row shows for a file that is too large. */
export const sizeLimitText = (kind: DocumentKind): string => `Máximo ${KINDS[kind].maxBytes / MIB} MB.`
