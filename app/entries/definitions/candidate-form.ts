import { CANDIDATE_FIELDS } from './candidate-fields.ts'
import { type FormDescriptor, isExtra, kindsOf } from './form.ts'

/** The form of §4. */
export const CANDIDATE_FORM: FormDescriptor = {
  type: 'candidata',
  path: '/registro',
  bucket: 'registro',
  table: 'registros',
  periodSetting: 'registro.candidatas',
  entrantsText: 'candidatas',
  groups: [{ title: 'Tus datos', fields: CANDIDATE_FIELDS.filter((field) => !isExtra(field)) }],
  fields: CANDIDATE_FIELDS,
  extras: CANDIDATE_FIELDS.filter(isExtra),
  kinds: kindsOf('candidata'),
  refusesAtOnce: true,
  incompleteMessage: 'Por favor completa todos los campos y sube ambos lados de tu credencial.',
}
