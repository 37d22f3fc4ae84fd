import { useCallback, useEffect, useRef, useState } from 'react'
import styles from './jury-cards.module.css'

/** Counts the photographs that have loaded or failed. */
export function usePhotoProgress(photoCount: number): { doneCount: number; markDone(src: string): void } {
  const [doneSources, setDoneSources] = useState<ReadonlySet<string>>(new Set())
  const markDone = useCallback((src: string) => setDoneSources((before) => new Set(before).add(src)), [])
  return { doneCount: Math.min(doneSources.size, photoCount), markDone }
}

interface Props {
  src: string
  alt: string
  className: string | undefined
  onDone(src: string): void
}

/** Shows a card's photograph, or a message if it cannot be shown. */
export function CardPhoto({ src, alt, className, onDone }: Props) {
  const image = useRef<HTMLImageElement>(null)
  const [isBroken, setBroken] = useState(false)
  const updateStatus = useCallback(() => {
    const { complete, naturalWidth } = image.current ?? {}
    if (!complete) return
    if (naturalWidth === 0) setBroken(true)
    onDone(src)
  }, [src, onDone])
  // The photograph may have loaded or failed before hydration.
  useEffect(updateStatus, [updateStatus])
  if (isBroken) return <p className={styles.noPhoto}>Su imagen no se pudo abrir: revísala en la inscripción</p>
  return <img ref={image} src={src} alt={alt} className={className} onLoad={updateStatus} onError={updateStatus} />
}
