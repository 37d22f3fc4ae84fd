import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { markersIn, withoutMarkers } from '#app/cms/drafts/field-markers.ts'
import { valueAt } from '#app/cms/schema/field-path.ts'
import { fieldOfKey } from '#app/panel/editor/draft-state.ts'
import { useEditForm } from '#app/panel/editor/edit-form-context.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './live-preview.module.css'

/** An element of the previewed screen that shows a field of the form; a field may have several places. */
interface FieldPlace {
  fieldKey: string
  element: Element
  /** Text node that shows only this field, so that typed text can be written into it at once. */
  text?: Text | undefined
}

interface ScreenRoute {
  path: string
  title: string
}

const VIEWPORT_WIDTHS_PX = { phone: 390, computer: 1280 }

/** Time from the last change of the site's draft to the preview's reload. */
const RELOAD_DELAY_MS = 250

/** Shows a screen's draft beside its form. A tap leads to the field, and the focused field is outlined. */
export function LivePreview({
  routes,
  onFieldRequest,
}: {
  routes: readonly ScreenRoute[]
  onFieldRequest(fieldKey: string): void
}) {
  const { view, focusedKey } = useEditForm()
  const [path, setPath] = useState(routes[0]!.path)
  const [device, setDevice] = useState<keyof typeof VIEWPORT_WIDTHS_PX>('phone')
  const [revision, setRevision] = useState(view.revision)
  const [shownSrc, setShownSrc] = useState('')
  const pane = useRef<HTMLDivElement>(null)
  const frames = useRef(new Map<string, HTMLIFrameElement>())
  const places = useRef<FieldPlace[]>([])
  const lastFocusedKey = useRef<string>(undefined)
  useScaleToFit(pane, VIEWPORT_WIDTHS_PX[device])

  useEffect(() => {
    const timer = setTimeout(() => setRevision(view.revision), RELOAD_DELAY_MS)
    return () => clearTimeout(timer)
  }, [view.revision])

  const latestSrc = `/organizadores/sitio/vista?ruta=${encodeURIComponent(path)}&v=${revision}`
  const outlineField = useCallback((fieldKey: string | undefined, mustScroll: boolean) => {
    for (const { element } of places.current) element.removeAttribute('data-in-focus')
    const elements = elementsOf(places.current, fieldKey)
    for (const element of elements) element.setAttribute('data-in-focus', '')
    if (mustScroll) scrollToCenter(firstVisibleOf(elements))
    // A frame that has just loaded shows the first item of each row.
    scrollRowsTo(firstVisibleOf(elementsOf(places.current, fieldKey ?? lastFocusedKey.current)))
  }, [])

  useEffect(() => {
    if (focusedKey !== undefined) lastFocusedKey.current = focusedKey
    outlineField(focusedKey, true)
  }, [focusedKey, outlineField])

  // Typed text is written into the frame at once, since the frame reloads only once the change is saved.
  useEffect(() => {
    if (focusedKey === undefined) return
    const { document, field } = fieldOfKey(focusedKey)
    const typedValue = valueAt(view.documents[document]?.mine, field)
    if (typeof typedValue === 'string' && typedValue !== valueAt(view.documents[document]?.site, field))
      for (const { fieldKey, text } of places.current)
        if (text && fieldKey === focusedKey) text.data = typedValue + text.data.slice(withoutMarkers(text.data).length)
  }, [view.documents, focusedKey])

  const onLoad = (src: string) => {
    const frame = frames.current.get(src)
    const frameDocument = frame?.contentDocument
    // A response that is no preview, for example since the session ended, must not replace the shown frame.
    if (!frame || !frameDocument?.querySelector('meta[name="claves"]')) return
    const shownWindow = frames.current.get(shownSrc)?.contentWindow
    const isSameScreen = shownSrc.split('&v=')[0] === src.split('&v=')[0]
    if (shownWindow && shownWindow !== frame.contentWindow && isSameScreen)
      frame.contentWindow?.scrollTo(0, shownWindow.scrollY)
    places.current = findPlaces(frameDocument)
    frameDocument.addEventListener('click', (event) => {
      event.preventDefault()
      const fieldKey = fieldKeyAt(frameDocument, event, places.current)
      if (fieldKey) onFieldRequest(fieldKey)
    })
    frameDocument.addEventListener('submit', (event) => event.preventDefault())
    outlineField(focusedKey, !isSameScreen)
    setShownSrc(src)
  }

  return (
    <section className={styles.preview} aria-label="Vista previa" id="vista">
      <div className={styles.bar}>
        {routes.length > 1 ? (
          <select aria-label="Qué pantalla se ve" value={path} onChange={({ target }) => setPath(target.value)}>
            {routes.map((route) => (
              <option key={route.path} value={route.path}>
                {route.title}
              </option>
            ))}
          </select>
        ) : (
          <p>Así queda</p>
        )}
        <fieldset className={styles.widths} aria-label="En qué se ve">
          {(Object.keys(VIEWPORT_WIDTHS_PX) as (keyof typeof VIEWPORT_WIDTHS_PX)[]).map((option) => (
            <button key={option} type="button" aria-pressed={device === option} onClick={() => setDevice(option)}>
              {option === 'phone' ? 'Teléfono' : 'Computadora'}
            </button>
          ))}
        </fieldset>
      </div>
      <div className={styles.frame} data-device={device} ref={pane}>
        {[...new Set([shownSrc, latestSrc])].filter(Boolean).map((src) => (
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
            className={joinClasses(styles.screen, src !== shownSrc && shownSrc !== '' && styles.loading)}
            onLoad={() => onLoad(src)}
          />
        ))}
      </div>
      <p className={styles.hint}>
        Toca un texto o una fotografía para cambiarlo en el formulario. Se ve como hoy; otra fecha, en «Ver el sitio
        así».
      </p>
    </section>
  )
}

