import { CANDIDATE_FIELDS } from './candidate-fields.ts'
import { type Forma, isExtra, kindsOf } from './form.ts'

/** The candidates’ form. @source §4 */
export const CANDIDATE_FORM: Forma = {
  tipo: 'candidata',
  ruta: '/registro',
  bucket: 'registro',
  tabla: 'registros',
  periodo: 'registro.candidatas',
  deQuien: 'candidatas',
  grupos: [{ titulo: 'Tus datos', campos: CANDIDATE_FIELDS.filter((field) => !isExtra(field)) }],
  campos: CANDIDATE_FIELDS,
  aparte: CANDIDATE_FIELDS.filter(isExtra),
  clases: kindsOf('candidata'),
  refusesAtOnce: true,
  incompleto: 'Por favor completa todos los campos y sube ambos lados de tu credencial.',
}
