import type { Camino } from '#app/cms/schema/edits.ts'
import { descriptorDe, isDocumento } from '#app/cms/schema/faults.ts'
import { enPalabras } from '#app/cms/schema/field-descriptor.ts'

/** A document, or a part of one, in a screen's form. */
export interface Parte {
  documento: string
  /** The field that stands in this form; undefined: the whole document. */
  campo?: Camino
  /** Fields of it that stand in another form. */
  sin?: readonly string[]
}

/** A public screen as the panel lists it. */
export interface Pantalla {
  id: string
  titulo: string
  /** What is found there, in a line. */
  dice: string
  /** The address that shows it. */
  ruta: string
  /** Others that show parts of it. */
  otras?: readonly { ruta: string; titulo: string }[]
  partes: readonly Parte[]
}

/** The public screens in the order of the site, and what each says. */
export const PANTALLAS: readonly Pantalla[] = [
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

export const pantallaDe = (id: string | undefined): Pantalla | undefined => PANTALLAS.find((one) => one.id === id)

/** Whether a field stands in a part of a form. */
export function estaEn(parte: Parte, documento: string, campo: Camino): boolean {
  if (parte.documento !== documento) return false
  if (parte.sin?.includes(String(campo[0]))) return false
  return (parte.campo ?? []).every((paso, at) => campo[at] === paso)
}

/** The screen in whose form a field stands. */
export const pantallaCon = (documento: string, campo: Camino): Pantalla | undefined =>
  PANTALLAS.find(({ partes }) => partes.some((parte) => estaEn(parte, documento, campo)))

/** Fields with the screen in whose form each stands, and their names there. */
export const dondeEstan = (campos: readonly { documento: string; campo: Camino }[]) =>
  campos.flatMap(({ documento, campo }) => {
    const pantalla = pantallaCon(documento, campo)
    if (!pantalla || !isDocumento(documento)) return []
    const dicho = enPalabras(descriptorDe(documento), campo)
    const donde = dicho.startsWith(`${pantalla.titulo} › `) ? dicho : `${pantalla.titulo} › ${dicho}`
    return [{ documento, campo, pantalla: pantalla.id, donde }]
  })

/** Addresses that a form may look at. */
export const RUTAS_QUE_SE_VEN = new RegExp(
  `^(${PANTALLAS.flatMap(({ ruta, otras = [] }) => [ruta, ...otras.map((otra) => otra.ruta)]).join('|')}|/maestros/[a-z0-9-]+)$`,
)
