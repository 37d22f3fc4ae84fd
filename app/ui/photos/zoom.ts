import { type RefObject, useEffect, useRef } from 'react'

/**
 * How a picture is seen: its scale (1 shows it whole), and the distance of its middle from the stage's, in CSS pixels.
 */
export interface Vista {
  escala: number
  x: number
  y: number
}

interface Punto {
  x: number
  y: number
}

interface Medida {
  ancho: number
  alto: number
}

export const ENTERA: Vista = { escala: 1, x: 0, y: 0 }
const ESCALA_MAXIMA = 4
/** The scale that a double tap or click goes to. */
const ESCALA_DOBLE = 2.5
const DOBLE_TOQUE_MS = 300
const DOBLE_TOQUE_PX = 30
/** A touch that moved further than this is no tap. */
const TOQUE_PX = 10

const clamp = (value: number, limit: number) => Math.min(Math.max(value, -limit), limit)

/**
 * Enlarges or reduces a picture so that the detail under a point stays there.
 * @param punto relative to the middle of the stage
 * @returns a view with a scale between 1 and 4; its edges may be out of place (see `dentro`)
 */
export function acercar(vista: Vista, factor: number, punto: Punto): Vista {
  const escala = Math.min(Math.max(vista.escala * factor, 1), ESCALA_MAXIMA)
  const k = escala / vista.escala
  return { escala, x: punto.x - (punto.x - vista.x) * k, y: punto.y - (punto.y - vista.y) * k }
}

/** Moves a picture so that none of its edges is inside the stage; a side that is smaller than the stage is centred. */
export function dentro({ escala, x, y }: Vista, foto: Medida, escena: Medida): Vista {
  const room = (picture: number, stage: number) => Math.max(0, (picture * escala - stage) / 2)
  return { escala, x: clamp(x, room(foto.ancho, escena.ancho)), y: clamp(y, room(foto.alto, escena.alto)) }
}

const distance = (a: Punto, b: Punto) => Math.hypot(a.x - b.x, a.y - b.y)
const middle = (a: Punto, b: Punto): Punto => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 })

interface Zoom {
  isZoomed(): boolean
  /** Enlarges around the middle; 0 shows it whole again. */
  zoom(factor: number): void
}

/**
 * Two fingers, a double tap or click, and the wheel with Ctrl enlarge the picture of a stage up to four times; one
 * finger or the mouse then moves it. The stage gets --zoom, --zoom-x, --zoom-y, and the attributes `data-ampliada`
 * while enlarged and `data-gesto` while a hand moves it.
 * @param picture finds the picture in the stage
 * @param shown what is shown; whenever it changes, the picture is whole again
 * @param wheelZooms the wheel enlarges without Ctrl, too
 */
