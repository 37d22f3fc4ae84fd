/** Every screen but the organisers'. One teacher's profile stands for all. */
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
  '/mis-datos',
  '/aviso-de-privacidad',
]
