/** Each screen of «El sitio» has its heading's id in the handbook here; forms without a section use `formulario`. */
export const SECTIONS = {
  sitio: 'manual-del-comite',
  publicar: 'publicar',
  publicaciones: 'regresar',
  ver: 'ver-el-sitio-antes-de-publicar',
  ediciones: 'preparar-y-abrir-el-ano-que-viene',
  retirar: 'retirar-a-una-candidata',
  formulario: 'cambiar-una-palabra',
  portada: 'agregar-una-noticia',
  convocatorias: 'poner-una-convocatoria-con-sus-bases',
  candidatas: 'agregar-o-corregir-una-candidata',
  patrocinadores: 'agregar-un-patrocinador',
  programa: 'el-programa-de-la-feria',
  final: 'la-noche-de-la-final',
} as const

export type Section = keyof typeof SECTIONS

const isSection = (id: string): id is Section => Object.hasOwn(SECTIONS, id)

export const sectionOf = (screen: string): Section => (isSection(screen) ? screen : 'formulario')
