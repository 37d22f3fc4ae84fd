import { unir } from '#app/ui/styles/class-names.ts'
import styles from './photo.module.css'

/** A photograph as the loaders hand it over: its URL without width and format, and all that is known before it arrives. */
export interface Imagen {
  base: string
  anchos: number[]
  /** The only width of its JPEG. */
  anchoJpeg: number
  ancho: number
  alto: number
  alt: string
  /** The focal point, x, y in percent: it stays in view when the frame cuts the picture. */
  foco: [number, number]
  /** A blurred preview as a data URI; left away where many small photographs stand together. */
  vista?: string | undefined
}

const TYPES = { avif: 'image/avif', webp: 'image/webp' }
export type FormatoModerno = keyof typeof TYPES

/** Attributes of a `<source>`, or of the `<link>` that announces it. */
export const fuente = ({ base, anchos }: Imagen, format: FormatoModerno) => ({
  type: TYPES[format],
  srcSet: anchos.map((ancho) => `${base}-${ancho}.${format} ${ancho}w`).join(','),
})

/** Attributes of the `<img>` inside the picture. */
export const imagenFinal = ({ base, anchoJpeg, ancho, alto }: Imagen) => ({
  src: `${base}-${anchoJpeg}.jpg`,
  width: ancho,
  height: alto,
})

const paso = (porcentaje: number) => Math.round(porcentaje / 5) * 5

/** Classes that keep the focal point in view. */
export const claseFoco = ({ foco: [x, y] }: Imagen) => unir(styles[`x${paso(x)}`], styles[`y${paso(y)}`])

interface Props {
  imagen: Imagen
  /**
   * The width that the photograph takes on the screen, as in the attribute of the same name. Large ones say a little
   * less on a phone: its pixels are so dense that nobody sees the difference, and a weak line carries half the bytes. Heights are in vh: Chrome looks for
   * pictures before it knows how wide a phone's page is, takes svh of a page 980 px wide, and fetches another file first.
   */
  sizes: string
  className?: string | undefined
  /**
   * Whether a visitor sees it first: it is fetched at once, before the page's scripts. Most screens have one such
   * picture; each more that a phone's first view holds takes its part of the line.
   */
  primera?: boolean
}

/** A photograph that fills its frame: modern formats first, loaded when it comes near, a blurred preview until then. */
export function Foto({ imagen, sizes, className, primera = false }: Props) {
  return (
    <span className={unir(styles.foto, claseFoco(imagen), className)}>
      {imagen.vista && <img className={styles.vista} src={imagen.vista} alt="" aria-hidden="true" />}
      <picture>
        <source {...fuente(imagen, 'avif')} sizes={sizes} />
        <source {...fuente(imagen, 'webp')} sizes={sizes} />
        <img
          {...imagenFinal(imagen)}
          alt={imagen.alt}
          {...(primera ? { fetchPriority: 'high', 'data-primera': '' } : { loading: 'lazy' })}
        />
      </picture>
    </span>
  )
}
