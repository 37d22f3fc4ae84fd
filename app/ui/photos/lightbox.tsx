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

const DIALOG = lazyCode(() => import('./lightbox-dialog.tsx'))
const AHEAD_AFTER_MS = 2_000

interface LightboxThumbnailProps {
  /** Name of the group, the same as its lightbox has; unique on the screen, in lower case with hyphens. */
  serie: string
  /** Place of the photograph in the group, from 1. */
  numero: number
  imagen: Picture
  sizes: string
  className?: string | undefined
  /** Whether this is the first picture that a visitor sees. */
  primera?: boolean
  /**
   * Whether the thumbnail is never wider than some 320 px. Larger files are then not offered, which keeps a screen with
   * many thumbnails light.
   */
  chica?: boolean
}

/** Number of widths up to 960 px. */
const SMALL_WIDTH_COUNT = 3

/**
 * A thumbnail that opens its photograph in the group's lightbox. It links to the picture's file, and so works without
 * JavaScript. A click before hydration is repeated after it (app/core/http/defer-scripts.server.ts).
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
    // Safari does not focus a clicked link; the dialog returns the focus to the element that had it.
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
  /** Accessible name of the dialog. */
  nombre: string
  imagenes: Picture[]
  /** Captions of the photographs; a photograph without one shows its description. */
  pies?: readonly string[] | undefined
}

/**
 * Photographs over the whole screen, one at a time, for a group of <LightboxThumbnail>. The address's hash names the
 * open photograph: Back closes it, a reload shows it again. The screen's route and the root export `shouldRevalidate`
 * of lightbox-hash.ts. The served page contains nothing of the lightbox.
 */
export function Visor({ serie, nombre, imagenes, pies }: VisorProps) {
  const { hash, key } = useLocation()
  const alive = useAlive()
  const [seen, setSeen] = useState<string>()
  /** The position counts on past both ends, so that every step has a direction. */
  const [position, setPosition] = useState<number>()
  const number = alive ? numberInHash(hash, serie, imagenes.length) : undefined
  // The router knows the navigation that opens the dialog, and no step inside it (`replaceState`).
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
      // If the dialog's code does not load, the picture's file opens.
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