/** Scales the frame to its pane. A script sets the CSS properties, since the content security policy forbids inline styles. */
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

const firstVisibleOf = (elements: readonly Element[]): Element | undefined =>
  elements.find((element) => element.getClientRects().length > 0) ?? elements[0]

/** Scrolls an element to the centre of its frame, or a tall one near the top; unlike `scrollIntoView` it does not scroll the form. */
function scrollToCenter(element: Element | undefined): void {
  const view = element?.ownerDocument.defaultView
  if (!element || !view) return
  const { top, height } = element.getBoundingClientRect()
  view.scrollTo(0, view.scrollY + top - Math.max(80, (view.innerHeight - height) / 2))
}

/** Scrolls each row around an element sideways to the element; a carousel without scripts is a row, too. */
function scrollRowsTo(element: Element | undefined): void {
  for (let row = element?.parentElement; row; row = row.parentElement)
    if (row.scrollWidth > row.clientWidth && getComputedStyle(row).overflowX === 'auto')
      row.scrollLeft += element!.getBoundingClientRect().left - row.getBoundingClientRect().left
}

/** Finds the places of fields by the markers in a screen's texts and labels (cms/drafts/field-markers). */
function findPlaces(doc: Document): FieldPlace[] {
  const keysJson = doc.querySelector('meta[name="claves"]')?.getAttribute('content')
  const knownKeys = JSON.parse(keysJson || '[]') as string[]
  const places: FieldPlace[] = []
  const addPlaces = (markers: number[], element: Element | null, text?: Text) => {
    for (const fieldKey of markers.map((marker) => knownKeys[marker]))
      if (fieldKey !== undefined && element) places.push({ fieldKey, element, text })
  }
  const walker = doc.createTreeWalker(doc.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    const markers = markersIn(node.data)
    // A text with bold, links or lists has several nodes, so it changes only when the frame reloads.
    const richTextElement = node.parentElement?.closest('[data-rich-text]')
    addPlaces(
      markers,
      richTextElement ?? node.parentElement,
      markers.length === 1 && !richTextElement ? node : undefined,
    )
  }
  for (const labelled of doc.querySelectorAll('[alt], [aria-label]'))
    addPlaces(
      markersIn(labelled.getAttribute('alt') ?? labelled.getAttribute('aria-label') ?? ''),
      labelled.closest('picture')?.parentElement ?? labelled,
    )
  return places
}

/** Finds the elements of a field or, without any, the first element of a field in it, or else in the nearest group around it. */
function elementsOf(places: readonly FieldPlace[], fieldKey: string | undefined): Element[] {
  if (fieldKey === undefined) return []
  const ownPlaces = places.filter((place) => place.fieldKey === fieldKey)
  const steps = fieldKey.split('.')
  for (let length = steps.length; ownPlaces.length === 0 && length > 1; length--) {
    const groupPrefix = `${steps.slice(0, length).join('.')}.`
    ownPlaces.push(...places.filter((place) => place.fieldKey.startsWith(groupPrefix)).slice(0, 1))
  }
  return ownPlaces.map(({ element }) => element)
}

/** Finds the key of the tapped field, even if another element covers the field. */
function fieldKeyAt(doc: Document, { target, clientX, clientY }: MouseEvent, places: readonly FieldPlace[]) {
  const enclosingElements: Element[] = []
  for (let element = target as Element | null; element && element !== doc.body; element = element.parentElement)
    enclosingElements.push(element)
  return [...enclosingElements, ...doc.elementsFromPoint(clientX, clientY)]
    .map((element) => places.find((place) => place.element === element)?.fieldKey)
    .find((fieldKey) => fieldKey !== undefined)
}
