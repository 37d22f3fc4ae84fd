import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './photo.module.css'

/** A photograph as loaders return it, with all that is known before its file arrives. */
export interface Picture {
  /** URL without `-<width>.<format>`. */
  base: string
  /** Widths in pixels of the AVIF and WebP versions. */
  widths: number[]
  /** The only width of the JPEG version. */
  jpegWidth: number
  width: number
  height: number
  alt: string
  /** Point that stays in view when the frame crops the picture: x and y in percent. */
  focalPoint: [number, number]
  /** Blurred preview as a data URI; absent on screens with many small photographs. */
  preview?: string | undefined
}

/** Returns a photograph without its preview, for screens where many previews would weigh as much as all the text. */
export const withoutPreview = ({ preview, ...picture }: Picture): Picture => picture

/** Returns a decorative photograph: without alternative text and preview. */
export const asDecorative = (picture: Picture): Picture => ({ ...withoutPreview(picture), alt: '' })

const MIME_TYPES = { avif: 'image/avif', webp: 'image/webp' }
export type ModernFormat = keyof typeof MIME_TYPES

/** Returns the attributes of a `<source>`. */
export const sourceAttributesOf = ({ base, widths }: Picture, format: ModernFormat) => ({
  type: MIME_TYPES[format],
  srcSet: widths.map((width) => `${base}-${width}.${format} ${width}w`).join(','),
})

export const imgAttributesOf = ({ base, jpegWidth, width, height }: Picture) => ({
  src: `${base}-${jpegWidth}.jpg`,
  width,
  height,
})

const roundToFive = (percentage: number) => Math.round(percentage / 5) * 5

/** Returns the classes that keep the focal point in view. photo.module.css has a class for each five percent. */
export const focalPointClasses = ({ focalPoint: [x, y] }: Picture) =>
  `focal-x-${roundToFive(x)} focal-y-${roundToFive(y)}`

interface Props {
  picture: Picture
  /**
   * The `sizes` attribute. For large photographs state a little less than their width on phones: the difference does not show on
   * dense pixels, and halves the bytes. State heights in vh, not svh: Chrome's preload scanner runs before the viewport meta tag
   * is applied, computes svh for a page 980 px wide, and would fetch a second file.
   */
  sizes: string
  className?: string | undefined
  /**
   * The photograph is in the first view: it is fetched at once, before the page's scripts. Each further such photograph on a screen
   * takes bandwidth from the first.
   */
  isFirst?: boolean
}

/**
 * Renders a photograph that fills its frame: modern formats first, loaded when the frame comes near, unless `isFirst`, and a blurred
 * preview, if there is one, until then.
 */
export function Photo({ picture, sizes, className, isFirst = false }: Props) {
  return (
    <span className={joinClasses(styles.photo, focalPointClasses(picture), className)}>
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
