import { type MouseEvent, useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { irA } from '#app/ui/links/navigate.ts'
import { afterPaint } from '#app/ui/loading/after-paint.ts'
import { lazyCode, useAhead } from '#app/ui/loading/lazy-code.ts'
import { useAlive } from '#app/ui/motion/reduced-motion.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './lightbox.module.css'
import { numberInHash, photoHashOf } from './lightbox-hash.ts'
import { imgAttributesOf, Photo, type Picture, source } from './photo.tsx'

/** The dialog and its stylesheet. */
const DIALOG = lazyCode(() => import('./lightbox-dialog.tsx'))
const AHEAD_AFTER_MS = 2_000

interface LightboxThumbnailProps {
  /** Name of the group, as its <Visor> has it; unique on the screen, in lower case with hyphens. */
  serie: string
  /** Place of the photograph in the group, from 1. */
  numero: number
  imagen: Picture
  sizes: string
  className?: string | undefined
  /** Whether it is the picture that a visitor sees first. */
  primera?: boolean
  /**
   * Whether it is never wider than some 320 px. Larger sizes are then not offered, which keeps a screen with many
   * thumbnails light.
   */
  chica?: boolean
}

/** The widths up to 960 pixels. */
const SMALL_WIDTH_COUNT = 3

/**
 * A thumbnail that opens its photograph in the group's <Visor>: a link to the picture itself, so that it opens without
 * JavaScript, too. Pressed before the page is alive, it is pressed again when it is (app/core/http/defer-scripts.server.ts).
 */
export function LightboxThumbnail({
  serie,
  numero,
  imagen,
  sizes,
  className,
  primera = false,
  chica = false,
}: LightboxThumbnailProps) {
  const offered = chica ? { ...imagen, anchos: imagen.anchos.slice(0, SMALL_WIDTH_COUNT) } : imagen
  const open = (event: MouseEvent<HTMLAnchorElement>) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    // Safari gives no focus to a link that is pressed; the dialog hands it back where it was.
    event.currentTarget.focus({ preventScroll: true })
    const { search } = window.location
    afterPaint(() => irA({ search, hash: photoHashOf(serie, numero) }, { state: { visor: true } }), event.currentTarget)
  }
  return (
    <a
      href={imgAttributesOf(imagen).src}
      className={joinClasses(styles.miniatura, className)}
      aria-haspopup="dialog"
      data-espera={`${serie}-${numero}`}
      onClick={open}
      onPointerEnter={DIALOG.ahead}
      onFocus={DIALOG.ahead}
    >
      <Photo imagen={offered} sizes={sizes} className={styles.recorte} primera={primera} />
    </a>
  )
}

interface VisorProps {
  serie: string
  /** What the photographs show, for those who hear it. */
  nombre: string
  imagenes: Picture[]
  /** What stands under each photograph; where it says nothing, the photograph's description. */
  pies?: readonly string[] | undefined
}

/**
 * Photographs over the whole screen, one at a time, for a group of <LightboxThumbnail>. The open photograph stands in the
 * address as its hash: Back closes it, a reload shows it again. The screen's route and the root export
 * `shouldRevalidate` of lightbox-hash.ts. The served page has nothing of it.
 */
export function Visor({ serie, nombre, imagenes, pies }: VisorProps) {
  const { hash, key } = useLocation()
  const alive = useAlive()
  const [seen, setSeen] = useState<string>()
  /** The position counts on past both ends, so that every step has a direction. */
  const [position, setPosition] = useState<number>()
  const number = alive ? numberInHash(hash, serie, imagenes.length) : undefined
  // The router hears of what opens the dialog, and of no step inside it.
  if (alive && key !== seen) {
    setSeen(key)
    if (number !== undefined) setPosition(number - 1)
  }
  const [LoadedDialog, setPantalla] = useState(() => DIALOG.now()?.LightboxDialog)
  useAhead(DIALOG, AHEAD_AFTER_MS)
  useEffect(() => {
    if (number === undefined || LoadedDialog) return
    DIALOG.load().then(
      ({ LightboxDialog }) => setPantalla(() => LightboxDialog),
      // Where the dialog cannot be fetched, the picture opens by itself.
      () => window.location.assign(imgAttributesOf(imagenes[number - 1]!).src),
    )
  }, [number, LoadedDialog, imagenes])

  if (position === undefined || !LoadedDialog) return null
  return (
    <LoadedDialog
      serie={serie}
      nombre={nombre}
      fotos={imagenes.map((picture, index) => ({
        alt: picture.alt,
        pie: pies?.[index],
        final: imgAttributesOf(picture),
        fuentes: [source(picture, 'avif'), source(picture, 'webp')],
      }))}
      open={number !== undefined}
      position={position}
      onMove={setPosition}
    />
  )
}
