/** The section of the handbook that each screen of «El sitio» leads to; every other form's is that of a word. */
export const SECCIONES = {
  sitio: 'manual-del-comite',
  publicar: 'publicar',
  publicaciones: 'regresar',
  ver: 'ver-el-sitio-antes-de-publicar',
  ediciones: 'preparar-y-abrir-el-ano-que-viene',
  retirar: 'retirar-a-una-candidata',
  formulario: 'cambiar-una-palabra',
  portada: 'agregar-una-noticia',
  candidatas: 'agregar-o-corregir-una-candidata',
  patrocinadores: 'agregar-un-patrocinador',
  programa: 'el-programa-de-la-feria',
  final: 'la-noche-de-la-final',
} as const

export type Seccion = keyof typeof SECCIONES

const isSeccion = (id: string): id is Seccion => Object.hasOwn(SECCIONES, id)

/** The section for a screen's form. */
export const seccionDe = (pantalla: string): Seccion => (isSeccion(pantalla) ? pantalla : 'formulario')
