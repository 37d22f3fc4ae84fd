import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { markersIn, withoutMarkers } from '#app/cms/drafts/field-markers.ts'
import { valueAt } from '#app/cms/schema/edits.ts'
import { fieldKeyOf } from '#app/panel/editor/draft-queue.ts'
import { useEditForm } from '#app/panel/editor/use-draft.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './live-preview.module.css'

/** Places are the elements of the previewed screen that show fields of the form. */
interface Places {
  /** The keys are field keys; one text may stand in several elements. */
  byKey: Map<string, Element[]>
  byElement: Map<Element, string>
  /** These text nodes show one field alone, so they can change while the field is typed in. */
  textNodes: Map<string, Text[]>
}

const NO_PLACES: Places = { byKey: new Map(), byElement: new Map(), textNodes: new Map() }

interface ScreenRoute {
  path: string
  title: string
}

/** A preview's viewport is so many pixels wide. */
const WIDTHS = { phone: 390, desktop: 1280 }

/** The preview reloads so long after the last saved change. */
const PAUSE_MS = 250

/** Shows a screen's draft beside its form; a tap leads to the field, and the focused field is outlined. */
export function LivePreview({
  routes,
  onFieldRequest,
}: {
  routes: readonly ScreenRoute[]
  onFieldRequest(fieldKey: string): void
}) {
  const { view, focusedKey } = useEditForm()
  const [path, setPath] = useState(routes[0]!.path)
  const [width, setWidth] = useState<keyof typeof WIDTHS>('phone')
  const [revision, setRevision] = useState(view.revision)
  const [shownSrc, setShownSrc] = useState('')
  const pane = useRef<HTMLDivElement>(null)
  const frames = useRef(new Map<string, HTMLIFrameElement>())
  const places = useRef(NO_PLACES)
  useScaleToFit(pane, WIDTHS[width])

  useEffect(() => {
    const timer = setTimeout(() => setRevision(view.revision), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [view.revision])

  const wantedSrc = `/organizadores/sitio/vista?ruta=${encodeURIComponent(path)}&v=${revision}`
  const mark = useCallback((fieldKey: string | undefined, mustScroll: boolean) => {
    const { byKey } = places.current
    for (const element of [...byKey.values()].flat()) element.removeAttribute('data-en-foco')
    const elements = fieldKey === undefined ? [] : placesOf(byKey, fieldKey)
    for (const element of elements) element.setAttribute('data-en-foco', '')
    const visibleElement = elements.find((element) => element.getClientRects().length > 0) ?? elements[0]
    if (mustScroll && visibleElement) scrollTo(visibleElement)
  }, [])

  useEffect(() => mark(focusedKey, true), [focusedKey, mark])

  // Typed text is written into the frame at once, since the frame reloads only after the save.
  useEffect(() => {
    if (focusedKey === undefined) return
    const field = view.queue.pendingEdits.findLast(
      ({ documento, campo }) => fieldKeyOf(documento, campo) === focusedKey,
    )
    const texts = places.current.textNodes.get(focusedKey)
    const shownText = field && valueAt(view.values[field.documento], field.campo)
    if (typeof shownText === 'string')
      for (const text of texts ?? []) text.data = shownText + text.data.slice(withoutMarkers(text.data).length)
  }, [view.values, view.queue.pendingEdits, focusedKey])

  const onLoad = (src: string) => {
    const frame = frames.current.get(src)
    const doc = frame?.contentDocument
    // An answer that is no preview, for example because the session ended, must not replace the shown frame.
    if (!frame || !doc?.querySelector('meta[name="claves"]')) return
    const before = frames.current.get(shownSrc)?.contentWindow
    const sameScreen = shownSrc.split('&v=')[0] === src.split('&v=')[0]
    if (before && before !== frame.contentWindow && sameScreen) frame.contentWindow?.scrollTo(0, before.scrollY)
    places.current = findPlaces(doc)
    doc.addEventListener('click', (event) => {
      event.preventDefault()
      const fieldKey = fieldKeyAt(doc, event, places.current.byElement)
      if (fieldKey) onFieldRequest(fieldKey)
    })
    doc.addEventListener('submit', (event) => event.preventDefault())
    mark(focusedKey, !sameScreen)
    setShownSrc(src)
  }

  return (
    <section className={styles.view} aria-label="Vista previa" id="vista">
      <div className={styles.bar}>
        {routes.length > 1 ? (
          <select aria-label="Qué pantalla se ve" value={path} onChange={({ target }) => setPath(target.value)}>
            {routes.map((one) => (
              <option key={one.path} value={one.path}>
                {one.title}
              </option>
            ))}
          </select>
        ) : (
          <p>Así queda</p>
        )}
        <fieldset className={styles.widths} aria-label="En qué se ve">
          {(Object.keys(WIDTHS) as (keyof typeof WIDTHS)[]).map((one) => (
            <button key={one} type="button" aria-pressed={width === one} onClick={() => setWidth(one)}>
              {one === 'phone' ? 'Teléfono' : 'Computadora'}
            </button>
          ))}
        </fieldset>
      </div>
      <div className={styles.frame} ref={pane}>
        {[...new Set([shownSrc, wantedSrc])].filter(Boolean).map((src) => (
          <iframe
            key={src}
            ref={(element) => {
              if (element) frames.current.set(src, element)
              else frames.current.delete(src)
            }}
            title={
              src === shownSrc || shownSrc === '' ? 'La pantalla con tus cambios' : 'La pantalla, mientras se actualiza'
            }
            src={src}
            // Screen readers skip the frame, since the form has the same texts.
            aria-hidden="true"
            tabIndex={-1}
            className={joinClasses(styles.screen, src !== shownSrc && shownSrc !== '' && styles.behind)}
            onLoad={() => onLoad(src)}
          />
        ))}
      </div>
      <p className={styles.hint}>Toca un texto o una fotografía para cambiarlo en el formulario.</p>
    </section>
  )
}

/** Scales a screen to its pane. The content security policy forbids inline styles, so a script sets them. */
function useScaleToFit(pane: RefObject<HTMLElement | null>, width: number): void {
  useEffect(() => {
    const element = pane.current
    if (!element) return
    const fit = () => {
      element.style.setProperty('--width', `${width}px`)
      element.style.setProperty('--scale', String(Math.min(1, element.clientWidth / width)))
    }
    fit()
    const observer = new ResizeObserver(fit)
    observer.observe(element)
    return () => observer.disconnect()
  }, [pane, width])
}

/** Scrolls an element into view within the frame only; the form around the frame stays where it is. */
function scrollTo(element: Element): void {
  const view = element.ownerDocument.defaultView
  const { top, height } = element.getBoundingClientRect()
  if (view) view.scrollTo(0, view.scrollY + top - Math.max(80, (view.innerHeight - height) / 2))
}

/** Finds the elements of each field by the markers in a screen's texts and labels. */
function findPlaces(doc: Document): Places {
  const keysJson = doc.querySelector('meta[name="claves"]')?.getAttribute('content')
  const knownKeys = JSON.parse(keysJson || '[]') as string[]
  const places: Places = { byKey: new Map(), byElement: new Map(), textNodes: new Map() }
  const add = (number: number, element: Element | null) => {
    const fieldKey = knownKeys[number]
    if (fieldKey === undefined || !element) return
    places.byKey.set(fieldKey, [...(places.byKey.get(fieldKey) ?? []), element])
    if (!places.byElement.has(element)) places.byElement.set(element, fieldKey)
  }
  const walker = doc.createTreeWalker(doc.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    const found = markersIn(node.data)
    for (const number of found) add(number, node.parentElement)
    const [only] = found
    const fieldKey = only === undefined || found.length > 1 ? undefined : knownKeys[only]
    if (fieldKey) places.textNodes.set(fieldKey, [...(places.textNodes.get(fieldKey) ?? []), node])
  }
  for (const image of doc.querySelectorAll('[alt], [aria-label]'))
    for (const number of markersIn(image.getAttribute('alt') ?? image.getAttribute('aria-label') ?? ''))
      add(number, image.closest('picture')?.parentElement ?? image)
  return places
}

/** Finds the elements of a field or, where the field is not shown, the first element of a neighbouring field. */
function placesOf(byKey: Places['byKey'], fieldKey: string): Element[] {
  const ownElements = byKey.get(fieldKey)
  if (ownElements) return ownElements
  const steps = fieldKey.split('.')
  for (let length = steps.length - 1; length > 1; length--) {
    const around = `${steps.slice(0, length).join('.')}.`
    const neighbour = [...byKey].find(([one]) => one.startsWith(around))
    if (neighbour) return neighbour[1].slice(0, 1)
  }
  return []
}

/** Finds the key of the tapped field, even where another element covers the field. */
function fieldKeyAt(doc: Document, { target, clientX, clientY }: MouseEvent, byElement: Places['byElement']) {
  for (let element = target as Element | null; element && element !== doc.body; element = element.parentElement) {
    const fieldKey = byElement.get(element)
    if (fieldKey) return fieldKey
  }
  for (const element of doc.elementsFromPoint(clientX, clientY)) {
    const fieldKey = byElement.get(element)
    if (fieldKey) return fieldKey
  }
  return undefined
}
