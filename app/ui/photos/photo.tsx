import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './photo.module.css'

/** Loaders return a photograph in this form: its URL without width and format, and all that is known before it arrives. */
export interface Picture {
  base: string
  widths: number[]
  /** The JPEG version has this width only. */
  jpegWidth: number
  width: number
  height: number
  alt: string
  /** The focal point, x and y in percent, stays in view when the frame crops the picture. */
  focalPoint: [number, number]
  /** The preview is blurred, as a data URI; it is absent where many small photographs stand together. */
  preview?: string | undefined
}

/** Returns a photograph without alternative text, as beside a link whose text describes it, and without a preview. */
export const asDecorative = ({ preview, ...picture }: Picture): Picture => ({ ...picture, alt: '' })

const TYPES = { avif: 'image/avif', webp: 'image/webp' }
export type ModernFormat = keyof typeof TYPES

/** Returns the attributes of a `<source>`, or of a preloading `<link>`. */
export const sourceAttributesOf = ({ base, widths }: Picture, format: ModernFormat) => ({
  type: TYPES[format],
  srcSet: widths.map((width) => `${base}-${width}.${format} ${width}w`).join(','),
})

/** Returns the attributes of the `<img>` inside the `<picture>`. */
export const imgAttributesOf = ({ base, jpegWidth, width, height }: Picture) => ({
  src: `${base}-${jpegWidth}.jpg`,
  width,
  height,
})

const roundToFive = (percentage: number) => Math.round(percentage / 5) * 5

/** Returns the classes that keep the focal point in view. */
export const focalPointClass = ({ focalPoint: [x, y] }: Picture) =>
  `focal-x-${roundToFive(x)} focal-y-${roundToFive(y)}`

interface Props {
  picture: Picture
  /**
   * This is the `sizes` attribute of the photograph. Large photographs claim a little less on a phone, whose pixels are too dense
   * for the difference to show: that halves the bytes on a weak line. Heights are in vh: Chrome looks for pictures before it
   * knows a phone's page width, takes svh of a page 980 px wide, and fetches another file first.
   */
  sizes: string
  className?: string | undefined
  /**
   * A visitor sees the photograph first: it is then fetched at once, before the page's scripts. Most screens have one such
   * picture; each further one takes a part of the bandwidth.
   */
  isFirst?: boolean
}

/** Shows a photograph that fills its frame: modern formats first, loaded when it comes near, a blurred preview until then. */
export function Photo({ picture, sizes, className, isFirst = false }: Props) {
  return (
    <span className={joinClasses(styles.photo, focalPointClass(picture), className)}>
      {picture.preview && <img className={styles.blur} src={picture.preview} alt="" aria-hidden="true" />}
      <picture>
        <source {...sourceAttributesOf(picture, 'avif')} sizes={sizes} />
        <source {...sourceAttributesOf(picture, 'webp')} sizes={sizes} />
        <img
          {...imgAttributesOf(picture)}
          alt={picture.alt}
          {...(isFirst ? { fetchPriority: 'high', 'data-first': '' } : { loading: 'lazy' })}
        />
      </picture>
    </span>
  )
}
