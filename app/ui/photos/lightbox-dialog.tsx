import {
  type KeyboardEvent,
  type MouseEvent,
  type SyntheticEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useLocation, useNavigate } from 'react-router'
import { painted } from '#app/ui/loading/after-paint.ts'
import { useSwipe, wrap } from '#app/ui/motion/swipe.ts'
import { NextIcon, PreviousIcon } from '#app/ui/primitives/icons.tsx'
import styles from './lightbox-dialog.module.css'
import { numberInHash, photoHashOf } from './lightbox-hash.ts'
import { useZoom } from './zoom.ts'

/** A photograph as <picture> takes it. */
interface FullPhoto {
  alt: string
  /** What stands under it, where that is not its description. */
  pie?: string | undefined
  final: { src: string; width: number; height: number }
  fuentes: { type: string; srcSet: string }[]
}

interface Props {
  serie: string
  nombre: string
  fotos: FullPhoto[]
  open: boolean
  position: number
  onMove: (position: number) => void
}

const DOUBLE_CLICK_MS = 500

const ratioOf = ({ final: { width, height } }: FullPhoto) => width / height

/**
 * Whether a photograph is as upright as a poster: on a wide screen it takes all the height, and its words stand beside
 * it.
 */
const isUpright = (photo: FullPhoto) => ratioOf(photo) < 0.75

/** The second click of a double click that closes presses nothing behind, from the moment on in which the dialog is gone. */
function close(dialog: HTMLDialogElement | null): void {
  if (!dialog?.open) return
  const { style } = document.body
  style.pointerEvents = 'none'
  setTimeout(() => style.removeProperty('pointer-events'), DOUBLE_CLICK_MS)
  dialog.close()
}

/**
 * The dialog that <Visor> opens. It imports no stylesheet but its own: one that the page has already would come again,
 * and last.
 */
export function LightboxDialog({ serie, nombre, fotos, open, position, onMove }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const stage = useRef<HTMLDivElement>(null)
  const leaving = useRef(false)
  /** The thumbnail that was pressed. */
  const opener = useRef<HTMLElement>(undefined)
  const navigate = useNavigate()
  const { key, state } = useLocation()
  const pushed = (state as { visor?: boolean } | null)?.visor === true
  /** Position of the picture that was enlarged, and so is fetched in its full size. */
  const [enlarged, setEnlarged] = useState<number>()
  const { isZoomed, zoom } = useZoom(stage, '[data-lugar="actual"] [data-foto]', open && position, () =>
    setEnlarged(position),
  )
  const count = fotos.length
  const actual = wrap(position, count)
  const photo = fotos[actual]!
  /** Whose neighbours and light there are: they follow what was pressed behind the frame that answers it. */
  const [middle, setMiddle] = useState<number>()
  useEffect(() => {
    let isOver = false
    void painted().then(() => isOver || setMiddle(position))
    return () => {
      isOver = true
    }
  }, [position])
  const near = [
    ...new Set(count > 1 && middle !== undefined ? [middle - 1, middle, middle + 1, position] : [position]),
  ].sort((a, b) => a - b)

  // The arrows stand by the picture's sides.
  useLayoutEffect(() => dialog.current?.style.setProperty('--razon', String(ratioOf(photo))), [photo])

  // The dialog follows the address, and until it does nothing behind can be pressed.
  useEffect(() => {
    leaving.current = false
    if (open && key && !dialog.current?.open) {
      opener.current = document.activeElement?.closest<HTMLElement>('[data-espera]') ?? undefined
      dialog.current?.removeAttribute('data-sale')
      dialog.current?.showModal()
    } else if (!open) close(dialog.current)
  }, [open, key])

  // The page behind does not scroll meanwhile, nor is it laid out anew: the scrollbar's room is kept.
  useLayoutEffect(() => {
    if (!open) return
    const root = document.documentElement
    const keepsRoom = window.innerWidth > root.clientWidth
    root.style.overflow = 'hidden'
    if (keepsRoom) root.style.scrollbarGutter = 'stable'
    return () => {
      root.style.removeProperty('overflow')
      root.style.removeProperty('scrollbar-gutter')
    }
  }, [open])

  const leave = () => {
    if (leaving.current) return
    leaving.current = true
    // It fades at once. That it gives the page back, for which the whole document is styled anew, and the address follow.
    dialog.current?.setAttribute('data-sale', '')
    void painted().then(() => {
      // Back may have come first.
      if (!leaving.current) return
      close(dialog.current)
      if (pushed && window.history.state.idx > 0) navigate(-1)
      else navigate({ search: window.location.search, hash: '' }, { replace: true, preventScrollReset: true })
    })
  }

  const goTo = (next: number) => {
    if (next === position) return
    onMove(next)
    // Past the router, which would render every link of the screen behind anew for it.
    window.history.replaceState(window.history.state, '', photoHashOf(serie, wrap(next, count) + 1))
  }
  const step = (by: number) => goTo(position + by)
  useSwipe(stage, (by) => {
    if (count > 1 && !isZoomed()) step(by)
  })

  const keyed = (event: KeyboardEvent) => {
    // Alt and an arrow are the browser's Back; a key held down would replace the address faster than browsers allow.
    if (event.altKey || event.ctrlKey || event.metaKey || event.repeat) return
    const does: Record<string, () => void> = {
      ArrowLeft: () => step(-1),
      ArrowRight: () => step(1),
      Home: () => goTo(position - actual),
      End: () => goTo(position - actual + count - 1),
      '+': () => zoom(1.5),
      '-': () => zoom(1 / 1.5),
      '0': () => zoom(0),
    }
    const act = does[event.key]
    if (!act || (count === 1 && !/[+\-0]/.test(event.key))) return
    event.preventDefault()
    act()
  }

  const clicked = ({ target }: MouseEvent) => {
    if (target instanceof Element && !target.closest('[data-foto], button, p')) leave()
  }

  const cancelled = (event: SyntheticEvent) => {
    event.preventDefault()
    leave()
  }

  const closed = () => {
    // WebKit does not always hand the focus back, and a dialog opened by its address has nowhere to: then the thumbnail of
    // the photograph takes it.
    if (document.activeElement === document.body || dialog.current?.contains(document.activeElement)) {
      const thumbnail = document.querySelector<HTMLElement>(`[data-espera="${serie}-${actual + 1}"]`)
      ;(opener.current ?? thumbnail)?.focus({ preventScroll: true })
    }
    // A browser may close the dialog without asking.
    if (!dialog.current?.open && numberInHash(window.location.hash, serie, count) !== undefined) leave()
  }

  return (
    <dialog
      ref={dialog}
      className={styles.visor}
      data-alta={isUpright(photo) || undefined}
      data-nombre={photo.pie !== undefined || undefined}
      aria-label={nombre}
      onCancel={cancelled}
      onClose={closed}
      onClick={clicked}
      onKeyDown={keyed}
    >
      {middle !== undefined && <Luz key={wrap(middle, count)} foto={fotos[wrap(middle, count)]!} />}
      <button type="button" className={styles.cerrar} onClick={leave}>
        <span aria-hidden="true">×</span> Cerrar
      </button>
      {count > 1 && (
        <>
          <button type="button" className={styles.anterior} onClick={() => step(-1)} aria-label="Anterior">
            <PreviousIcon />
          </button>
          <button type="button" className={styles.siguiente} onClick={() => step(1)} aria-label="Siguiente">
            <NextIcon />
          </button>
        </>
      )}
      <div ref={stage} className={styles.escena} data-varias={count > 1 || undefined}>
        {near.map((one) => {
          const shown = fotos[wrap(one, count)]!
          const place = one === position ? 'actual' : one < position ? 'anterior' : 'siguiente'
          return (
            <div
              key={one}
              className={styles.lamina}
              data-lugar={place}
              data-alta={isUpright(shown) || undefined}
              aria-hidden={one !== position}
            >
              <Frame foto={shown} primera={one === (middle ?? position)} completa={enlarged === one} />
            </div>
          )
        })}
      </div>
      <p className={styles.leyenda} aria-live="polite">
        <span className={styles.dicho}>{photo.pie ?? photo.alt}</span>{' '}
        {count > 1 && (
          <span className={styles.posicion}>
            {actual + 1} de {count}
          </span>
        )}
      </p>
    </dialog>
  )
}

