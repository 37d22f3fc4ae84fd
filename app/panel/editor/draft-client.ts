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
import { DRAFT_FULL_MESSAGE, type SaveRefusal, type SyncResponse } from './schema.ts'

/** A change is sent this many milliseconds after the last keystroke. */
const SAVE_DELAY_MS = 500
/** So often a page asks for changes of others and retries unsent changes. */
const POLL_MS = 4_000

export type SyncState =
  | { kind: 'saved'; at?: number }
  | { kind: 'saving' }
  /** The site cannot be reached; the changes stay on the device. */
  | { kind: 'offline' }
  | { kind: 'signedOut'; message: string }
  | { kind: 'failed'; message: string }

export interface DraftView {
  documents: DraftDocuments
  faults: readonly FieldFault[]
  state: SyncState
  /** The number grows whenever the stored draft has changed, so that the preview reloads. */
  revision: number
}

export interface DraftStart {
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
export function createDraftClient({ year, screenId, documents: initialDocuments, faults }: DraftStart) {
  const documents = Object.fromEntries(
    Object.entries(initialDocuments).map(([name, document]) => [name, newDocument(document)]),
  )
  let view: DraftView = { documents, faults, state: { kind: 'saved' }, revision: 0 }
  const listeners = new Set<() => void>()
  const keyPrefix = `certamen.redaccion.${year}.${screenId}.`
  const storageKey = keyPrefix + Math.random().toString(36).slice(2)
  let timer: ReturnType<typeof setTimeout> | undefined
  let isSyncing = false

  function updateView(next: Partial<DraftView>) {
    const hasNewDocuments = next.documents !== undefined && next.documents !== view.documents
    view = { ...view, ...next }
    if (hasNewDocuments) storeOnDevice(storageKey, view.documents)
    for (const listener of listeners) listener()
  }

  const withChange = (name: string, change: (document: DraftDocument) => DraftDocument) => ({
    ...view.documents,
    [name]: change(view.documents[name]!),
  })

  function write(name: string, change: (document: DraftDocument) => DraftDocument) {
    updateView({ documents: withChange(name, change) })
    syncSoon(SAVE_DELAY_MS)
  }

  const findUnsaved = () => Object.keys(view.documents).find((name) => isUnsaved(view.documents[name]!))

  function syncSoon(ms: number) {
    clearTimeout(timer)
    timer = setTimeout(() => void (findUnsaved() !== undefined && sync()), ms)
  }

  /** Sends an unsaved document if there is one, and takes up what others have changed. */
  async function sync() {
    const name = findUnsaved()
    if (isSyncing || (name === undefined && document.visibilityState === 'hidden')) return
    isSyncing = true
    const hasFailed = view.state.kind !== 'saved' && view.state.kind !== 'saving'
    if (name !== undefined)
      updateView({ documents: withChange(name, withSending), ...(hasFailed ? {} : { state: { kind: 'saving' } }) })
    const answer = await requestSync(name)
    isSyncing = false
    if (!answer.ok) {
      updateView({ state: stateAfterFailure(answer) })
      return
    }
    const { guardado: savedVersion, documentos, fallas, ahora } = answer
    if (name !== undefined && savedVersion !== null)
      updateView({ documents: withChange(name, (document) => withSaved(document, savedVersion)) })
    for (const [name, received] of Object.entries(documentos))
      updateView({ documents: withChange(name, (document) => withReceived(document, name, received)) })
    const isChanged = name !== undefined || Object.keys(documentos).length > 0
    const revision = view.revision + (isChanged ? 1 : 0)
    if (findUnsaved() !== undefined) {
      updateView({ faults: fallas, revision, state: { kind: 'saving' } })
      syncSoon(SAVE_DELAY_MS)
    } else if (name !== undefined) updateView({ faults: fallas, revision, state: { kind: 'saved', at: ahora } })
    else updateView({ faults: fallas, revision, state: view.state.kind === 'saved' ? view.state : { kind: 'saved' } })
  }

  /** Sends one request; every failure is returned as a value. @param name the document to save; undefined: none */
  async function requestSync(name: string | undefined): Promise<SyncResponse | SaveFailure> {
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
      const errorText = response.status < 500 ? undefined : await response.text()
      return {
        ok: false,
        reason: 'failed',
        mensaje: errorText?.length && errorText.length < 300 ? errorText : FAULT_MESSAGE,
      }
    } catch {
      return { ok: false, reason: 'offline', mensaje: '' }
    }
  }

  const set = (name: string, field: FieldPath, value: unknown) =>
    write(name, (document) => withField(document, field, value))
  const listAt = (document: string, field: FieldPath): unknown[] => {
    const list = valueAt(view.documents[document]!.mine, field)
    return Array.isArray(list) ? list : []
  }

  return {
    read: () => view,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    set,
    write,

    add: (document: string, field: FieldPath, index: number, value: unknown) =>
      set(document, field, listAt(document, field).toSpliced(index, 0, value)),

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
      const storedCopy = findStored(keyPrefix, storageKey)
      if (storedCopy) {
        for (const [name, stored] of Object.entries(storedCopy.stored))
          if (view.documents[name]) write(name, (document) => withStored(document, stored))
        // The changes are now stored under this page's key, so the older key can go.
        localStorage.removeItem(storedCopy.key)
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

const FAULT_MESSAGE = 'Algo falló de nuestro lado. Lo que escribiste sigue aquí, y se vuelve a intentar solo.'

function stateAfterFailure({ reason, mensaje }: SaveFailure): SyncState {
  if (reason === 'offline') return { kind: 'offline' }
  if (reason === 'sesion') return { kind: 'signedOut', message: mensaje }
  return { kind: 'failed', message: mensaje }
}

// Without localStorage, only a page that is closed while offline loses changes.
function storeOnDevice(storageKey: string, documents: DraftDocuments) {
  const text = textToStore(documents)
  try {
    if (text === undefined) localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, text)
  } catch {}
}

/** Finds changes that an earlier page stored. Those of one page are taken up at a time; others wait for the next page. */
function findStored(keyPrefix: string, ownKey: string) {
  try {
    for (let index = 0; index < localStorage.length; index++) {
      const storageKey = localStorage.key(index)!
      const text = storageKey.startsWith(keyPrefix) && storageKey !== ownKey ? localStorage.getItem(storageKey) : null
      const stored = readStored(text)
      if (stored) return { key: storageKey, stored }
    }
  } catch {}
  return undefined
}
