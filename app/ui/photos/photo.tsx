import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './photo.module.css'

/** A photograph as the loaders return it: its URL without width and format, and all that is known before it arrives. */
export interface Picture {
  base: string
  anchos: number[]
  /** The only width of its JPEG version. */
  anchoJpeg: number
  ancho: number
  alto: number
  alt: string
  /** The focal point, x and y in percent, stays in view when the frame crops the picture. */
  foco: [number, number]
  /** A blurred preview as a data URI; absent where many small photographs stand together. */
  vista?: string | undefined
}

const TYPES = { avif: 'image/avif', webp: 'image/webp' }
export type ModernFormat = keyof typeof TYPES

/** Attributes of a `<source>`, or of a preloading `<link>`. */
export const source = ({ base, anchos }: Picture, format: ModernFormat) => ({
  type: TYPES[format],
  srcSet: anchos.map((width) => `${base}-${width}.${format} ${width}w`).join(','),
})

/** Attributes of the `<img>` inside the `<picture>`. */
export const imgAttributesOf = ({ base, anchoJpeg, ancho, alto }: Picture) => ({
  src: `${base}-${anchoJpeg}.jpg`,
  width: ancho,
  height: alto,
})

const step = (percentage: number) => Math.round(percentage / 5) * 5

/** Classes that keep the focal point in view. */
export const focalPointClass = ({ foco: [x, y] }: Picture) => joinClasses(styles[`x${step(x)}`], styles[`y${step(y)}`])

interface Props {
  imagen: Picture
  /**
   * The `sizes` attribute of the photograph. Large photographs claim a little less on a phone, whose pixels are too
   * dense for the difference to show: that halves the bytes on a weak line. Heights are in vh: Chrome looks for
   * pictures before it knows a phone's page width, takes svh of a page 980 px wide, and fetches another file first.
   */
  sizes: string
  className?: string | undefined
  /**
   * Whether a visitor sees the photograph first: it is then fetched at once, before the page's scripts. Most screens
   * have one such picture; each further one takes a part of the bandwidth.
   */
  primera?: boolean
}

/** A photograph that fills its frame: modern formats first, loaded when it comes near, a blurred preview until then. */
export function Photo({ imagen, sizes, className, primera = false }: Props) {
  return (
    <span className={joinClasses(styles.foto, focalPointClass(imagen), className)}>
      {imagen.vista && <img className={styles.vista} src={imagen.vista} alt="" aria-hidden="true" />}
      <picture>
        <source {...source(imagen, 'avif')} sizes={sizes} />
        <source {...source(imagen, 'webp')} sizes={sizes} />
        <img
          {...imgAttributesOf(imagen)}
          alt={imagen.alt}
          {...(primera ? { fetchPriority: 'high', 'data-primera': '' } : { loading: 'lazy' })}
        />
      </picture>
    </span>
  )
}
