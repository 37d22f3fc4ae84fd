import type { PhotoFrame } from './field-descriptor.ts'

/** Makes a frame; `phone` is its width divided by its height in a viewport of 390 pixels, `desktop` in 1440 pixels. */
const frame = (minWidth: number, telephone: number, desktop: number): PhotoFrame => ({
  minimoAncho: minWidth,
  proporciones: { telefono: telephone, escritorio: desktop },
})

export const FRAMES = {
  carrusel: frame(1_200, 0.8, 1.78),
  noticia: frame(900, 0.93, 0.74),
  historia: frame(1_600, 0.5, 1.74),
  antigua: frame(700, 0.7, 0.7),
  reina: frame(900, 0.8, 0.67),
  grupo: frame(1_600, 1.5, 2),
  silueta: frame(800, 0.8, 0.73),
  galeriaDeCandidata: frame(800, 0.75, 0.75),
  maestros: frame(1_600, 0.89, 1.78),
  maestro: frame(600, 0.75, 1.34),
  galeriaDeMaestro: frame(600, 1, 1),
  tarjeta: frame(600, 0.8, 0.8),
  anuncio: frame(700, 0.67, 0.67),
  banda: frame(1_600, 0.92, 3.2),
  ganadora: frame(900, 0.72, 0.74),
} as const
