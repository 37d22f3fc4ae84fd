import { type KeyboardEvent, type MouseEvent, type SyntheticEvent, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate, useNavigationType } from 'react-router'
import { useAlive, useSwipe, wrap } from './carousel.ts'
import { unir } from './clases.ts'
import { Foto, fuente, type Imagen, imagenFinal } from './foto.tsx'
import { IconoAnterior, IconoSiguiente } from './iconos.tsx'
import styles from './visor.module.css'
import { anclaDe, numeroEnAncla } from './visor-ancla.ts'
import { useZoom } from './zoom.ts'

interface MiniaturaProps {
  /** The group's, as its <Visor> has it; unique in the screen, in lower case with hyphens. */
  clave: string
  /** Place of the photograph in the group, from 1. */
  numero: number
  imagen: Imagen
  sizes: string
  className?: string | undefined
  /** The picture that a visitor sees first. */
  primera?: boolean
}

/**
 * A thumbnail that opens its photograph in the group's <Visor>: a link to the picture itself, so that it opens without
 * JavaScript, too. Pressed before the page is alive, it is pressed again when it is (scripts/pages.ts).
 */
export function MiniaturaVisor({ clave, numero, imagen, sizes, className, primera = false }: MiniaturaProps) {
  const navigate = useNavigate()
  const open = (event: MouseEvent<HTMLAnchorElement>) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    // Safari gives no focus to a link that is pressed; the dialog hands it back where it was.
    event.currentTarget.focus({ preventScroll: true })
    const { search } = window.location
    navigate({ search, hash: anclaDe(clave, numero) }, { preventScrollReset: true, state: { visor: true } })
  }
  return (
    <a
      href={imagenFinal(imagen).src}
      className={unir(styles.miniatura, className)}
      aria-haspopup="dialog"
      data-espera={`${clave}-${numero}`}
      onClick={open}
    >
      <Foto imagen={imagen} sizes={sizes} className={styles.recorte} primera={primera} />
    </a>
  )
}

interface VisorProps {
  clave: string
  /** What the photographs show, for those who hear it. */
  nombre: string
  imagenes: Imagen[]
}

/**
 * Photographs over the whole screen, one at a time, for a group of <MiniaturaVisor>. What is open stands in the address
 * as its hash: Back closes, a reload shows it again. The screen's route and the root export `shouldRevalidate` of
 * visor-ancla.ts. In the served page it is nothing.
 */
export function Visor({ clave, nombre, imagenes }: VisorProps) {
  const { hash, key } = useLocation()
  const type = useNavigationType()
  const alive = useAlive()
  const [seen, setSeen] = useState<string>()
  /** Counts on past both ends, so that every step has a direction. */
  const [position, setPosition] = useState<number>()
  const number = alive ? numeroEnAncla(hash, clave, imagenes.length) : undefined
  // A step of its own has replaced the address, and may be further than it already.
  if (alive && key !== seen) {
    setSeen(key)
    if (number !== undefined && (type !== 'REPLACE' || position === undefined)) setPosition(number - 1)
  }
  if (position === undefined) return null
  return (
    <Pantalla
      clave={clave}
      nombre={nombre}
      imagenes={imagenes}
      open={number !== undefined}
      position={position}
      onMove={setPosition}
    />
  )
}

interface PantallaProps extends VisorProps {
  open: boolean
  position: number
  onMove: (position: number) => void
}

