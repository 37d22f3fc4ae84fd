import { descriptorOf, isDocumentName } from '#app/cms/schema/faults.ts'
import { fieldInWords } from '#app/cms/schema/field-descriptor.ts'
import type { FieldPath } from '#app/cms/schema/field-path.ts'

/** A document, or a part of a document, that a screen's form edits. */
export interface FormPart {
  documento: string
  /** Path of the only field that the form edits; without it the form edits the whole document. */
  campo?: FieldPath
}

export interface EditableScreen {
  id: string
  title: string
  summary: string
  /** Path of the public screen. */
  path: string
  /** Selector of the element from which the thumbnail shows the screen. */
  anchor?: string
  /** Other public screens that show the same content. */
  otherPaths?: readonly { path: string; title: string }[]
  parts: readonly FormPart[]
}

/** Screens in the order of the panel's list. */
export const EDITABLE_SCREENS: readonly EditableScreen[] = [
  {
    id: 'portada',
    title: 'Portada',
    summary: 'El video, la introducción, las fotografías y las noticias',
    path: '/',
    parts: [{ documento: 'inicio.yaml' }],
  },
  {
    id: 'certamen',
    title: 'El certamen',
    summary: 'Nombres, fechas, la feria, el domicilio y las redes',
    path: '/',
    anchor: 'footer',
    parts: [{ documento: 'edicion.yaml' }],
  },
  {
    id: 'historia',
    title: 'Historia y reina',
    summary: 'La crónica de la feria y la reina en funciones',
    path: '/nuestra-historia',
    parts: [{ documento: 'historia.yaml' }],
  },
  {
    id: 'candidatas',
    title: 'Candidatas',
    summary: 'Quiénes son, sus fotografías y su material para la prensa',
    path: '/candidatas',
    parts: [{ documento: 'candidatas.yaml' }],
  },
  {
    id: 'maestros',
    title: 'Maestros',
    summary: 'Sus perfiles, fotografías y videos',
    path: '/maestros',
    parts: [{ documento: 'maestros.yaml' }],
  },
  {
    id: 'programa',
    title: 'Programa',
    summary: 'Qué hay cada día de la feria, a qué hora y dónde',
    path: '/programa',
    parts: [{ documento: 'programa.yaml' }],
  },
  {
    id: 'convocatorias',
    title: 'Convocatorias',
    summary: 'Las convocatorias, sus documentos y a dónde lleva cada una',
    path: '/convocatoria',
    parts: [{ documento: 'convocatorias.yaml', campo: ['anuncios'] }],
  },
  {
    id: 'prensa',
    title: 'Prensa',
    summary: 'La sala de prensa, el boletín y sus fotografías',
    path: '/convocatoriaoficial',
    otherPaths: [{ path: '/medios', title: 'Sala de prensa' }],
    parts: [{ documento: 'prensa.yaml' }, { documento: 'convocatorias.yaml', campo: ['oficial'] }],
  },
  {
    id: 'patrocinadores',
    title: 'Patrocinadores',
    summary: 'Sus logotipos, nombres y páginas, en su orden',
    path: '/',
    anchor: '#patrocinadores',
    parts: [{ documento: 'patrocinadores.yaml' }],
  },
  {
    id: 'votacion',
    title: 'Votación',
    summary: 'Los textos de Miss Popularidad, sus patrocinadores y sus reglas',
    path: '/misspopularidad',
    parts: [{ documento: 'popularidad.yaml' }, { documento: 'votacion.yaml' }],
  },
  {
    id: 'final',
    title: 'La final',
    summary: 'Rondas, criterios, jurado y qué pasa si hay empate',
    path: '/candidatas',
    parts: [{ documento: 'final.yaml' }],
  },
  {
    id: 'registro-de-candidatas',
    title: 'Registro de candidatas',
    summary: 'Lo que dice junto al formulario de las candidatas',
    path: '/registro',
    parts: [{ documento: 'registro.yaml' }],
  },
  {
    id: 'registro-de-trajes',
    title: 'Registro de trajes típicos',
    summary: 'Lo que dice junto al formulario de los trajes',
    path: '/registro-traje-tipico',
    parts: [{ documento: 'registro-traje.yaml' }],
  },
  {
    id: 'privacidad',
    title: 'Aviso de privacidad',
    summary: 'El aviso completo, sección por sección',
    path: '/aviso-de-privacidad',
    parts: [{ documento: 'privacidad.yaml' }],
  },
]

export const findScreen = (id: string | undefined): EditableScreen | undefined =>
  EDITABLE_SCREENS.find((screen) => screen.id === id)

export function isInPart(part: FormPart, document: string, field: FieldPath): boolean {
  return part.documento === document && (part.campo ?? []).every((step, index) => field[index] === step)
}

/** Finds the screen whose form edits a field; undefined if no form does. */
export const screenOfField = (document: string, field: FieldPath): EditableScreen | undefined =>
  EDITABLE_SCREENS.find(({ parts }) => parts.some((part) => isInPart(part, document, field)))

/** Adds to each field of an edition its screen and the label that the panel shows; leaves out fields that no form edits. */
export const locateFields = (
  fields: readonly { documento: string; campo: FieldPath }[],
  values: Readonly<Record<string, unknown>>,
) =>
  fields.flatMap(({ documento, campo }) => {
    const screen = screenOfField(documento, campo)
    if (!screen || !isDocumentName(documento)) return []
    const fieldLabel = fieldInWords(descriptorOf(documento), campo, values[documento])
    return [{ documento, campo, screenId: screen.id, label: withScreenTitle(screen, fieldLabel) }]
  })

/** Returns a field's label with the title of its screen before it, unless it begins with the title. */
export const withScreenTitle = ({ title }: EditableScreen, label: string): string =>
  label === title || label.startsWith(`${title} › `) ? label : `${title} › ${label}`

/** Matches the public paths that a frame in the panel may show: those of EDITABLE_SCREENS, and teachers' profiles. */
export const PREVIEWABLE_PATH_PATTERN = new RegExp(
  `^(${EDITABLE_SCREENS.flatMap(({ path, otherPaths = [] }) => [path, ...otherPaths.map((otherPath) => otherPath.path)]).join('|')}|/maestros/[a-z0-9-]+)$`,
)
