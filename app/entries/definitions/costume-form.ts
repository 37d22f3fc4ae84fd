import { COSTUME_FIELDS } from './costume-fields.ts'
import type { Field } from './field.ts'
import { type Forma, isExtra, kindsOf } from './form.ts'

/** Fields about the designer; the form's other fields describe the costume. */
const DESIGNER_FIELDS = ['nombre_disenador', 'email', 'celular', 'ciudad']
const isOfDesigner = ({ nombre }: Field) => DESIGNER_FIELDS.includes(nombre)

/** The form for typical costumes. @source §5 */
export const COSTUME_FORM: Forma = {
  tipo: 'traje',
  ruta: '/registro-traje-tipico',
  bucket: 'registrotrajes',
  tabla: 'trajes_tipicos',
  periodo: 'registro.trajes',
  deQuien: 'trajes típicos',
  grupos: [
    { titulo: 'Tus datos', campos: COSTUME_FIELDS.filter(isOfDesigner) },
    { titulo: 'El traje', campos: COSTUME_FIELDS.filter((field) => !isOfDesigner(field) && !isExtra(field)) },
  ],
  campos: COSTUME_FIELDS,
  aparte: COSTUME_FIELDS.filter(isExtra),
  clases: kindsOf('traje'),
  refusesAtOnce: false,
  incompleto: 'Por favor completa todos los campos obligatorios y sube todos los archivos requeridos.',
}
