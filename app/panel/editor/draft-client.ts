import { type FieldPath, seenItemsTo, valueAt } from '#app/cms/schema/edits.ts'
import type { FieldFault } from '#app/cms/schema/faults.ts'
import {
  applyAnswer,
  applyRemoteChanges,
  type Conflict,
  type DraftQueue,
  fieldEdit,
  markSending,
  newQueue,
  readStored,
  resolveConflict,
  type SeenDocument,
  type StoredChanges,
  shownDocuments,
  withEdit,
  withoutAnswer,
  withStored,
} from './draft-queue.ts'
import type { PollResponse, SaveRefusal, SendingResponse } from './schema.ts'

/** A change is sent so long after the last key. */
const PAUSE_MS = 500
/** So often a page polls for changes of others and retries unsent changes. */
const POLL_MS = 4_000

export type State =
  | { kind: 'saved'; at?: number }
  | { kind: 'saving' }
  /** The site cannot be reached; the changes stay on the device. */
  | { kind: 'offline' }
  | { kind: 'signedOut'; message: string }
  | { kind: 'failed'; message: string }

export interface DraftView {
  queue: DraftQueue
  /** The form shows the documents with these values. */
  values: Readonly<Record<string, unknown>>
  faults: readonly FieldFault[]
  state: State
  /** The signed-in account has this email; another person's sign-in in the same browser changes it. */
  ownEmail: string
  /** The number grows whenever the stored draft has changed, so that the preview reloads. */
  revision: number
}

export interface Start {
  year: number
  screenId: string
  documents: Record<string, SeenDocument>
  faults: FieldFault[]
  ownEmail: string
}

export type DraftClient = ReturnType<typeof createDraftClient>

/**
 * Edits the draft of one screen: stores changes on the device until the site has them, sends them one request at a time, and
 * polls for changes of others.
 */
