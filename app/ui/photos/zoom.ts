import { type RefObject, useEffect, useRef } from 'react'

/** A picture's scale (1 shows it whole), and the offset of its centre from the stage's in CSS pixels. */
export interface View {
  scale: number
  x: number
  y: number
}

interface Point {
  x: number
  y: number
}

interface Size {
  width: number
  height: number
}

export const WHOLE: View = { scale: 1, x: 0, y: 0 }
const MAX_SCALE = 4
/** Scale after a double tap or double click. */
const DOUBLE_TAP_SCALE = 2.5
const DOUBLE_TAP_MS = 300
const DOUBLE_TAP_PX = 30
/** Maximum movement of a tap. */
const TAP_PX = 10

const clamp = (value: number, limit: number) => Math.min(Math.max(value, -limit), limit)

/**
 * Scales a picture so that the detail under a point stays in place.
 * @param point relative to the centre of the stage
 * @returns a view with a scale between 1 and MAX_SCALE; `keepInside` must then correct its edges
 */
export function zoomAt(view: View, factor: number, point: Point): View {
  const scale = Math.min(Math.max(view.scale * factor, 1), MAX_SCALE)
  const k = scale / view.scale
  return { scale, x: point.x - (point.x - view.x) * k, y: point.y - (point.y - view.y) * k }
}

/** Moves a picture so that none of its edges is inside the stage; a side that is smaller than the stage is centred. */
export function inside({ scale, x, y }: View, photo: Size, stageSize: Size): View {
  const room = (picture: number, stage: number) => Math.max(0, (picture * scale - stage) / 2)
  return { scale, x: clamp(x, room(photo.width, stageSize.width)), y: clamp(y, room(photo.height, stageSize.height)) }
}

const distance = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y)
const middle = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 })

interface Zoom {
  isZoomed(): boolean
  /** Scales around the centre; a factor of 0 shows the picture whole again. */
  zoom(factor: number): void
}

/**
 * Lets two fingers, a double tap or click, and the wheel with Ctrl enlarge the picture of a stage up to four times, and one
 * finger or the mouse move the enlarged picture. Sets --zoom, --zoom-x and --zoom-y on the stage, `data-zoomed` while the picture
 * is enlarged, and `data-gesture` during a gesture.
 * @param picture CSS selector of the picture in the stage
 * @param resetKey a change of this value shows the picture whole again
 * @param wheelZooms whether the wheel also enlarges without Ctrl
 */
export function useZoom(
  stage: RefObject<HTMLElement | null>,
  picture: string,
  resetKey: unknown,
  onZoom: () => void,
  wheelZooms = false,
): Zoom {
  const handle = useRef<Zoom>({ isZoomed: () => false, zoom: () => {} })
  const latest = useRef(onZoom)
  useEffect(() => {
    latest.current = onZoom
  })

  useEffect(() => {
    const element = stage.current
    if (!element) return
    let view = WHOLE
    let lastTap: { at: number; x: number; y: number } | undefined
    let kind = 'mouse'
    const fingers = new Map<number, Point>()
    let tapStart: Point | undefined

    const box = () => element.getBoundingClientRect()
    const fromMiddle = ({ x, y }: Point): Point => {
      const { left, top, width, height } = box()
      return { x: x - left - width / 2, y: y - top - height / 2 }
    }
    const show = (next: View) => {
      const photo = element.querySelector<HTMLElement>(picture)
      if (!photo) return
      const { clientWidth, clientHeight } = element
      view = inside(
        next,
        { width: photo.offsetWidth, height: photo.offsetHeight },
        { width: clientWidth, height: clientHeight },
      )
      if (view.scale > 1) latest.current()
      element.toggleAttribute('data-zoomed', view.scale > 1)
      element.style.setProperty('--zoom', String(view.scale))
      element.style.setProperty('--zoom-x', `${view.x}px`)
      element.style.setProperty('--zoom-y', `${view.y}px`)
    }
    const toggle = (at: Point) => show(view.scale > 1 ? WHOLE : zoomAt(view, DOUBLE_TAP_SCALE, fromMiddle(at)))

    const beginTouch = (event: PointerEvent) => {
      kind = event.pointerType
      if (event.button !== 0) return
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY })
      tapStart = fingers.size === 1 ? { x: event.clientX, y: event.clientY } : undefined
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
        const next = zoomAt(view, factor, fromMiddle(from))
        element.dataset.gesture = ''
        show({ ...next, x: next.x + to.x - from.x, y: next.y + to.y - from.y })
      } else if (view.scale > 1) {
        element.dataset.gesture = ''
        show({ ...view, x: view.x + now.x - before.x, y: view.y + now.y - before.y })
      }
    }
    const endTouch = (event: PointerEvent) => {
      if (!fingers.delete(event.pointerId)) return
      if (fingers.size === 0) delete element.dataset.gesture
      const at = { x: event.clientX, y: event.clientY }
      const isTap =
        event.type === 'pointerup' && kind !== 'mouse' && tapStart !== undefined && distance(tapStart, at) < TAP_PX
      if (!isTap) {
        lastTap = undefined
      } else if (lastTap && event.timeStamp - lastTap.at < DOUBLE_TAP_MS && distance(lastTap, at) < DOUBLE_TAP_PX) {
        lastTap = undefined
        if (event.target instanceof Element && event.target.closest(picture)) toggle(at)
      } else {
        lastTap = { at: event.timeStamp, ...at }
      }
    }
    const onDoubleClick = (event: MouseEvent) => {
      if (kind === 'mouse' && event.target instanceof Element && event.target.closest(picture))
        toggle({ x: event.clientX, y: event.clientY })
    }
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      if (event.ctrlKey || wheelZooms)
        show(zoomAt(view, Math.exp(-clamp(event.deltaY, 50) / 100), fromMiddle({ x: event.clientX, y: event.clientY })))
      else if (view.scale > 1) show({ ...view, x: view.x - event.deltaX, y: view.y - event.deltaY })
    }
    const resize = () => show(view)

    handle.current = {
      isZoomed: () => view.scale > 1,
      zoom: (factor) => show(factor === 0 ? WHOLE : zoomAt(view, factor, { x: 0, y: 0 })),
    }
    show(WHOLE)
    element.addEventListener('pointerdown', beginTouch)
    element.addEventListener('dblclick', onDoubleClick)
    element.addEventListener('wheel', onWheel, { passive: false })
    addEventListener('pointermove', move)
    addEventListener('pointerup', endTouch)
    addEventListener('pointercancel', endTouch)
    addEventListener('resize', resize)
    return () => {
      delete element.dataset.gesture
      element.removeEventListener('pointerdown', beginTouch)
      element.removeEventListener('dblclick', onDoubleClick)
      element.removeEventListener('wheel', onWheel)
      removeEventListener('pointermove', move)
      removeEventListener('pointerup', endTouch)
      removeEventListener('pointercancel', endTouch)
      removeEventListener('resize', resize)
    }
  }, [stage, picture, resetKey, wheelZooms])

  return {
    isZoomed: () => handle.current.isZoomed(),
    zoom: (factor) => handle.current.zoom(factor),
  }
}
