/** Id of the handbook's heading for each screen of «El sitio»; a form without a section of its own uses `formulario`. */
export const HANDBOOK_SECTIONS = {
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

export type HandbookSection = keyof typeof HANDBOOK_SECTIONS

const isSection = (id: string): id is HandbookSection => Object.hasOwn(HANDBOOK_SECTIONS, id)

export const handbookSectionOf = (screenId: string): HandbookSection => (isSection(screenId) ? screenId : 'formulario')
