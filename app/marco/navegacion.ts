/** The navigation, in the order and words of §2.2. */
export const NAVEGACION = [
  { a: '/nuestra-historia', texto: 'NUESTRA HISTORIA' },
  { a: '/candidatas', texto: 'CANDIDATAS' },
  { a: '/maestros', texto: 'MAESTROS' },
  { a: '/convocatoria', texto: 'CONVOCATORIAS' },
  { a: '/medios', texto: 'MEDIOS' },
  { a: '/misspopularidad', texto: 'MISS POPULARIDAD' },
] as const

export const esSeccionMaestros = (ruta: string) => ruta === '/maestros' || ruta.startsWith('/maestros/')

/** A screen that fills a telephone by itself, without header and footer. */
export const esSinMarco = (ruta: string) => ruta === '/jurado'
