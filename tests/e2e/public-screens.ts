/** Every screen but the organisers'. One teacher's profile stands for all, and so does one news item. */
export const SCREENS = [
  '/',
  '/nuestra-historia',
  '/candidatas',
  '/maestros',
  '/maestros/lorena-magnolia-duarte',
  '/noticias/la-rueda-vuelve-a-encenderse',
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
