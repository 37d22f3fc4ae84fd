import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { senasEn, sinSenas } from '#app/cms/drafts/field-markers.ts'
import { valorEn } from '#app/cms/schema/edits.ts'
import { claveDe } from '#app/panel/editor/draft-queue.ts'
import { useMano } from '#app/panel/editor/use-draft.ts'
import { unir } from '#app/ui/styles/class-names.ts'
import styles from './live-preview.module.css'

/** The places of a shown screen that are fields of the form. */
interface Lugares {
  /** By the key of the field; the same text may stand in several places. */
  porClave: Map<string, Element[]>
  porElemento: Map<Element, string>
  /** Texts that consist of one field alone, which change while it is typed. */
  textos: Map<string, Text[]>
}

const SIN_LUGARES: Lugares = { porClave: new Map(), porElemento: new Map(), textos: new Map() }

interface Ruta {
  ruta: string
  titulo: string
}

/** How wide the screen is taken to be, in px. */
const ANCHOS = { telefono: 390, computadora: 1280 }

/** After the last change, in ms: one look for several. */
const PAUSA_MS = 250

/** The draft of a screen as it would be shown, beside its form: each leads to the other. */
export function VistaDePantalla({ rutas, onIr }: { rutas: readonly Ruta[]; onIr(clave: string): void }) {
  const { vista, enFoco } = useMano()
  const [ruta, setRuta] = useState(rutas[0]!.ruta)
  const [ancho, setAncho] = useState<keyof typeof ANCHOS>('telefono')
  const [entrega, setEntrega] = useState(vista.entrega)
  const [shown, setShown] = useState('')
  const pane = useRef<HTMLDivElement>(null)
  const frames = useRef(new Map<string, HTMLIFrameElement>())
  const lugares = useRef(SIN_LUGARES)
  useEscala(pane, ANCHOS[ancho])

  useEffect(() => {
    const timer = setTimeout(() => setEntrega(vista.entrega), PAUSA_MS)
    return () => clearTimeout(timer)
  }, [vista.entrega])

  const wanted = `/organizadores/sitio/vista?ruta=${encodeURIComponent(ruta)}&v=${entrega}`
  const marcar = useCallback((clave: string | undefined, leads: boolean) => {
    const { porClave } = lugares.current
    for (const element of [...porClave.values()].flat()) element.removeAttribute('data-en-foco')
    const there = clave === undefined ? [] : placesOf(porClave, clave)
    for (const element of there) element.setAttribute('data-en-foco', '')
    const seen = there.find((element) => element.getClientRects().length > 0) ?? there[0]
    if (leads && seen) scrollTo(seen)
  }, [])

  useEffect(() => marcar(enFoco, true), [enFoco, marcar])

  // What is typed shows at once; the screen itself follows when it is saved.
  useEffect(() => {
    if (enFoco === undefined) return
    const field = vista.cola.pendientes.findLast(({ documento, campo }) => claveDe(documento, campo) === enFoco)
    const texts = lugares.current.textos.get(enFoco)
    const said = field && valorEn(vista.valores[field.documento], field.campo)
    if (typeof said === 'string')
      for (const text of texts ?? []) text.data = said + text.data.slice(sinSenas(text.data).length)
  }, [vista.valores, vista.cola.pendientes, enFoco])

  const onLoad = (src: string) => {
    const frame = frames.current.get(src)
    const doc = frame?.contentDocument
    // Whatever else is answered, because the session ended, say: what was shown stays.
    if (!frame || !doc?.querySelector('meta[name="claves"]')) return
    const before = frames.current.get(shown)?.contentWindow
    const sameScreen = shown.split('&v=')[0] === src.split('&v=')[0]
    if (before && before !== frame.contentWindow && sameScreen) frame.contentWindow?.scrollTo(0, before.scrollY)
    lugares.current = findLugares(doc)
    doc.addEventListener('click', (event) => {
      event.preventDefault()
      const clave = claveAt(doc, event, lugares.current.porElemento)
      if (clave) onIr(clave)
    })
    doc.addEventListener('submit', (event) => event.preventDefault())
    marcar(enFoco, !sameScreen)
    setShown(src)
  }

  return (
    <section className={styles.vista} aria-label="Vista previa" id="vista">
      <div className={styles.barra}>
        {rutas.length > 1 ? (
          <select aria-label="Qué pantalla se ve" value={ruta} onChange={({ target }) => setRuta(target.value)}>
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
          {(Object.keys(ANCHOS) as (keyof typeof ANCHOS)[]).map((one) => (
            <button key={one} type="button" aria-pressed={ancho === one} onClick={() => setAncho(one)}>
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
            // What it says stands in the form, and the whole site as it would be is one link away.
            aria-hidden="true"
            tabIndex={-1}
            className={unir(styles.pantalla, src !== shown && shown !== '' && styles.detras)}
            onLoad={() => onLoad(src)}
          />
        ))}
      </div>
      <p className={styles.pista}>Toca un texto o una fotografía para cambiarlo en el formulario.</p>
    </section>
  )
}

/** Lets a screen of some width fill its pane. The policy of the page takes no styles but those that are set from here. */
function useEscala(pane: RefObject<HTMLElement | null>, width: number): void {
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

/** Brings a place into view within its own screen: the form around it stays where it is. */
function scrollTo(element: Element): void {
  const view = element.ownerDocument.defaultView
  const { top, height } = element.getBoundingClientRect()
  if (view) view.scrollTo(0, view.scrollY + top - Math.max(80, (view.innerHeight - height) / 2))
}

/** Reads the signs of a screen, by which its words and pictures are fields. */
function findLugares(doc: Document): Lugares {
  const said = doc.querySelector('meta[name="claves"]')?.getAttribute('content')
  const claves = JSON.parse(said || '[]') as string[]
  const lugares: Lugares = { porClave: new Map(), porElemento: new Map(), textos: new Map() }
  const add = (numero: number, element: Element | null) => {
    const clave = claves[numero]
    if (clave === undefined || !element) return
    lugares.porClave.set(clave, [...(lugares.porClave.get(clave) ?? []), element])
    if (!lugares.porElemento.has(element)) lugares.porElemento.set(element, clave)
  }
  const walker = doc.createTreeWalker(doc.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    const found = senasEn(node.data)
    for (const numero of found) add(numero, node.parentElement)
    const [only] = found
    const clave = only === undefined || found.length > 1 ? undefined : claves[only]
    if (clave) lugares.textos.set(clave, [...(lugares.textos.get(clave) ?? []), node])
  }
  for (const image of doc.querySelectorAll('[alt], [aria-label]'))
    for (const numero of senasEn(image.getAttribute('alt') ?? image.getAttribute('aria-label') ?? ''))
      add(numero, image.closest('picture')?.parentElement ?? image)
  return lugares
}

/** The places of a field; of one that is shown nowhere, those of its neighbours. */
function placesOf(porClave: Lugares['porClave'], clave: string): Element[] {
  const own = porClave.get(clave)
  if (own) return own
  const steps = clave.split('.')
  for (let length = steps.length - 1; length > 1; length--) {
    const around = `${steps.slice(0, length).join('.')}.`
    const near = [...porClave].find(([one]) => one.startsWith(around))
    if (near) return near[1].slice(0, 1)
  }
  return []
}

/** The field that was tapped: what lies under the finger, whatever is above it. */
function claveAt(doc: Document, { target, clientX, clientY }: MouseEvent, porElemento: Lugares['porElemento']) {
  for (let element = target as Element | null; element && element !== doc.body; element = element.parentElement) {
    const clave = porElemento.get(element)
    if (clave) return clave
  }
  for (const element of doc.elementsFromPoint(clientX, clientY)) {
    const clave = porElemento.get(element)
    if (clave) return clave
  }
  return undefined
}
