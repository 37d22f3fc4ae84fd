/** This module describes the kinds of document; forms, checks, panel and exports are built from the descriptors. */

/** An entry arrives by one of two forms, and keeps that form's type. */
export type EntryType = 'candidata' | 'traje'

const MB = 1_048_576
/** The specification sets no limit for candidates' files. No limit of a costume's file is larger, so uploads are cut here. */
export const MAX_FILE_BYTES = 15 * MB
/** §9 and D11 set this limit and the next one. */
const MAX_SKETCH_BYTES = 5 * MB
const MAX_IDENTIFICATION_BYTES = 2 * MB

/**
 * A document's media type is detected from its content. A candidate's documents may have each of these types, a costume's only
 * some of them.
 */
export const DOCUMENT_MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'application/pdf'] as const
export type DocumentMediaType = (typeof DOCUMENT_MEDIA_TYPES)[number]
/** §9 lets only these types pass for a costume's files. */
const JPG_PNG_PDF = ['image/jpeg', 'image/png', 'application/pdf'] as const

/** A Kind has the names of a kind of document, and the limits and messages for its files. */
interface Kind {
  /** The form of this type asks for the document. */
  entryType: EntryType
  /** The form shows this label, as §2 words it. */
  label: string
  /** Panel, mail, exports and the folio's page call the document so. */
  name: string
  /** Views and exports put the watermark across an identity document. */
  isIdentity: boolean
  /** The panel shows a reserved document only to roles with the right `cuerpo`, and only after one more press. */
  isReserved: boolean
  isOnJuryCard: boolean
  /** §5 asks for exactly this many files. */
  fileCount: 1 | 2
  /** The limit is for each file. */
  maxBytes: number
  mediaTypes: readonly DocumentMediaType[]
  /** The file input's `accept`; extensions are there for systems that know no type for HEIC. */
  accept: string
  /** The hint says the accepted types and the size limit in words. */
  hint: string
  /** A voter card with more than two files gets this message, too. */
  missingMessage: string
  tooLargeMessage(file: string): string
  wrongTypeMessage(file: string): string
  /** The document's row shows this shorter message; `wrongTypeMessage` is for the banner. */
  shortWrongTypeMessage: string
}

/** A kind that takes one file has these messages for no file and for several files. */
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
  // §8 gives both sentences word for word.
  tooLargeMessage: (file) => `El archivo "${file}" excede el tamaño máximo de ${maxBytes / MB}MB.`,
  wrongTypeMessage: (file) => `El archivo "${file}" debe ser JPG, PNG o PDF.`,
  shortWrongTypeMessage: 'Sólo JPG, PNG o PDF.',
  ...ownPart,
})

/** The kinds stand in the order of the forms. §2.8 gives the candidates' labels, and §3 the keys. */
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

/** The kinds stand in the order of the forms, the candidates' first. */
export const DOCUMENT_KINDS = Object.keys(KINDS) as DocumentKind[]

/** The first chosen file of a voter card is its front, the second its back (D13). */
export const SIDES: readonly VoterCardSide[] = ['anverso', 'reverso']

const SIDE_NAMES = { anverso: 'frente', reverso: 'reverso' } as const

/** Names a document with its side, such as «Credencial de elector, frente». */
export const documentName = (kind: DocumentKind, side: VoterCardSide | null): string =>
  side ? `${KINDS[kind].name}, ${SIDE_NAMES[side]}` : KINDS[kind].name

/** Compares documents so that they are sorted as the forms ask for them, the front of the voter card before its back. */
export const compareByKind = (
  a: { clase: DocumentKind; lado: VoterCardSide | null },
  b: { clase: DocumentKind; lado: VoterCardSide | null },
): number =>
  DOCUMENT_KINDS.indexOf(a.clase) - DOCUMENT_KINDS.indexOf(b.clase) || (a.lado ?? '').localeCompare(b.lado ?? '')

/** Words the short message that a document's row shows for a file that is too large. */
export const sizeLimitText = (kind: DocumentKind): string => `Máximo ${KINDS[kind].maxBytes / MB} MB.`
