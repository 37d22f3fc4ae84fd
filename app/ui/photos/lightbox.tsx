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

const lazyDialog = lazyCode(() => import('./lightbox-dialog.tsx'))
/** The dialog's code is preloaded once the screen has been open for this time and the visitor uses it. */
const PRELOAD_AFTER_MS = 2_000

interface LightboxThumbnailProps {
  /** `group` of the matching <Lightbox>: unique on the screen, in lower case with hyphens, since it is part of the URL's hash. */
  group: string
  /** Position of the photograph in the group, from 1. */
  number: number
  picture: Picture
  sizes: string
  className?: string | undefined
  /** Whether the picture is in the first view, as in <Photo>. */
  isFirst?: boolean
  /** The thumbnail is never wider than some 320 CSS px, so the browser is offered the narrowest files only. */
  isSmall?: boolean
}

/** A small thumbnail offers the three narrowest widths, of a large photograph 480, 720 and 960 px. */
const SMALL_WIDTH_COUNT = 3

/**
 * Renders a thumbnail that opens its photograph in the group's lightbox. It links to the picture's file, and so works without
 * JavaScript. A click before hydration is replayed after it (app/core/http/prioritize-first-picture.server.ts).
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
  const openPhoto = (event: MouseEvent<HTMLAnchorElement>) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    // Safari does not focus a clicked link; the dialog returns the focus to the element that had it.
    event.currentTarget.focus({ preventScroll: true })
    const { search } = window.location
    afterPaint(
      () => navigateTo({ search, hash: photoHashOf(group, number) }, { state: { isLightbox: true } }),
      event.currentTarget,
    )
  }
  return (
    <a
      href={imgAttributesOf(picture).src}
      className={joinClasses(styles.thumbnail, className)}
      aria-haspopup="dialog"
      data-replay-click={`${group}-${number}`}
      onClick={openPhoto}
      onPointerEnter={lazyDialog.preload}
      onFocus={lazyDialog.preload}
    >
      <Photo picture={offeredPicture} sizes={sizes} className={styles.crop} isFirst={isFirst} />
    </a>
  )
}

interface LightboxProps {
  group: string
  /** Accessible name of the dialog. */
  label: string
  pictures: Picture[]
  /** Captions by position; a photograph without one shows its `alt`. */
  captions?: readonly string[] | undefined
}

/**
 * Shows photographs over the whole screen, one at a time, for a group of <LightboxThumbnail>. The URL's hash names the open
 * photograph: Back closes it, a reload shows it again. The screen's route must export `revalidateUnlessHashOnly` as its
 * `shouldRevalidate`. The lightbox is not part of the server-rendered HTML.
 */
export function Lightbox({ group, label, pictures, captions }: LightboxProps) {
  const { hash, key } = useLocation()
  const isHydrated = useIsHydrated()
  const [seenKey, setSeenKey] = useState<string>()
  /** Index of the shown photograph. It runs past both ends, so that wrapping slides in the direction of the step. */
  const [position, setPosition] = useState<number>()
  const number = isHydrated ? numberInHash(hash, group, pictures.length) : undefined
  // `key` changes when the router navigates, as when a photograph is opened. Steps inside the dialog call `history.replaceState`
  // and leave it.
  if (isHydrated && key !== seenKey) {
    setSeenKey(key)
    if (number !== undefined) setPosition(number - 1)
  }
  const [LoadedDialog, setLoadedDialog] = useState(() => lazyDialog.loaded()?.LightboxDialog)
  usePreload(lazyDialog, PRELOAD_AFTER_MS)
  useEffect(() => {
    if (number === undefined || LoadedDialog) return
    lazyDialog.load().then(
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
