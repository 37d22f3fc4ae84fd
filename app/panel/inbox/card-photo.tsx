import { useCallback, useEffect, useRef, useState } from 'react'
import styles from './jury-cards.module.css'

/** Counts the pictures that have loaded or failed. */
export function usePhotoProgress(howMany: number): { doneCount: number; markDone(src: string): void } {
  const [done, setDone] = useState<ReadonlySet<string>>(new Set())
  const finish = useCallback((src: string) => setDone((before) => new Set(before).add(src)), [])
  return { doneCount: Math.min(done.size, howMany), markDone: finish }
}

interface Props {
  src: string
  alt: string
  className: string | undefined
  onDone(src: string): void
}

/** Shows the picture on a card, or a message where the picture cannot be shown. */
export function CardPhoto({ src, alt, className, onDone }: Props) {
  const image = useRef<HTMLImageElement>(null)
  const [isBroken, setBroken] = useState(false)
  const end = useCallback(() => {
    const { complete, naturalWidth } = image.current ?? {}
    if (!complete) return
    if (naturalWidth === 0) setBroken(true)
    onDone(src)
  }, [src, onDone])
  // The picture may have loaded before hydration.
  useEffect(end, [end])
  if (isBroken) return <p className={styles.withoutImage}>Su imagen no se pudo abrir: revísala en la inscripción</p>
  return <img ref={image} src={src} alt={alt} className={className} onLoad={end} onError={end} />
}
