import { COSTUME_FIELDS } from './costume-fields.ts'
import type { Field } from './field.ts'
import { type FormDescriptor, isExtra, kindsOf } from './form.ts'

/** Names of the fields about the designer, which have the form's first heading. */
const DESIGNER_FIELDS = ['nombre_disenador', 'email', 'celular', 'ciudad']
const isAboutDesigner = ({ name }: Field) => DESIGNER_FIELDS.includes(name)

/** The form of §5. */
export const COSTUME_FORM: FormDescriptor = {
  type: 'traje',
  path: '/registro-traje-tipico',
  bucket: 'registrotrajes',
  table: 'trajes_tipicos',
  periodSetting: 'registro.trajes',
  entrantsText: 'trajes típicos',
  groups: [
    { title: 'Tus datos', fields: COSTUME_FIELDS.filter(isAboutDesigner) },
    { title: 'El traje', fields: COSTUME_FIELDS.filter((field) => !isAboutDesigner(field) && !isExtra(field)) },
  ],
  fields: COSTUME_FIELDS,
  extras: COSTUME_FIELDS.filter(isExtra),
  kinds: kindsOf('traje'),
  refusesAtOnce: false,
  incompleteMessage: 'Por favor completa todos los campos obligatorios y sube todos los archivos requeridos.',
}
