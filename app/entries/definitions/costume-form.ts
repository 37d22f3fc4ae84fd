import { CAMPOS_TRAJE } from './costume-fields.ts'
import type { Campo } from './field.ts'
import { clasesDe, type Forma, isAparte } from './form.ts'

/** Who designed the costume; what follows is about the costume itself. */
const DE_QUIEN_DISENA = ['nombre_disenador', 'email', 'celular', 'ciudad']
const isOfDesigner = ({ nombre }: Campo) => DE_QUIEN_DISENA.includes(nombre)

/** The form for typical costumes. @source §5 */
export const FORMA_TRAJE: Forma = {
  tipo: 'traje',
  ruta: '/registro-traje-tipico',
  bucket: 'registrotrajes',
  tabla: 'trajes_tipicos',
  periodo: 'registro.trajes',
  deQuien: 'trajes típicos',
  grupos: [
    { titulo: 'Tus datos', campos: CAMPOS_TRAJE.filter(isOfDesigner) },
    { titulo: 'El traje', campos: CAMPOS_TRAJE.filter((campo) => !isOfDesigner(campo) && !isAparte(campo)) },
  ],
  campos: CAMPOS_TRAJE,
  aparte: CAMPOS_TRAJE.filter(isAparte),
  clases: clasesDe('traje'),
  refusesAtOnce: false,
  incompleto: 'Por favor completa todos los campos obligatorios y sube todos los archivos requeridos.',
}