export function useZoom(
  stage: RefObject<HTMLElement | null>,
  picture: string,
  shown: unknown,
  onZoom: () => void,
  wheelZooms?: 'rueda',
): Zoom {
  const handle = useRef<Zoom>({ isZoomed: () => false, zoom: () => {} })
  const latest = useRef(onZoom)
  useEffect(() => {
    latest.current = onZoom
  })

  useEffect(() => {
    const element = stage.current
    if (!element) return
    let vista = ENTERA
    let ultimo: { at: number; x: number; y: number } | undefined
    let kind = 'mouse'
    const fingers = new Map<number, Punto>()
    let began: Punto | undefined

    const box = () => element.getBoundingClientRect()
    const fromMiddle = ({ x, y }: Punto): Punto => {
      const { left, top, width, height } = box()
      return { x: x - left - width / 2, y: y - top - height / 2 }
    }
    const show = (next: Vista) => {
      const foto = element.querySelector<HTMLElement>(picture)
      if (!foto) return
      const { clientWidth, clientHeight } = element
      vista = dentro(
        next,
        { ancho: foto.offsetWidth, alto: foto.offsetHeight },
        { ancho: clientWidth, alto: clientHeight },
      )
      if (vista.escala > 1) latest.current()
      element.toggleAttribute('data-ampliada', vista.escala > 1)
      element.style.setProperty('--zoom', String(vista.escala))
      element.style.setProperty('--zoom-x', `${vista.x}px`)
      element.style.setProperty('--zoom-y', `${vista.y}px`)
    }
    const toggle = (at: Punto) => show(vista.escala > 1 ? ENTERA : acercar(vista, ESCALA_DOBLE, fromMiddle(at)))

    const down = (event: PointerEvent) => {
      kind = event.pointerType
      if (event.button !== 0) return
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY })
      began = fingers.size === 1 ? { x: event.clientX, y: event.clientY } : undefined
    }
    const move = (event: PointerEvent) => {
      const before = fingers.get(event.pointerId)
      if (!before) return
      const now = { x: event.clientX, y: event.clientY }
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1]
      fingers.set(event.pointerId, now)
      if (other) {
        const from = middle(before, other)
        const to = middle(now, other)
        const factor = distance(now, other) / Math.max(1, distance(before, other))
        const next = acercar(vista, factor, fromMiddle(from))
        element.dataset.gesto = ''
        show({ ...next, x: next.x + to.x - from.x, y: next.y + to.y - from.y })
      } else if (vista.escala > 1) {
        element.dataset.gesto = ''
        show({ ...vista, x: vista.x + now.x - before.x, y: vista.y + now.y - before.y })
      }
    }
    const up = (event: PointerEvent) => {
      if (!fingers.delete(event.pointerId)) return
      if (fingers.size === 0) delete element.dataset.gesto
      const at = { x: event.clientX, y: event.clientY }
      const tapped =
        event.type === 'pointerup' && kind !== 'mouse' && began !== undefined && distance(began, at) < TOQUE_PX
      if (!tapped) {
        ultimo = undefined
      } else if (ultimo && event.timeStamp - ultimo.at < DOBLE_TOQUE_MS && distance(ultimo, at) < DOBLE_TOQUE_PX) {
        ultimo = undefined
        if (event.target instanceof Element && event.target.closest(picture)) toggle(at)
      } else {
        ultimo = { at: event.timeStamp, ...at }
      }
    }
    const twice = (event: MouseEvent) => {
      if (kind === 'mouse' && event.target instanceof Element && event.target.closest(picture))
        toggle({ x: event.clientX, y: event.clientY })
    }
    const wheel = (event: WheelEvent) => {
      event.preventDefault()
      if (event.ctrlKey || wheelZooms)
        show(
          acercar(vista, Math.exp(-clamp(event.deltaY, 50) / 100), fromMiddle({ x: event.clientX, y: event.clientY })),
        )
      else if (vista.escala > 1) show({ ...vista, x: vista.x - event.deltaX, y: vista.y - event.deltaY })
    }
    const resize = () => show(vista)

    handle.current = {
      isZoomed: () => vista.escala > 1,
      zoom: (factor) => show(factor === 0 ? ENTERA : acercar(vista, factor, { x: 0, y: 0 })),
    }
    show(ENTERA)
    element.addEventListener('pointerdown', down)
    element.addEventListener('dblclick', twice)
    element.addEventListener('wheel', wheel, { passive: false })
    addEventListener('pointermove', move)
    addEventListener('pointerup', up)
    addEventListener('pointercancel', up)
    addEventListener('resize', resize)
    return () => {
      delete element.dataset.gesto
      element.removeEventListener('pointerdown', down)
      element.removeEventListener('dblclick', twice)
      element.removeEventListener('wheel', wheel)
      removeEventListener('pointermove', move)
      removeEventListener('pointerup', up)
      removeEventListener('pointercancel', up)
      removeEventListener('resize', resize)
    }
  }, [stage, picture, shown, wheelZooms])

  return {
    isZoomed: () => handle.current.isZoomed(),
    zoom: (factor) => handle.current.zoom(factor),
  }
}
