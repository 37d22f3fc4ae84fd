import { CAMPOS_CANDIDATA } from './candidate-fields.ts'
import { clasesDe, type Forma, isAparte } from './form.ts'

/** The candidates’ form. @source §4 */
export const FORMA_CANDIDATA: Forma = {
  tipo: 'candidata',
  ruta: '/registro',
  bucket: 'registro',
  tabla: 'registros',
  periodo: 'registro.candidatas',
  deQuien: 'candidatas',
  grupos: [{ titulo: 'Tus datos', campos: CAMPOS_CANDIDATA.filter((campo) => !isAparte(campo)) }],
  campos: CAMPOS_CANDIDATA,
  aparte: CAMPOS_CANDIDATA.filter(isAparte),
  clases: clasesDe('candidata'),
  refusesAtOnce: true,
  incompleto: 'Por favor completa todos los campos y sube ambos lados de tu credencial.',
}
