import { type FieldPath, seenItemsTo, valorEn } from '#app/cms/schema/edits.ts'
import type { FieldFault } from '#app/cms/schema/faults.ts'
import {
  type Cola,
  type Conflict,
  confirmed,
  fieldEdit,
  newQueue,
  received,
  resolved,
  type SeenDocument,
  type Stored,
  sending,
  shownDocuments,
  withEdit,
  withoutAnswer,
  withStored,
} from './draft-queue.ts'
import type { PollResponse, SaveRefusal, SendingResponse } from './schema.ts'

/** How long after the last key a change is sent, in ms. */
const PAUSE_MS = 500
/** How often a page polls for changes of others and retries unsent ones, in ms. */
const POLL_MS = 4_000

/** Save state of the form. */
export type State =
  | { clase: 'al-dia'; at?: number }
  | { clase: 'guardando' }
  /** The site cannot be reached. */
  | { clase: 'sin-linea' }
  | { clase: 'sin-sesion'; mensaje: string }
  | { clase: 'falla'; mensaje: string }

export interface DraftView {
  cola: Cola
  /** The documents as the form shows them. */
  valores: Readonly<Record<string, unknown>>
  fallas: readonly FieldFault[]
  estado: State
  /** Email of the signed-in account. */
  yo: string
  /** Counter that grows whenever the stored draft has changed, so that the preview reloads. */
  entrega: number
}

export interface Start {
  anio: number
  pantalla: string
  documentos: Record<string, SeenDocument>
  fallas: FieldFault[]
  yo: string
}

export type DraftClient = ReturnType<typeof createDraftClient>

/**
 * Edits the draft of one screen: stores changes on the device until the site has them, sends them one request at a time, and
 * polls for changes of others.
 */
