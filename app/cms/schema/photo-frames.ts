import type { MarcoDeFoto } from './field-descriptor.ts'

/**
 * The frames in which the screens show photographs, as measured at 390 and 1440 pixels: width by height, and the pixels
 * that the largest of them needs across.
 */
const marco = (minimoAncho: number, telefono: number, escritorio: number): MarcoDeFoto => ({
  minimoAncho,
  proporciones: { telefono, escritorio },
})

export const MARCOS = {
  carrusel: marco(1_200, 0.8, 1.78),
  noticia: marco(900, 0.93, 0.74),
  historia: marco(1_600, 0.5, 1.74),
  antigua: marco(700, 0.7, 0.7),
  reina: marco(900, 0.8, 0.67),
  grupo: marco(1_600, 1.5, 2),
  silueta: marco(800, 0.8, 0.73),
  galeriaDeCandidata: marco(800, 0.75, 0.75),
  maestros: marco(1_600, 0.89, 1.78),
  maestro: marco(600, 0.75, 1.34),
  galeriaDeMaestro: marco(600, 1, 1),
  tarjeta: marco(600, 0.8, 0.8),
  anuncio: marco(700, 0.67, 0.67),
  banda: marco(1_600, 0.92, 3.2),
  ganadora: marco(900, 0.72, 0.74),
} as const
