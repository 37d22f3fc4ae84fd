import { type RefObject, useEffect, useRef } from 'react'

/** A picture's scale (1 shows it whole), and the offset of its centre from the stage's in CSS pixels. */
export interface ZoomView {
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

export const WHOLE_VIEW: ZoomView = { scale: 1, x: 0, y: 0 }
const MAX_SCALE = 4
const DOUBLE_TAP_SCALE = 2.5
/** Maximum time between the two taps of a double tap. */
const DOUBLE_TAP_MS = 300
/** Maximum distance between the two taps of a double tap. */
const DOUBLE_TAP_PX = 30
/** Maximum movement of a tap. */
const TAP_PX = 10

const clamp = (value: number, limit: number) => Math.min(Math.max(value, -limit), limit)

/**
 * Scales a picture so that the detail under a point stays in place.
 * @param point relative to the centre of the stage
 * @returns a view with a scale between 1 and MAX_SCALE; `keepInside` must then correct its edges
 */
export function zoomAt(view: ZoomView, factor: number, point: Point): ZoomView {
  const scale = Math.min(Math.max(view.scale * factor, 1), MAX_SCALE)
  const ratio = scale / view.scale
  return { scale, x: point.x - (point.x - view.x) * ratio, y: point.y - (point.y - view.y) * ratio }
}

/** Moves a picture so that none of its edges is inside the stage; a side that is smaller than the stage is centred. */
export function keepInside({ scale, x, y }: ZoomView, photo: Size, stageSize: Size): ZoomView {
  const room = (photoSide: number, stageSide: number) => Math.max(0, (photoSide * scale - stageSide) / 2)
  return { scale, x: clamp(x, room(photo.width, stageSize.width)), y: clamp(y, room(photo.height, stageSize.height)) }
}

const distance = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y)
const midpoint = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 })

interface Zoom {
  isZoomed(): boolean
  /** Scales around the centre. */
  zoom(factor: number): void
  resetZoom(): void
}

/**
 * Lets two fingers, a double tap or click, and the wheel with Ctrl enlarge the picture of a stage up to four times, and one
 * finger, the mouse or the wheel move the enlarged picture. Sets --zoom, --zoom-x and --zoom-y on the stage, `data-zoomed` while
 * the picture is enlarged, and `data-gesture` during a gesture.
 * @param pictureSelector CSS selector of the picture in the stage
 * @param options `resetKey`: a change of this value shows the picture whole again; `onZoom` runs at each change of an enlarged
 *   picture; `wheelZooms`: the wheel enlarges without Ctrl
 */
