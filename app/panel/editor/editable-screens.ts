import type { FieldPath } from '#app/cms/schema/edits.ts'
import { descriptorDe, isDocumentName } from '#app/cms/schema/faults.ts'
import { inWords } from '#app/cms/schema/field-descriptor.ts'

/** A document, or a part of one, in a screen's form. */
export interface Parte {
  documento: string
  /** The field that stands in this form; undefined: the whole document. */
  campo?: FieldPath
  /** Fields of the document that stand in another form. */
  sin?: readonly string[]
}

/** A public screen as the panel lists it. */
export interface SiteScreen {
  id: string
  titulo: string
  /** The screen's contents in one line. */
  dice: string
  /** The public address. */
  ruta: string
  /** Other addresses that show parts of the screen. */
  otras?: readonly { ruta: string; titulo: string }[]
  partes: readonly Parte[]
}

/** The editable screens, in the order of the site. */
export const EDITABLE_SCREENS: readonly SiteScreen[] = [
  {
    id: 'portada',
    titulo: 'Portada',
    dice: 'El video, la introducción, las fotografías y las noticias',
    ruta: '/',
    partes: [{ documento: 'inicio.yaml' }],
  },
  {
    id: 'certamen',
    titulo: 'El certamen',
    dice: 'Nombres, fechas, la feria, el domicilio y las redes',
    ruta: '/',
    partes: [{ documento: 'edicion.yaml' }],
  },
  {
    id: 'historia',
    titulo: 'Historia y reina',
    dice: 'La crónica de la feria y la reina en funciones',
    ruta: '/nuestra-historia',
    partes: [{ documento: 'historia.yaml' }],
  },
  {
    id: 'candidatas',
    titulo: 'Candidatas',
    dice: 'Quiénes son, sus fotografías y su material para la prensa',
    ruta: '/candidatas',
    partes: [{ documento: 'candidatas.yaml' }],
  },
  {
    id: 'maestros',
    titulo: 'Maestros',
    dice: 'Sus perfiles, fotografías y videos',
    ruta: '/maestros',
    partes: [{ documento: 'maestros.yaml' }],
  },
  {
    id: 'programa',
    titulo: 'Programa',
    dice: 'Qué hay cada día de la feria, a qué hora y dónde',
    ruta: '/programa',
    partes: [{ documento: 'programa.yaml' }],
  },
  {
    id: 'convocatorias',
    titulo: 'Convocatorias',
    dice: 'Los anuncios y a dónde lleva cada uno',
    ruta: '/convocatoria',
    partes: [{ documento: 'convocatorias.yaml', campo: ['anuncios'] }],
  },
  {
    id: 'prensa',
    titulo: 'Prensa',
    dice: 'La sala de prensa, el boletín y sus fotografías',
    ruta: '/convocatoriaoficial',
    otras: [{ ruta: '/medios', titulo: 'Sala de prensa' }],
    partes: [{ documento: 'prensa.yaml' }, { documento: 'convocatorias.yaml', campo: ['oficial'] }],
  },
  {
    id: 'patrocinadores',
    titulo: 'Patrocinadores',
    dice: 'Sus logotipos, nombres y páginas, en su orden',
    ruta: '/',
    partes: [{ documento: 'patrocinadores.yaml' }],
  },
  {
    id: 'votacion',
    titulo: 'Votación',
    dice: 'Los textos de Miss Popularidad, sus patrocinadores y sus reglas',
    ruta: '/misspopularidad',
    partes: [{ documento: 'popularidad.yaml' }, { documento: 'votacion.yaml' }],
  },
  {
    id: 'final',
    titulo: 'La final',
    dice: 'Rondas, criterios, jurado y qué pasa si hay empate',
    ruta: '/candidatas',
    partes: [{ documento: 'final.yaml' }],
  },
  {
    id: 'registro-de-candidatas',
    titulo: 'Registro de candidatas',
    dice: 'Lo que dice junto al formulario de las candidatas',
    ruta: '/registro',
    partes: [{ documento: 'registro.yaml' }],
  },
  {
    id: 'registro-de-trajes',
    titulo: 'Registro de trajes típicos',
    dice: 'Lo que dice junto al formulario de los trajes',
    ruta: '/registro-traje-tipico',
    partes: [{ documento: 'registro-traje.yaml' }],
  },
  {
    id: 'privacidad',
    titulo: 'Aviso de privacidad',
    dice: 'El aviso completo, sección por sección',
    ruta: '/aviso-de-privacidad',
    partes: [{ documento: 'privacidad.yaml' }],
  },
]

export const findScreen = (id: string | undefined): SiteScreen | undefined =>
  EDITABLE_SCREENS.find((one) => one.id === id)

/** Whether a field stands in a part of a form. */
export function isInPart(parte: Parte, document: string, field: FieldPath): boolean {
  if (parte.documento !== document) return false
  if (parte.sin?.includes(String(field[0]))) return false
  return (parte.campo ?? []).every((step, at) => field[at] === step)
}

/** The screen in whose form a field stands. */
export const screenOfField = (document: string, field: FieldPath): SiteScreen | undefined =>
  EDITABLE_SCREENS.find(({ partes }) => partes.some((parte) => isInPart(parte, document, field)))

/** Adds to each field its screen and its name in that screen's form; fields without a form are left out. */
export const locateFields = (fields: readonly { documento: string; campo: FieldPath }[]) =>
  fields.flatMap(({ documento, campo }) => {
    const screen = screenOfField(documento, campo)
    if (!screen || !isDocumentName(documento)) return []
    const statement = inWords(descriptorDe(documento), campo)
    const where = statement.startsWith(`${screen.titulo} › `) ? statement : `${screen.titulo} › ${statement}`
    return [{ documento, campo, pantalla: screen.id, donde: where }]
  })

/** Addresses that the live preview may show. */
export const PREVIEWABLE_PATHS = new RegExp(
  `^(${EDITABLE_SCREENS.flatMap(({ ruta, otras = [] }) => [ruta, ...otras.map((another) => another.ruta)]).join('|')}|/maestros/[a-z0-9-]+)$`,
)