const sourcesOf = ({ fuentes }: FullPhoto, sizes: string) =>
  fuentes.map((source) => <source key={source.type} {...source} sizes={sizes} />)

/** The photograph's own light on the dark around it, from its smallest size. */
const Luz = ({ foto }: { foto: FullPhoto }) => (
  <picture className={styles.luz}>
    {sourcesOf(foto, '1px')}
    <img {...foto.final} alt="" />
  </picture>
)

interface FrameProps {
  foto: FullPhoto
  primera: boolean
  completa: boolean
}

/**
 * A whole photograph, as large as its place allows. Beneath lies its smallest size, which a thumbnail has fetched
 * already.
 */
function Frame({ foto, primera, completa }: FrameProps) {
  const { alt, final } = foto
  const ratio = ratioOf(foto)
  const height = (rest: string) => `calc((100vh - ${rest}) * ${ratio.toFixed(3)})`
  // The stylesheet has the same queries, and the same room for everything else.
  const sizes = completa
    ? `${final.width}px`
    : [
        `(max-height: 559px) and (orientation: landscape) min(74vw, ${(ratio * 100).toFixed()}vh)`,
        ...(isUpright(foto) ? [`(min-width: 901px) and (min-aspect-ratio: 5/4) ${height('2rem')}`] : []),
        `min(100vw, ${height('10.1rem')})`,
      ].join(', ')
  return (
    <div ref={(element) => element?.style.setProperty('--razon', String(ratio))} className={styles.cuadro} data-foto="">
      {primera && (
        <picture>
          {sourcesOf(foto, '1px')}
          <img {...final} alt="" />
        </picture>
      )}
      <picture>
        {sourcesOf(foto, sizes)}
        <img {...final} alt={alt} draggable={false} fetchPriority={primera ? 'high' : 'low'} />
      </picture>
    </div>
  )
}
