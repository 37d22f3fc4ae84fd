/** A photograph as the loaders hand it over: its URL without width and format, and all that is known before it arrives. */
export interface Imagen {
  base: string
  anchos: number[]
  ancho: number
  alto: number
  alt: string
  /** x, y in percent: what stays in view when the frame cuts the picture. */
  foco: [number, number]
  vista: string
  color: string
}