export function createDraftClient({ year, screenId, documents, faults, ownEmail }: Start) {
  const queue = newQueue(documents)
  let view: DraftView = {
    queue,
    values: shownDocuments(queue),
    faults,
    state: { kind: 'saved' },
    ownEmail,
    revision: 0,
  }
  const listeners = new Set<() => void>()
  const prefix = `certamen.redaccion.${year}.${screenId}.`
  const key = prefix + Math.random().toString(36).slice(2)
  let timer: ReturnType<typeof setTimeout> | undefined
  let isSending = false

  function show(next: Partial<DraftView>) {
    const isNew = next.queue !== undefined && next.queue !== view.queue
    view = { ...view, ...next, ...(isNew ? { values: shownDocuments(next.queue!) } : {}) }
    if (isNew) storeChanges(key, view.queue)
    for (const listen of listeners) listen()
  }

  function write(next: DraftQueue) {
    if (next === view.queue) return
    show({ queue: next })
    sendSoon(PAUSE_MS)
  }

  function sendSoon(ms: number) {
    clearTimeout(timer)
    timer = setTimeout(() => void send(), ms)
  }

  const versions = () =>
    Object.entries(view.queue.documents)
      .map(([document, { version }]) => `${document}:${version}`)
      .join(',')

  async function send() {
    if (isSending || view.queue.pendingEdits.length === 0) return
    isSending = true
    const sendingQueue = markSending(view.queue)
    const hadFailed = view.state.kind !== 'saved' && view.state.kind !== 'saving'
    show({ queue: sendingQueue, ...(hadFailed ? {} : { state: { kind: 'saving' } }) })
    const form = new FormData()
    form.set('pantalla', screenId)
    form.set('v', versions())
    form.set('retoques', JSON.stringify(sendingQueue.pendingEdits.slice(0, sendingQueue.inFlight)))
    const answer = await request<SendingResponse>('', { method: 'POST', body: form })
    isSending = false
    if (!answer.ok) {
      show({ queue: withoutAnswer(view.queue), state: statusOf(answer) })
      return
    }
    const remainingQueue = applyAnswer(view.queue, answer)
    const isDone = remainingQueue.pendingEdits.length === 0
    show({
      queue: remainingQueue,
      faults: answer.fallas,
      ownEmail: answer.yo,
      revision: view.revision + 1,
      state: isDone ? { kind: 'saved', at: answer.ahora } : { kind: 'saving' },
    })
    if (!isDone) sendSoon(PAUSE_MS)
  }

  async function poll() {
    if (isSending || document.visibilityState === 'hidden') return
    isSending = true
    const answer = await request<PollResponse>(`&v=${encodeURIComponent(versions())}`)
    isSending = false
    if (!answer.ok) {
      show({ state: statusOf(answer) })
      return
    }
    const isNew = Object.keys(answer.documentos).length > 0
    const next = isNew ? applyRemoteChanges(view.queue, answer.documentos) : view.queue
    const isBack = view.state.kind !== 'saved' && view.state.kind !== 'saving'
    show({
      queue: next,
      faults: answer.fallas,
      ownEmail: answer.yo,
      revision: view.revision + (isNew ? 1 : 0),
      ...(isBack ? { state: { kind: next.pendingEdits.length > 0 ? 'saving' : 'saved' } } : {}),
    })
    if (next.pendingEdits.length > 0) await send()
  }

  /** Sends one request; every failure is returned as a value. */
  async function request<Answer extends { ok: true }>(
    query: string,
    init?: RequestInit,
  ): Promise<Answer | SaveFailure> {
    try {
      const response = await fetch(`/organizadores/sitio/borrador?pantalla=${screenId}&anio=${year}${query}`, {
        ...init,
        // With keepalive a request outlives the page, but the Fetch standard limits such bodies to 64 KiB.
        keepalive: init !== undefined && String(init.body).length < 30_000 && document.visibilityState === 'hidden',
        signal: AbortSignal.timeout(20_000),
      })
      const isJson = response.headers.get('content-type')?.startsWith('application/json')
      if (isJson) return (await response.json()) as Answer | SaveRefusal
      const words = response.status < 500 ? undefined : await response.text()
      return { ok: false, reason: 'failed', mensaje: words?.length && words.length < 300 ? words : FAULT_MESSAGE }
    } catch {
      return { ok: false, reason: 'offline', mensaje: '' }
    }
  }

  const listAt = (document: string, field: FieldPath): unknown[] => {
    const list = valueAt(view.values[document], field)
    return Array.isArray(list) ? list : []
  }
  const inList = (document: string, field: FieldPath) => ({
    ...{ documento: document, campo: field, vistos: seenItemsTo(view.values[document], field) },
    largo: listAt(document, field).length,
  })

  return {
    read: () => view,
    subscribe(listen: () => void) {
      listeners.add(listen)
      return () => listeners.delete(listen)
    },

    set: (document: string, field: FieldPath, now: unknown) =>
      write(withEdit(view.queue, fieldEdit(view.queue, document, field, now))),

    add: (document: string, field: FieldPath, index: number, now: unknown) =>
      write(withEdit(view.queue, { que: 'agregar', ...inList(document, field), en: index, ahora: now })),

    remove: (document: string, field: FieldPath, index: number) =>
      write(
        withEdit(view.queue, {
          que: 'quitar',
          ...inList(document, field),
          en: index,
          antes: listAt(document, field)[index],
        }),
      ),

    move(document: string, field: FieldPath, index: number, newIndex: number) {
      const { largo: _, ...where } = inList(document, field)
      write(
        withEdit(view.queue, { que: 'mover', ...where, en: index, a: newIndex, antes: listAt(document, field)[index] }),
      )
    },

    resolve: (conflict: Conflict, keptSide: 'mine' | 'theirs') =>
      write(resolveConflict(view.queue, conflict, keptSide)),

    /** Sends pending changes at once; called when the focus leaves a field. */
    flush: () => sendSoon(0),

    /**
     * Restores changes stored on this device, and starts polling.
     * @returns a function that stops the polling and sends what is pending
     */
    start() {
      const storedChanges = readStoredUnder(prefix, key)
      if (storedChanges.length > 0) {
        write(storedChanges.reduce((all, one) => withStored(all, one), view.queue))
        // The changes are now stored under this page's key, so the older keys can go.
        for (const { key: old } of storedChanges) removeStored(old)
      }
      const interval = setInterval(() => void poll(), POLL_MS)
      const syncNow = () => void (view.queue.pendingEdits.length > 0 ? send() : poll())
      const sendIfHidden = () => document.visibilityState === 'hidden' && void send()
      window.addEventListener('online', syncNow)
      window.addEventListener('focus', syncNow)
      document.addEventListener('visibilitychange', sendIfHidden)
      return () => {
        clearInterval(interval)
        clearTimeout(timer)
        window.removeEventListener('online', syncNow)
        window.removeEventListener('focus', syncNow)
        document.removeEventListener('visibilitychange', sendIfHidden)
        void send()
      }
    },
  }
}

type SaveFailure = SaveRefusal | { ok: false; reason: 'offline' | 'failed'; mensaje: string }

const FAULT_MESSAGE = 'Algo falló de nuestro lado. Lo que escribiste sigue aquí, y se vuelve a intentar solo.'

function statusOf({ reason, mensaje }: SaveFailure): State {
  if (reason === 'offline') return { kind: 'offline' }
  if (reason === 'sesion') return { kind: 'signedOut', message: mensaje }
  return { kind: 'failed', message: mensaje }
}

// Without localStorage, only a page that is closed while offline loses changes.
function storeChanges(key: string, { pendingEdits, conflicts }: DraftQueue) {
  try {
    if (pendingEdits.length === 0 && conflicts.length === 0) localStorage.removeItem(key)
    else
      localStorage.setItem(
        key,
        JSON.stringify({ pendientes: pendingEdits, choques: conflicts } satisfies StoredChanges),
      )
  } catch {}
}

function readStoredUnder(prefix: string, ownKey: string): (StoredChanges & { key: string })[] {
  try {
    const keys = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at)!)
    return keys
      .filter((key) => key.startsWith(prefix) && key !== ownKey)
      .flatMap((key) => {
        const stored = readStored(localStorage.getItem(key))
        return stored ? { key, ...stored } : []
      })
  } catch {
    return []
  }
}

function removeStored(key: string) {
  try {
    localStorage.removeItem(key)
  } catch {}
}
