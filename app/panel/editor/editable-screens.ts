import { descriptorOf, isDocumentName } from '#app/cms/schema/faults.ts'
import { inWords } from '#app/cms/schema/field-descriptor.ts'
import type { FieldPath } from '#app/cms/schema/field-path.ts'

/** A FormPart is a document, or a part of a document, in a screen's form. */
export interface FormPart {
  documento: string
  /** Only this field stands in the form; undefined: the whole document. */
  campo?: FieldPath
  /** These fields of the document stand in another form. */
  excludedFields?: readonly string[]
}

export interface SiteScreen {
  id: string
  title: string
  summary: string
  /** Visitors see the screen at this path. */
  path: string
  /** The thumbnail shows the screen from the element with this id. */
  anchor?: string
  /** Other paths show parts of the screen, too. */
  otherPaths?: readonly { path: string; title: string }[]
  parts: readonly FormPart[]
}

/** The panel lists the editable screens in this order. */
export const EDITABLE_SCREENS: readonly SiteScreen[] = [
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
    summary: 'Los anuncios y a dónde lleva cada uno',
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
    anchor: 'patrocinadores',
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

export const findScreen = (id: string | undefined): SiteScreen | undefined =>
  EDITABLE_SCREENS.find((one) => one.id === id)

/** Returns whether a field stands in a part of a form. */
export function isInPart(part: FormPart, document: string, field: FieldPath): boolean {
  if (part.documento !== document) return false
  if (part.excludedFields?.includes(String(field[0]))) return false
  return (part.campo ?? []).every((step, at) => field[at] === step)
}

/** Finds the screen in whose form a field stands; undefined where no form has the field. */
export const screenOfField = (document: string, field: FieldPath): SiteScreen | undefined =>
  EDITABLE_SCREENS.find(({ parts }) => parts.some((part) => isInPart(part, document, field)))

/** Adds to each field its screen and its name in that screen's form; fields without a form are left out. */
export const locateFields = (fields: readonly { documento: string; campo: FieldPath }[]) =>
  fields.flatMap(({ documento, campo }) => {
    const screen = screenOfField(documento, campo)
    if (!screen || !isDocumentName(documento)) return []
    const fieldInWords = inWords(descriptorOf(documento), campo)
    const where = fieldInWords.startsWith(`${screen.title} › `) ? fieldInWords : `${screen.title} › ${fieldInWords}`
    return [{ documento, campo, screenId: screen.id, label: where }]
  })

/** The live preview may show these paths only. */
export const PREVIEWABLE_PATHS = new RegExp(
  `^(${EDITABLE_SCREENS.flatMap(({ path, otherPaths = [] }) => [path, ...otherPaths.map((other) => other.path)]).join('|')}|/maestros/[a-z0-9-]+)$`,
)
