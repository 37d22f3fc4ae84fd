import { type MouseEvent, useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { afterPaint } from '#app/ui/deferred/after-paint.ts'
import { lazyCode, usePreload } from '#app/ui/deferred/lazy-code.ts'
import { useIsHydrated } from '#app/ui/motion/reduced-motion.ts'
import { navigateTo } from '#app/ui/navigation/navigate.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './lightbox.module.css'
import { numberInHash, photoHashOf } from './lightbox-hash.ts'
import { imgAttributesOf, Photo, type Picture, sourceAttributesOf } from './photo.tsx'

const DIALOG = lazyCode(() => import('./lightbox-dialog.tsx'))
const PRELOAD_AFTER_MS = 2_000

interface LightboxThumbnailProps {
  /** The group has the same name as its lightbox; the name is unique on the screen, in lower case with hyphens. */
  group: string
  /** The photograph has this place in the group, from 1. */
  number: number
  picture: Picture
  sizes: string
  className?: string | undefined
  /** The first picture that a visitor sees. */
  isFirst?: boolean
  /**
   * The thumbnail is never wider than some 320 px. Larger files are then not offered, which keeps a screen with many thumbnails
   * light.
   */
  isSmall?: boolean
}

/** This many of a picture's widths, the first three (480, 720 and 960 px), are offered for a small thumbnail. */
const SMALL_WIDTH_COUNT = 3

/**
 * Shows a thumbnail that opens its photograph in the group's lightbox. It links to the picture's file, and so works without
 * JavaScript. A click before hydration is repeated after it (app/core/http/prioritize-first-picture.server.ts).
 */
export function LightboxThumbnail({
  group,
  number,
  picture,
  sizes,
  className,
  isFirst = false,
  isSmall = false,
}: LightboxThumbnailProps) {
  const offeredPicture = isSmall ? { ...picture, widths: picture.widths.slice(0, SMALL_WIDTH_COUNT) } : picture
  const open = (event: MouseEvent<HTMLAnchorElement>) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    // Safari does not focus a clicked link; the dialog returns the focus to the element that had it.
    event.currentTarget.focus({ preventScroll: true })
    const { search } = window.location
    afterPaint(
      () => navigateTo({ search, hash: photoHashOf(group, number) }, { state: { visor: true } }),
      event.currentTarget,
    )
  }
  return (
    <a
      href={imgAttributesOf(picture).src}
      className={joinClasses(styles.thumbnail, className)}
      aria-haspopup="dialog"
      data-espera={`${group}-${number}`}
      onClick={open}
      onPointerEnter={DIALOG.preload}
      onFocus={DIALOG.preload}
    >
      <Photo picture={offeredPicture} sizes={sizes} className={styles.crop} isFirst={isFirst} />
    </a>
  )
}

interface LightboxProps {
  group: string
  /** The dialog has this accessible name. */
  label: string
  pictures: Picture[]
  /** The captions of the photographs; a photograph without one shows its description. */
  captions?: readonly string[] | undefined
}

/**
 * Shows photographs over the whole screen, one at a time, for a group of <LightboxThumbnail>. The address's hash names the open
 * photograph: Back closes it, a reload shows it again. The screen's route must export
 * `revalidateUnlessHashOnly` as its `shouldRevalidate`. The served page contains nothing of the lightbox.
 */
export function Lightbox({ group, label, pictures, captions }: LightboxProps) {
  const { hash, key } = useLocation()
  const isHydrated = useIsHydrated()
  const [seenKey, setSeenKey] = useState<string>()
  /** The position counts on past both ends, so that every step has a direction. */
  const [position, setPosition] = useState<number>()
  const number = isHydrated ? numberInHash(hash, group, pictures.length) : undefined
  // The router knows the navigation that opens the dialog, and no step inside it (`replaceState`).
  if (isHydrated && key !== seenKey) {
    setSeenKey(key)
    if (number !== undefined) setPosition(number - 1)
  }
  const [LoadedDialog, setLoadedDialog] = useState(() => DIALOG.now()?.LightboxDialog)
  usePreload(DIALOG, PRELOAD_AFTER_MS)
  useEffect(() => {
    if (number === undefined || LoadedDialog) return
    DIALOG.load().then(
      ({ LightboxDialog }) => setLoadedDialog(() => LightboxDialog),
      // If the dialog's code does not load, the picture's file opens.
      () => window.location.assign(imgAttributesOf(pictures[number - 1]!).src),
    )
  }, [number, LoadedDialog, pictures])

  if (position === undefined || !LoadedDialog) return null
  return (
    <LoadedDialog
      group={group}
      label={label}
      photos={pictures.map((picture, index) => ({
        alt: picture.alt,
        caption: captions?.[index],
        imageAttributes: imgAttributesOf(picture),
        sources: [sourceAttributesOf(picture, 'avif'), sourceAttributesOf(picture, 'webp')],
      }))}
      isOpen={number !== undefined}
      position={position}
      onMove={setPosition}
    />
  )
}