export function createDraftClient({ anio, pantalla, documentos, fallas, yo }: Start) {
  const cola = newQueue(documentos)
  let view: DraftView = { cola, valores: shownDocuments(cola), fallas, estado: { clase: 'al-dia' }, yo, entrega: 0 }
  const listeners = new Set<() => void>()
  const prefix = `certamen.redaccion.${anio}.${pantalla}.`
  const key = prefix + Math.random().toString(36).slice(2)
  let timer: ReturnType<typeof setTimeout> | undefined
  let isSending = false

  function show(next: Partial<DraftView>) {
    const isNew = next.cola !== undefined && next.cola !== view.cola
    view = { ...view, ...next, ...(isNew ? { valores: shownDocuments(next.cola!) } : {}) }
    if (isNew) keep(key, view.cola)
    for (const listen of listeners) listen()
  }

  function write(next: Cola) {
    if (next === view.cola) return
    show({ cola: next })
    sendSoon(PAUSE_MS)
  }

  function sendSoon(ms: number) {
    clearTimeout(timer)
    timer = setTimeout(() => void send(), ms)
  }

  const versions = () =>
    Object.entries(view.cola.documentos)
      .map(([document, { version }]) => `${document}:${version}`)
      .join(',')

  async function send() {
    if (isSending || view.cola.pendientes.length === 0) return
    isSending = true
    const going = sending(view.cola)
    const wasOut = view.estado.clase !== 'al-dia' && view.estado.clase !== 'guardando'
    show({ cola: going, ...(wasOut ? {} : { estado: { clase: 'guardando' } }) })
    const form = new FormData()
    form.set('pantalla', pantalla)
    form.set('v', versions())
    form.set('retoques', JSON.stringify(going.pendientes.slice(0, going.enCamino)))
    const answer = await ask<SendingResponse>('', { method: 'POST', body: form })
    isSending = false
    if (!answer.ok) {
      show({ cola: withoutAnswer(view.cola), estado: statusOf(answer) })
      return
    }
    const left = confirmed(view.cola, answer)
    const isDone = left.pendientes.length === 0
    show({
      cola: left,
      fallas: answer.fallas,
      yo: answer.yo,
      entrega: view.entrega + 1,
      estado: isDone ? { clase: 'al-dia', at: answer.ahora } : { clase: 'guardando' },
    })
    if (!isDone) sendSoon(PAUSE_MS)
  }

  async function look() {
    if (isSending || document.visibilityState === 'hidden') return
    isSending = true
    const answer = await ask<PollResponse>(`&v=${encodeURIComponent(versions())}`)
    isSending = false
    if (!answer.ok) {
      show({ estado: statusOf(answer) })
      return
    }
    const isNew = Object.keys(answer.documentos).length > 0
    const next = isNew ? received(view.cola, answer.documentos) : view.cola
    const isBack = view.estado.clase !== 'al-dia' && view.estado.clase !== 'guardando'
    show({
      cola: next,
      fallas: answer.fallas,
      yo: answer.yo,
      entrega: view.entrega + (isNew ? 1 : 0),
      ...(isBack ? { estado: { clase: next.pendientes.length > 0 ? 'guardando' : 'al-dia' } } : {}),
    })
    if (next.pendientes.length > 0) await send()
  }

  /** Sends one request; every failure is returned as a value. */
  async function ask<Answer extends { ok: true }>(query: string, init?: RequestInit): Promise<Answer | SaveFailure> {
    try {
      const response = await fetch(`/organizadores/sitio/borrador?pantalla=${pantalla}&anio=${anio}${query}`, {
        ...init,
        // With keepalive a request outlives the page; the Fetch standard limits such bodies to 64 KiB.
        keepalive: init !== undefined && String(init.body).length < 30_000 && document.visibilityState === 'hidden',
        signal: AbortSignal.timeout(20_000),
      })
      const isJson = response.headers.get('content-type')?.startsWith('application/json')
      if (isJson) return (await response.json()) as Answer | SaveRefusal
      const words = response.status < 500 ? undefined : await response.text()
      return { ok: false, reason: 'falla', mensaje: words?.length && words.length < 300 ? words : SOMETHING_FAILED }
    } catch {
      return { ok: false, reason: 'linea', mensaje: '' }
    }
  }

  const listAt = (document: string, field: FieldPath): unknown[] => {
    const list = valorEn(view.valores[document], field)
    return Array.isArray(list) ? list : []
  }
  const inList = (document: string, field: FieldPath) => ({
    ...{ documento: document, campo: field, vistos: seenItemsTo(view.valores[document], field) },
    largo: listAt(document, field).length,
  })

  return {
    read: () => view,
    subscribe(listen: () => void) {
      listeners.add(listen)
      return () => listeners.delete(listen)
    },

    poner: (document: string, field: FieldPath, now: unknown) =>
      write(withEdit(view.cola, fieldEdit(view.cola, document, field, now))),

    agregar: (document: string, field: FieldPath, en: number, now: unknown) =>
      write(withEdit(view.cola, { que: 'agregar', ...inList(document, field), en, ahora: now })),

    quitar: (document: string, field: FieldPath, en: number) =>
      write(
        withEdit(view.cola, {
          que: 'quitar',
          ...inList(document, field),
          en,
          antes: listAt(document, field)[en],
        }),
      ),

    mover(document: string, field: FieldPath, en: number, a: number) {
      const { largo: _, ...where } = inList(document, field)
      write(withEdit(view.cola, { que: 'mover', ...where, en, a, antes: listAt(document, field)[en] }))
    },

    resolver: (conflict: Conflict, which: 'mio' | 'suyo') => write(resolved(view.cola, conflict, which)),

    /** Sends pending changes at once, for example when the focus leaves a field. */
    guardar: () => sendSoon(0),

    /**
     * Restores changes stored on this device, and starts polling.
     * @returns a function that stops the polling
     */
    start() {
      const kept = keptUnder(prefix, key)
      if (kept.length > 0) {
        write(kept.reduce((all, one) => withStored(all, one), view.cola))
        // The changes are now stored under this page's key, so the older keys can go.
        for (const { key: old } of kept) forget(old)
      }
      const interval = setInterval(() => void look(), POLL_MS)
      const soon = () => void (view.cola.pendientes.length > 0 ? send() : look())
      const atOnce = () => document.visibilityState === 'hidden' && void send()
      window.addEventListener('online', soon)
      window.addEventListener('focus', soon)
      document.addEventListener('visibilitychange', atOnce)
      return () => {
        clearInterval(interval)
        clearTimeout(timer)
        window.removeEventListener('online', soon)
        window.removeEventListener('focus', soon)
        document.removeEventListener('visibilitychange', atOnce)
        void send()
      }
    },
  }
}

type SaveFailure = SaveRefusal | { ok: false; reason: 'linea' | 'falla'; mensaje: string }

const SOMETHING_FAILED = 'Algo falló de nuestro lado. Lo que escribiste sigue aquí, y se vuelve a intentar solo.'

function statusOf({ reason, mensaje }: SaveFailure): State {
  if (reason === 'linea') return { clase: 'sin-linea' }
  if (reason === 'sesion') return { clase: 'sin-sesion', mensaje }
  return { clase: 'falla', mensaje }
}

// Without localStorage, only a page that is closed while offline loses changes.
function keep(key: string, { pendientes, choques }: Cola) {
  try {
    if (pendientes.length === 0 && choques.length === 0) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify({ pendientes, choques } satisfies Stored))
  } catch {}
}

function keptUnder(prefix: string, own: string): (Stored & { key: string })[] {
  try {
    const keys = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at)!)
    return keys
      .filter((key) => key.startsWith(prefix) && key !== own)
      .map((key) => ({ key, ...(JSON.parse(localStorage.getItem(key)!) as Stored) }))
  } catch {
    return []
  }
}

function forget(key: string) {
  try {
    localStorage.removeItem(key)
  } catch {}
}
