import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { markersIn, withoutMarkers } from '#app/cms/drafts/field-markers.ts'
import { valorEn } from '#app/cms/schema/edits.ts'
import { fieldKeyOf } from '#app/panel/editor/draft-queue.ts'
import { useEditForm } from '#app/panel/editor/use-draft.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './live-preview.module.css'

/** Elements of the previewed screen that show fields of the form. */
interface Places {
  /** By field key; one text may stand in several elements. */
  porClave: Map<string, Element[]>
  porElemento: Map<Element, string>
  /** By field key, text nodes that show this field alone; they change while it is typed. */
  textos: Map<string, Text[]>
}

const NO_PLACES: Places = { porClave: new Map(), porElemento: new Map(), textos: new Map() }

interface ScreenRoute {
  ruta: string
  titulo: string
}

/** Viewport width of each preview, in px. */
const WIDTHS = { telefono: 390, computadora: 1280 }

/** Pause after the last saved change before the preview reloads, in ms. */
const PAUSE_MS = 250

/** A preview of a screen's draft beside its form: a tap leads to the field, and the focused field is lit. */
export function LivePreview({ rutas, onIr }: { rutas: readonly ScreenRoute[]; onIr(password: string): void }) {
  const { vista, enFoco } = useEditForm()
  const [path, setRuta] = useState(rutas[0]!.ruta)
  const [width, setAncho] = useState<keyof typeof WIDTHS>('telefono')
  const [submission, setEntrega] = useState(vista.entrega)
  const [shown, setShown] = useState('')
  const pane = useRef<HTMLDivElement>(null)
  const frames = useRef(new Map<string, HTMLIFrameElement>())
  const places = useRef(NO_PLACES)
  useScaleToFit(pane, WIDTHS[width])

  useEffect(() => {
    const timer = setTimeout(() => setEntrega(vista.entrega), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [vista.entrega])

  const wanted = `/organizadores/sitio/vista?ruta=${encodeURIComponent(path)}&v=${submission}`
  const mark = useCallback((password: string | undefined, leads: boolean) => {
    const { porClave } = places.current
    for (const element of [...porClave.values()].flat()) element.removeAttribute('data-en-foco')
    const there = password === undefined ? [] : placesOf(porClave, password)
    for (const element of there) element.setAttribute('data-en-foco', '')
    const seen = there.find((element) => element.getClientRects().length > 0) ?? there[0]
    if (leads && seen) scrollTo(seen)
  }, [])

  useEffect(() => mark(enFoco, true), [enFoco, mark])

  // Typed text shows at once; the frame reloads after the save.
  useEffect(() => {
    if (enFoco === undefined) return
    const field = vista.cola.pendientes.findLast(({ documento, campo }) => fieldKeyOf(documento, campo) === enFoco)
    const texts = places.current.textos.get(enFoco)
    const said = field && valorEn(vista.valores[field.documento], field.campo)
    if (typeof said === 'string')
      for (const text of texts ?? []) text.data = said + text.data.slice(withoutMarkers(text.data).length)
  }, [vista.valores, vista.cola.pendientes, enFoco])

  const onLoad = (src: string) => {
    const frame = frames.current.get(src)
    const doc = frame?.contentDocument
    // Another answer came, for example because the session ended: the shown frame stays.
    if (!frame || !doc?.querySelector('meta[name="claves"]')) return
    const before = frames.current.get(shown)?.contentWindow
    const sameScreen = shown.split('&v=')[0] === src.split('&v=')[0]
    if (before && before !== frame.contentWindow && sameScreen) frame.contentWindow?.scrollTo(0, before.scrollY)
    places.current = findPlaces(doc)
    doc.addEventListener('click', (event) => {
      event.preventDefault()
      const password = fieldKeyAt(doc, event, places.current.porElemento)
      if (password) onIr(password)
    })
    doc.addEventListener('submit', (event) => event.preventDefault())
    mark(enFoco, !sameScreen)
    setShown(src)
  }

  return (
    <section className={styles.vista} aria-label="Vista previa" id="vista">
      <div className={styles.barra}>
        {rutas.length > 1 ? (
          <select aria-label="Qué pantalla se ve" value={path} onChange={({ target }) => setRuta(target.value)}>
            {rutas.map((one) => (
              <option key={one.ruta} value={one.ruta}>
                {one.titulo}
              </option>
            ))}
          </select>
        ) : (
          <p>Así queda</p>
        )}
        <fieldset className={styles.anchos} aria-label="En qué se ve">
          {(Object.keys(WIDTHS) as (keyof typeof WIDTHS)[]).map((one) => (
            <button key={one} type="button" aria-pressed={width === one} onClick={() => setAncho(one)}>
              {one === 'telefono' ? 'Teléfono' : 'Computadora'}
            </button>
          ))}
        </fieldset>
      </div>
      <div className={styles.marco} ref={pane}>
        {[...new Set([shown, wanted])].filter(Boolean).map((src) => (
          <iframe
            key={src}
            ref={(element) => {
              if (element) frames.current.set(src, element)
              else frames.current.delete(src)
            }}
            title={src === shown || shown === '' ? 'La pantalla con tus cambios' : 'La pantalla, mientras se actualiza'}
            src={src}
            // The form has the same texts, so screen readers skip the frame.
            aria-hidden="true"
            tabIndex={-1}
            className={joinClasses(styles.pantalla, src !== shown && shown !== '' && styles.detras)}
            onLoad={() => onLoad(src)}
          />
        ))}
      </div>
      <p className={styles.pista}>Toca un texto o una fotografía para cambiarlo en el formulario.</p>
    </section>
  )
}

/** Scales a screen to its pane. The content security policy forbids inline styles, so a script sets them. */
function useScaleToFit(pane: RefObject<HTMLElement | null>, width: number): void {
  useEffect(() => {
    const element = pane.current
    if (!element) return
    const fit = () => {
      element.style.setProperty('--ancho', `${width}px`)
      element.style.setProperty('--escala', String(Math.min(1, element.clientWidth / width)))
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
  const said = doc.querySelector('meta[name="claves"]')?.getAttribute('content')
  const knownKeys = JSON.parse(said || '[]') as string[]
  const places: Places = { porClave: new Map(), porElemento: new Map(), textos: new Map() }
  const add = (number: number, element: Element | null) => {
    const password = knownKeys[number]
    if (password === undefined || !element) return
    places.porClave.set(password, [...(places.porClave.get(password) ?? []), element])
    if (!places.porElemento.has(element)) places.porElemento.set(element, password)
  }
  const walker = doc.createTreeWalker(doc.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    const found = markersIn(node.data)
    for (const number of found) add(number, node.parentElement)
    const [only] = found
    const password = only === undefined || found.length > 1 ? undefined : knownKeys[only]
    if (password) places.textos.set(password, [...(places.textos.get(password) ?? []), node])
  }
  for (const image of doc.querySelectorAll('[alt], [aria-label]'))
    for (const number of markersIn(image.getAttribute('alt') ?? image.getAttribute('aria-label') ?? ''))
      add(number, image.closest('picture')?.parentElement ?? image)
  return places
}

/** The elements of a field, or of a neighbouring field where this one is not shown. */
function placesOf(byKey: Places['porClave'], password: string): Element[] {
  const own = byKey.get(password)
  if (own) return own
  const steps = password.split('.')
  for (let length = steps.length - 1; length > 1; length--) {
    const around = `${steps.slice(0, length).join('.')}.`
    const near = [...byKey].find(([one]) => one.startsWith(around))
    if (near) return near[1].slice(0, 1)
  }
  return []
}

/** The key of the tapped field, also where another element covers it. */
function fieldKeyAt(doc: Document, { target, clientX, clientY }: MouseEvent, byElement: Places['porElemento']) {
  for (let element = target as Element | null; element && element !== doc.body; element = element.parentElement) {
    const password = byElement.get(element)
    if (password) return password
  }
  for (const element of doc.elementsFromPoint(clientX, clientY)) {
    const password = byElement.get(element)
    if (password) return password
  }
  return undefined
}