function Pantalla({ clave, nombre, imagenes, open, position, onMove }: PantallaProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const stage = useRef<HTMLDivElement>(null)
  const leaving = useRef(false)
  const navigate = useNavigate()
  const { key, state } = useLocation()
  const pushed = (state as { visor?: boolean } | null)?.visor === true
  /** Position whose picture was enlarged: it is asked for in all its size. */
  const [enlarged, setEnlarged] = useState<number>()
  const { isZoomed, zoom } = useZoom(stage, '[data-lugar="actual"] [data-foto]', open && position, () =>
    setEnlarged(position),
  )
  const count = imagenes.length
  const actual = wrap(position, count)

  // The address is the truth: the dialog follows it, and until then nothing behind it can be pressed.
  useEffect(() => {
    leaving.current = false
    if (open && key && !dialog.current?.open) dialog.current?.showModal()
    else if (!open) dialog.current?.close()
  }, [open, key])

  const leave = () => {
    if (leaving.current) return
    leaving.current = true
    if (pushed && window.history.state.idx > 0) navigate(-1)
    else navigate({ search: window.location.search, hash: '' }, { replace: true, preventScrollReset: true })
  }

  const goTo = (next: number) => {
    if (next === position) return
    onMove(next)
    const { search } = window.location
    navigate(
      { search, hash: anclaDe(clave, wrap(next, count) + 1) },
      { replace: true, preventScrollReset: true, state },
    )
  }
  const step = (by: number) => goTo(position + by)
  useSwipe(stage, (by) => {
    if (count > 1 && !isZoomed()) step(by)
  })

  const keyed = (event: KeyboardEvent) => {
    // Alt and an arrow is the browser's own Back; a key held down would replace the address faster than browsers allow.
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
    // Opened by its address, it has nowhere to hand the focus back to.
    if (document.activeElement === document.body || dialog.current?.contains(document.activeElement))
      document.querySelector<HTMLElement>(`[data-espera="${clave}-${actual + 1}"]`)?.focus({ preventScroll: true })
    // A browser may close it without asking.
    if (!dialog.current?.open && numeroEnAncla(window.location.hash, clave, count) !== undefined) leave()
  }

  return (
    <dialog
      ref={dialog}
      className={styles.visor}
      aria-label={nombre}
      onCancel={cancelled}
      onClose={closed}
      onClick={clicked}
      onKeyDown={keyed}
    >
      <button type="button" className={styles.cerrar} onClick={leave}>
        <span aria-hidden="true">×</span> Cerrar
      </button>
      {count > 1 && (
        <>
          <button type="button" className={styles.anterior} onClick={() => step(-1)} aria-label="Anterior">
            <IconoAnterior />
          </button>
          <button type="button" className={styles.siguiente} onClick={() => step(1)} aria-label="Siguiente">
            <IconoSiguiente />
          </button>
        </>
      )}
      <div ref={stage} className={styles.escena} data-varias={count > 1 || undefined}>
        {(count > 1 ? [-1, 0, 1] : [0]).map((offset) => {
          const imagen = imagenes[wrap(position + offset, count)]!
          const place = offset === 0 ? 'actual' : offset < 0 ? 'anterior' : 'siguiente'
          return (
            <div key={position + offset} className={styles.lamina} data-lugar={place} aria-hidden={offset !== 0}>
              <FotoEntera imagen={imagen} primera={offset === 0} completa={enlarged === position + offset} />
            </div>
          )
        })}
      </div>
      <p className={styles.leyenda} aria-live="polite">
        {count > 1 && (
          <span className={styles.posicion}>
            {actual + 1} de {count}
          </span>
        )}{' '}
        {imagenes[actual]!.alt}
      </p>
    </dialog>
  )
}

/** A whole photograph, as large as its place allows; its preview lies beneath until it is there. */
function FotoEntera({ imagen, primera, completa }: { imagen: Imagen; primera: boolean; completa: boolean }) {
  const ratio = imagen.ancho / imagen.alto
  // The stylesheet has the same line and the same room for the rest.
  const sizes = completa
    ? `${imagen.ancho}px`
    : `(max-height: 559px) and (orientation: landscape) min(74vw, ${(ratio * 100).toFixed()}vh), min(100vw, calc((100vh - 9.75rem) * ${ratio.toFixed(3)}))`
  return (
    <div ref={(element) => element?.style.setProperty('--razon', String(ratio))} className={styles.cuadro} data-foto="">
      <img className={styles.vista} src={imagen.vista} alt="" aria-hidden="true" />
      <picture>
        <source {...fuente(imagen, 'avif')} sizes={sizes} />
        <source {...fuente(imagen, 'webp')} sizes={sizes} />
        <img {...imagenFinal(imagen)} alt={imagen.alt} draggable={false} fetchPriority={primera ? 'high' : 'low'} />
      </picture>
    </div>
  )
}
