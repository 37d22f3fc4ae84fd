import { useEffect, useRef, useState } from 'react'
import type { DocumentNotice } from '#app/panel/schema.ts'
import { buttonLook } from '#app/ui/components/button.tsx'
import { useZoom } from '#app/ui/photos/zoom.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import sheetStyles from './loading-sheet.module.css'
import styles from './zoomable-picture.module.css'

const ZOOM_FACTOR = 1.5

interface Props {
  src: string
  alt: string
  /** Thumbnail that is shown while the picture loads; undefined for a reserved document. */
  thumbnail: string | undefined
}

/** Shows a document's picture with zoom and rotation, or a notice if it cannot be shown. */
export function ZoomablePicture({ src, alt, thumbnail }: Props) {
  const stage = useRef<HTMLDivElement>(null)
  const picture = useRef<HTMLImageElement>(null)
  const [notice, setNotice] = useState<DocumentNotice>()
  const [isLoaded, setIsLoaded] = useState(false)
  const [quarterTurns, setQuarterTurns] = useState(0)
  const { zoom, resetZoom } = useZoom(stage, '[data-zoom-target]', { resetKey: src, wheelZooms: true })

  useEffect(() => {
    const { complete, naturalWidth } = picture.current ?? {}
    if (!complete) return
    // The picture may have loaded or failed before hydration.
    if (naturalWidth === 0) void fetchNotice(src).then(setNotice)
    else setIsLoaded(true)
  }, [src])

  if (notice)
    return (
      <div className={styles.notice} role="alert">
        <p>{notice.texto}</p>
        {notice.seBaja && (
          <a href={`${src}&bajar=original`} className={buttonLook('outline')}>
            Descargar el original (sin marca)
          </a>
        )}
      </div>
    )
  return (
    <div className={styles.zoomablePicture}>
      <div ref={stage} className={joinClasses(styles.scene, !thumbnail && !isLoaded && sheetStyles.sheet)}>
        <div data-zoom-target="" className={joinClasses(styles.picture, quarterTurns % 2 === 1 && styles.sideways)}>
          {thumbnail && !isLoaded && <img src={thumbnail} alt="" className={styles.below} />}
          <img
            ref={picture}
            src={src}
            alt={alt}
            draggable={false}
            data-turns={quarterTurns % 4}
            onLoad={() => setIsLoaded(true)}
            onError={() => void fetchNotice(src).then(setNotice)}
          />
        </div>
        {!isLoaded && (
          <p className={styles.waiting} role="status">
            Abriendo…
          </p>
        )}
      </div>
      <fieldset className={styles.controls} aria-label="Cómo se ve">
        <button type="button" aria-label="Alejar" data-shortcut="-" onClick={() => zoom(1 / ZOOM_FACTOR)}>
          −
        </button>
        <button type="button" aria-label="Ver entero" data-shortcut="0" onClick={resetZoom}>
          <svg viewBox="0 0 24 24" width="20" fill="none" stroke="currentColor" strokeWidth="1.8" aria-hidden="true">
            <path d="M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5" />
          </svg>
        </button>
        <button type="button" aria-label="Acercar" data-shortcut="+" onClick={() => zoom(ZOOM_FACTOR)}>
          +
        </button>
        <button
          type="button"
          aria-label="Girar"
          data-shortcut="g"
          onClick={() => {
            resetZoom()
            setQuarterTurns(quarterTurns + 1)
          }}
        >
          <svg viewBox="0 0 24 24" width="22" fill="none" stroke="currentColor" strokeWidth="1.8" aria-hidden="true">
            <path d="M19 12a7 7 0 1 1-2.2-5.1L20 10M20 4v6h-6" />
          </svg>
        </button>
      </fieldset>
    </div>
  )
}

/** Asks the site why a picture did not load. */
async function fetchNotice(src: string): Promise<DocumentNotice> {
  try {
    const response = await fetch(`${src}&motivo=si`)
    if (response.status === 403)
      return { texto: 'Tu sesión terminó. Vuelve a entrar y abre otra vez el documento.', seBaja: false }
    return response.ok
      ? ((await response.json()) as DocumentNotice)
      : { texto: 'No se pudo mostrar. Inténtalo de nuevo en un momento.', seBaja: false }
  } catch {
    return { texto: 'No hay conexión. Vuelve a intentarlo cuando regrese.', seBaja: false }
  }
}
