import type { FieldFault } from '#app/cms/schema/faults.ts'
import { type FieldPath, valueAt } from '#app/cms/schema/field-path.ts'
import {
  type DraftDocument,
  type DraftDocuments,
  isUnsaved,
  newDocument,
  readStored,
  type SentDocument,
  textToStore,
  withField,
  withReceived,
  withSaved,
  withSending,
  withStored,
} from './draft-state.ts'
import { readOlderCopy } from './older-device-copy.ts'
import { DRAFT_FULL_MESSAGE, type SaveRefusal, type SyncResponse } from './schema.ts'

/** A change is sent so long after the last key. */
const PAUSE_MS = 500
/** So often a page asks for changes of others and retries unsent changes. */
const POLL_MS = 4_000

export type State =
  | { kind: 'saved'; at?: number }
  | { kind: 'saving' }
  /** The site cannot be reached; the changes stay on the device. */
  | { kind: 'offline' }
  | { kind: 'signedOut'; message: string }
  | { kind: 'failed'; message: string }

export interface DraftView {
  documents: DraftDocuments
  faults: readonly FieldFault[]
  state: State
  /** The number grows whenever the stored draft has changed, so that the preview reloads. */
  revision: number
}

export interface Start {
  year: number
  screenId: string
  documents: Record<string, SentDocument>
  faults: FieldFault[]
}

export type DraftClient = ReturnType<typeof createDraftClient>

/**
 * Edits the draft of one screen: stores changes on the device until the site has them, sends one document a request, and
 * asks for changes of others.
 */
