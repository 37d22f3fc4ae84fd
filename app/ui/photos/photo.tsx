import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './photo.module.css'

/** A photograph as the loaders hand it over: its URL without width and format, and all that is known before it arrives. */
export interface Picture {
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
export type ModernFormat = keyof typeof TYPES

/** Attributes of a `<source>`, or of the `<link>` that announces it. */
export const source = ({ base, anchos }: Picture, format: ModernFormat) => ({
  type: TYPES[format],
  srcSet: anchos.map((width) => `${base}-${width}.${format} ${width}w`).join(','),
})

/** Attributes of the `<img>` inside the picture. */
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
