import type { FieldPath } from '#app/cms/schema/edits.ts'
import { descriptorOf, isDocumentName } from '#app/cms/schema/faults.ts'
import { inWords } from '#app/cms/schema/field-descriptor.ts'

/** A document, or a part of one, in a screen's form. */
export interface FormPart {
  documento: string
  /** The field that stands in this form; undefined: the whole document. */
  campo?: FieldPath
  /** Fields of the document that stand in another form. */
  sin?: readonly string[]
}

/** A public screen as the panel lists it. */
export interface SiteScreen {
  id: string
  title: string
  /** The screen's contents in one line. */
  summary: string
  /** The public address. */
  path: string
  /** Other addresses that show parts of the screen. */
  otherPaths?: readonly { path: string; title: string }[]
  parts: readonly FormPart[]
}

/** The editable screens, in the order of the site. */
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

/** Whether a field stands in a part of a form. */
export function isInPart(part: FormPart, document: string, field: FieldPath): boolean {
  if (part.documento !== document) return false
  if (part.sin?.includes(String(field[0]))) return false
  return (part.campo ?? []).every((step, at) => field[at] === step)
}

/** The screen in whose form a field stands. */
export const screenOfField = (document: string, field: FieldPath): SiteScreen | undefined =>
  EDITABLE_SCREENS.find(({ parts }) => parts.some((part) => isInPart(part, document, field)))

/** Adds to each field its screen and its name in that screen's form; fields without a form are left out. */
export const locateFields = (fields: readonly { documento: string; campo: FieldPath }[]) =>
  fields.flatMap(({ documento, campo }) => {
    const screen = screenOfField(documento, campo)
    if (!screen || !isDocumentName(documento)) return []
    const statement = inWords(descriptorOf(documento), campo)
    const where = statement.startsWith(`${screen.title} › `) ? statement : `${screen.title} › ${statement}`
    return [{ documento, campo, pantalla: screen.id, donde: where }]
  })

/** Addresses that the live preview may show. */
export const PREVIEWABLE_PATHS = new RegExp(
  `^(${EDITABLE_SCREENS.flatMap(({ path, otherPaths = [] }) => [path, ...otherPaths.map((another) => another.path)]).join('|')}|/maestros/[a-z0-9-]+)$`,
)