export function createDraftClient({ year, screenId, documents: initialDocuments, faults }: Start) {
  const documents = Object.fromEntries(
    Object.entries(initialDocuments).map(([name, document]) => [name, newDocument(document)]),
  )
  let view: DraftView = { documents, faults, state: { kind: 'saved' }, revision: 0 }
  const listeners = new Set<() => void>()
  const prefix = `certamen.redaccion.${year}.${screenId}.`
  const key = prefix + Math.random().toString(36).slice(2)
  let timer: ReturnType<typeof setTimeout> | undefined
  let isAsking = false

  function show(next: Partial<DraftView>) {
    const isNew = next.documents !== undefined && next.documents !== view.documents
    view = { ...view, ...next }
    if (isNew) store(key, view.documents)
    for (const listen of listeners) listen()
  }

  const withChange = (name: string, change: (document: DraftDocument) => DraftDocument) => ({
    ...view.documents,
    [name]: change(view.documents[name]!),
  })

  function write(name: string, change: (document: DraftDocument) => DraftDocument) {
    show({ documents: withChange(name, change) })
    syncSoon(PAUSE_MS)
  }

  const findUnsaved = () => Object.keys(view.documents).find((name) => isUnsaved(view.documents[name]!))

  function syncSoon(ms: number) {
    clearTimeout(timer)
    timer = setTimeout(() => void (findUnsaved() !== undefined && sync()), ms)
  }

  /** Sends an unsaved document if there is one, and takes up what others have changed. */
  async function sync() {
    const name = findUnsaved()
    if (isAsking || (name === undefined && document.visibilityState === 'hidden')) return
    isAsking = true
    const isOut = view.state.kind !== 'saved' && view.state.kind !== 'saving'
    if (name !== undefined)
      show({ documents: withChange(name, withSending), ...(isOut ? {} : { state: { kind: 'saving' } }) })
    const answer = await ask(name)
    isAsking = false
    if (!answer.ok) {
      show({ state: statusOf(answer) })
      return
    }
    const { guardado: savedVersion, documentos, fallas, ahora } = answer
    if (name !== undefined && savedVersion !== null)
      show({ documents: withChange(name, (document) => withSaved(document, savedVersion)) })
    for (const [name, received] of Object.entries(documentos))
      show({ documents: withChange(name, (document) => withReceived(document, name, received)) })
    const isChanged = name !== undefined || Object.keys(documentos).length > 0
    const revision = view.revision + (isChanged ? 1 : 0)
    if (findUnsaved() !== undefined) {
      show({ faults: fallas, revision, state: { kind: 'saving' } })
      syncSoon(PAUSE_MS)
    } else if (name !== undefined) show({ faults: fallas, revision, state: { kind: 'saved', at: ahora } })
    else show({ faults: fallas, revision, state: view.state.kind === 'saved' ? view.state : { kind: 'saved' } })
  }

  /** Sends one request; every failure is returned as a value. @param name the document to save; undefined: none */
  async function ask(name: string | undefined): Promise<SyncResponse | SaveFailure> {
    const versions = Object.entries(view.documents).map(([document, { version }]) => `${document}:${version}`)
    const query = new URLSearchParams({ pantalla: screenId, anio: String(year), v: versions.join(',') })
    const body = new FormData()
    if (name !== undefined) {
      body.set('documento', name)
      body.set('valor', JSON.stringify(view.documents[name]!.sent!.value))
    }
    try {
      const response = await fetch(`/organizadores/sitio/borrador?${query}`, {
        ...(name !== undefined && { method: 'POST', body }),
        // With keepalive a request outlives the page, but the Fetch standard limits such bodies to 64 KiB.
        keepalive:
          name !== undefined && String(body.get('valor')).length < 30_000 && document.visibilityState === 'hidden',
        signal: AbortSignal.timeout(20_000),
      })
      const isJson = response.headers.get('content-type')?.startsWith('application/json')
      if (isJson) return (await response.json()) as SyncResponse | SaveRefusal
      if (response.status === 413) return { ok: false, reason: 'lleno', mensaje: DRAFT_FULL_MESSAGE }
      const words = response.status < 500 ? undefined : await response.text()
      return { ok: false, reason: 'failed', mensaje: words?.length && words.length < 300 ? words : SOMETHING_FAILED }
    } catch {
      return { ok: false, reason: 'offline', mensaje: '' }
    }
  }

  const set = (name: string, field: FieldPath, now: unknown) =>
    write(name, (document) => withField(document, field, now))
  const listAt = (document: string, field: FieldPath): unknown[] => {
    const list = valueAt(view.documents[document]!.mine, field)
    return Array.isArray(list) ? list : []
  }

  return {
    read: () => view,
    subscribe(listen: () => void) {
      listeners.add(listen)
      return () => listeners.delete(listen)
    },

    set,
    write,

    add: (document: string, field: FieldPath, index: number, now: unknown) =>
      set(document, field, listAt(document, field).toSpliced(index, 0, now)),

    remove: (document: string, field: FieldPath, index: number) =>
      set(document, field, listAt(document, field).toSpliced(index, 1)),

    move(document: string, field: FieldPath, index: number, newIndex: number) {
      const items = listAt(document, field)
      set(document, field, items.toSpliced(index, 1).toSpliced(newIndex, 0, items[index]))
    },

    /** Sends pending changes at once; called when the focus leaves a field. */
    flush: () => syncSoon(0),

    /**
     * Restores changes stored on this device, and starts polling.
     * @returns a function that stops the polling and sends what is pending
     */
    start() {
      const found = findStored(prefix, key, view.documents)
      if (found) {
        for (const [name, stored] of Object.entries(found.stored))
          if (view.documents[name]) write(name, (document) => withStored(document, stored))
        // The changes are now stored under this page's key, so the older key can go.
        localStorage.removeItem(found.key)
      }
      const poll = () => void sync()
      const saveAtOnce = () => {
        if (document.visibilityState === 'hidden') poll()
      }
      const interval = setInterval(poll, POLL_MS)
      window.addEventListener('online', poll)
      window.addEventListener('focus', poll)
      document.addEventListener('visibilitychange', saveAtOnce)
      return () => {
        clearInterval(interval)
        clearTimeout(timer)
        window.removeEventListener('online', poll)
        window.removeEventListener('focus', poll)
        document.removeEventListener('visibilitychange', saveAtOnce)
        if (findUnsaved() !== undefined) poll()
      }
    },
  }
}

type SaveFailure = SaveRefusal | { ok: false; reason: 'offline' | 'failed'; mensaje: string }

const SOMETHING_FAILED = 'Algo falló de nuestro lado. Lo que escribiste sigue aquí, y se vuelve a intentar solo.'

function statusOf({ reason, mensaje }: SaveFailure): State {
  if (reason === 'offline') return { kind: 'offline' }
  if (reason === 'sesion') return { kind: 'signedOut', message: mensaje }
  return { kind: 'failed', message: mensaje }
}

// Without localStorage, only a page that is closed while offline loses changes.
function store(key: string, documents: DraftDocuments) {
  const text = textToStore(documents)
  try {
    if (text === undefined) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
  } catch {}
}

/** Finds changes that an earlier page stored. Those of one page are taken up at a time; others wait for the next page. */
function findStored(prefix: string, own: string, documents: DraftDocuments) {
  try {
    for (let at = 0; at < localStorage.length; at++) {
      const key = localStorage.key(at)!
      const text = key.startsWith(prefix) && key !== own ? localStorage.getItem(key) : null
      const stored = readStored(text) ?? readOlderCopy(text, documents)
      if (stored) return { key, stored }
    }
  } catch {}
  return undefined
}
