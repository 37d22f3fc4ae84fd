/** Every screen but the organisers'; one profile stands for the five. */
export const SCREENS = [
  '/',
  '/nuestra-historia',
  '/candidatas',
  '/maestros',
  '/maestros/lorena-magnolia-duarte',
  '/convocatoria',
  '/programa',
  '/convocatoriaoficial',
  '/galeria-candidatas',
  '/medios',
  '/misspopularidad',
  '/registro',
  '/registro-traje-tipico',
  '/folio',
  '/aviso-de-privacidad',
]