export function useZoom(
  stage: RefObject<HTMLElement | null>,
  pictureSelector: string,
  { resetKey, onZoom, wheelZooms = false }: { resetKey: unknown; onZoom?: () => void; wheelZooms?: boolean },
): Zoom {
  const handle = useRef<Zoom>({ isZoomed: () => false, zoom: () => {}, resetZoom: () => {} })
  const latestOnZoom = useRef(onZoom)
  useEffect(() => {
    latestOnZoom.current = onZoom
  })

  useEffect(() => {
    const element = stage.current
    if (!element) return
    let view = WHOLE_VIEW
    let lastTap: { atMs: number; x: number; y: number } | undefined
    let pointerKind = 'mouse'
    const pointers = new Map<number, Point>()
    let tapStart: Point | undefined

    const stageBox = () => element.getBoundingClientRect()
    const relativeToCentre = ({ x, y }: Point): Point => {
      const { left, top, width, height } = stageBox()
      return { x: x - left - width / 2, y: y - top - height / 2 }
    }
    const applyView = (next: ZoomView) => {
      const photo = element.querySelector<HTMLElement>(pictureSelector)
      if (!photo) return
      const { clientWidth, clientHeight } = element
      view = keepInside(
        next,
        { width: photo.offsetWidth, height: photo.offsetHeight },
        { width: clientWidth, height: clientHeight },
      )
      if (view.scale > 1) latestOnZoom.current?.()
      element.toggleAttribute('data-zoomed', view.scale > 1)
      element.style.setProperty('--zoom', String(view.scale))
      element.style.setProperty('--zoom-x', `${view.x}px`)
      element.style.setProperty('--zoom-y', `${view.y}px`)
    }
    const toggle = (point: Point) =>
      applyView(view.scale > 1 ? WHOLE_VIEW : zoomAt(view, DOUBLE_TAP_SCALE, relativeToCentre(point)))

    const onPointerDown = (event: PointerEvent) => {
      pointerKind = event.pointerType
      if (event.button !== 0) return
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY })
      tapStart = pointers.size === 1 ? { x: event.clientX, y: event.clientY } : undefined
    }
    const onPointerMove = (event: PointerEvent) => {
      const before = pointers.get(event.pointerId)
      if (!before) return
      const moved = { x: event.clientX, y: event.clientY }
      const otherPointer = [...pointers].find(([id]) => id !== event.pointerId)?.[1]
      pointers.set(event.pointerId, moved)
      if (otherPointer) {
        const from = midpoint(before, otherPointer)
        const to = midpoint(moved, otherPointer)
        const factor = distance(moved, otherPointer) / Math.max(1, distance(before, otherPointer))
        const next = zoomAt(view, factor, relativeToCentre(from))
        element.dataset.gesture = ''
        applyView({ ...next, x: next.x + to.x - from.x, y: next.y + to.y - from.y })
      } else if (view.scale > 1) {
        element.dataset.gesture = ''
        applyView({ ...view, x: view.x + moved.x - before.x, y: view.y + moved.y - before.y })
      }
    }
    const onPointerEnd = (event: PointerEvent) => {
      if (!pointers.delete(event.pointerId)) return
      if (pointers.size === 0) delete element.dataset.gesture
      const point = { x: event.clientX, y: event.clientY }
      const isTap =
        event.type === 'pointerup' &&
        pointerKind !== 'mouse' &&
        tapStart !== undefined &&
        distance(tapStart, point) < TAP_PX
      if (!isTap) {
        lastTap = undefined
      } else if (
        lastTap &&
        event.timeStamp - lastTap.atMs < DOUBLE_TAP_MS &&
        distance(lastTap, point) < DOUBLE_TAP_PX
      ) {
        lastTap = undefined
        if (event.target instanceof Element && event.target.closest(pictureSelector)) toggle(point)
      } else {
        lastTap = { atMs: event.timeStamp, ...point }
      }
    }
    const onDoubleClick = (event: MouseEvent) => {
      if (pointerKind === 'mouse' && event.target instanceof Element && event.target.closest(pictureSelector))
        toggle({ x: event.clientX, y: event.clientY })
    }
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      if (event.ctrlKey || wheelZooms)
        applyView(
          zoomAt(
            view,
            Math.exp(-clamp(event.deltaY, 50) / 100),
            relativeToCentre({ x: event.clientX, y: event.clientY }),
          ),
        )
      else if (view.scale > 1) applyView({ ...view, x: view.x - event.deltaX, y: view.y - event.deltaY })
    }
    const onResize = () => applyView(view)

    handle.current = {
      isZoomed: () => view.scale > 1,
      zoom: (factor) => applyView(zoomAt(view, factor, { x: 0, y: 0 })),
      resetZoom: () => applyView(WHOLE_VIEW),
    }
    applyView(WHOLE_VIEW)
    element.addEventListener('pointerdown', onPointerDown)
    element.addEventListener('dblclick', onDoubleClick)
    element.addEventListener('wheel', onWheel, { passive: false })
    addEventListener('pointermove', onPointerMove)
    addEventListener('pointerup', onPointerEnd)
    addEventListener('pointercancel', onPointerEnd)
    addEventListener('resize', onResize)
    return () => {
      delete element.dataset.gesture
      element.removeEventListener('pointerdown', onPointerDown)
      element.removeEventListener('dblclick', onDoubleClick)
      element.removeEventListener('wheel', onWheel)
      removeEventListener('pointermove', onPointerMove)
      removeEventListener('pointerup', onPointerEnd)
      removeEventListener('pointercancel', onPointerEnd)
      removeEventListener('resize', onResize)
    }
  }, [stage, pictureSelector, resetKey, wheelZooms])

  return {
    isZoomed: () => handle.current.isZoomed(),
    zoom: (factor) => handle.current.zoom(factor),
    resetZoom: () => handle.current.resetZoom(),
  }
}
