import { useCallback, useEffect, useRef, useState } from 'react'
import styles from './jury-cards.module.css'

/** How many of so many pictures are there, or never will be. */
export function usePhotoProgress(howMany: number): { terminadas: number; terminar(src: string): void } {
  const [done, setDone] = useState<ReadonlySet<string>>(new Set())
  const finish = useCallback((src: string) => setDone((before) => new Set(before).add(src)), [])
  return { terminadas: Math.min(done.size, howMany), terminar: finish }
}

interface Props {
  src: string
  alt: string
  className: string | undefined
  onTermina(src: string): void
}

/** The picture on a card; words instead of it where it cannot be painted. */
export function CardPhoto({ src, alt, className, onTermina }: Props) {
  const image = useRef<HTMLImageElement>(null)
  const [isBroken, setBroken] = useState(false)
  const end = useCallback(() => {
    const { complete, naturalWidth } = image.current ?? {}
    if (!complete) return
    if (naturalWidth === 0) setBroken(true)
    onTermina(src)
  }, [src, onTermina])
  // It may have come before the page was alive.
  useEffect(end, [end])
  if (isBroken) return <p className={styles.sinImagen}>Su imagen no se pudo abrir: revísala en la inscripción</p>
  return <img ref={image} src={src} alt={alt} className={className} onLoad={end} onError={end} />
}
