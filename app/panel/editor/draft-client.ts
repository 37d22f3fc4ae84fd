import type { FieldFault } from '#app/cms/schema/faults.ts'
import { type FieldPath, valueAt } from '#app/cms/schema/field-path.ts'
import {
  type DraftDocument,
  type DraftDocuments,
  isUnsaved,
  newDraftDocument,
  parseStoredDocuments,
  type SiteDocument,
  serializeUnsaved,
  withField,
  withReceived,
  withSaved,
  withSending,
  withStored,
} from './draft-state.ts'
import { DRAFT_FULL_MESSAGE, type SaveRefusal, type SyncResponse } from './schema.ts'

/** Time from the last keystroke to the sending of a change, unless the focus leaves the field or a poll comes first. */
const SAVE_DELAY_MS = 500
/** Time between two requests for other people's changes, which also retry unsent changes. */
const POLL_INTERVAL_MS = 4_000

export type SaveState =
  /** `at`: the site's time in ms since 1970; undefined before this page's first save, and from a failure to the next save. */
  | { kind: 'saved'; at?: number }
  | { kind: 'saving' }
  /** The site cannot be reached or is too slow; the changes stay on the device. */
  | { kind: 'offline' }
  | { kind: 'signedOut'; message: string }
  | { kind: 'failed'; message: string }

export interface DraftView {
  documents: DraftDocuments
  faults: readonly FieldFault[]
  saveState: SaveState
  /** Number of the edition's changes that are not published. */
  changeCount: number
  /** Grows whenever the site's draft may have changed, so that the preview reloads. */
  revision: number
}

export interface DraftClientInit {
  year: number
  screenId: string
  documents: Record<string, SiteDocument>
  faults: FieldFault[]
  changeCount: number
}

export type DraftClient = ReturnType<typeof createDraftClient>

/**
 * Edits the draft of one screen. Changes are stored on the device until the site has saved them; each request sends one
 * document at most and brings other people's changes.
 */
export function createDraftClient(init: DraftClientInit) {
  const { year, screenId, documents: initialDocuments, faults, changeCount } = init
  const documents = Object.fromEntries(
    Object.entries(initialDocuments).map(([name, document]) => [name, newDraftDocument(document)]),
  )
  let view: DraftView = { documents, faults, changeCount, saveState: { kind: 'saved' }, revision: 0 }
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

  const withChangedDocument = (name: string, change: (document: DraftDocument) => DraftDocument) => ({
    ...view.documents,
    [name]: change(view.documents[name]!),
  })

  function updateDocument(name: string, change: (document: DraftDocument) => DraftDocument) {
    updateView({ documents: withChangedDocument(name, change) })
    syncSoon(SAVE_DELAY_MS)
  }

  const findUnsavedName = () => Object.keys(view.documents).find((name) => isUnsaved(view.documents[name]!))

  function syncSoon(ms: number) {
    clearTimeout(timer)
    timer = setTimeout(() => void (findUnsavedName() !== undefined && sync()), ms)
  }

  /**
   * Sends an unsaved document, if there is one, and merges other people's changes; a failure becomes the view's `saveState`. Does
   * nothing while a request is under way, nor on a hidden page without unsaved documents.
   */
  async function sync() {
    const name = findUnsavedName()
    if (isSyncing || (name === undefined && document.visibilityState === 'hidden')) return
    isSyncing = true
    const hasFailed = view.saveState.kind !== 'saved' && view.saveState.kind !== 'saving'
    if (name !== undefined)
      updateView({
        documents: withChangedDocument(name, withSending),
        ...(hasFailed ? {} : { saveState: { kind: 'saving' } }),
      })
    const syncResult = await requestSync(name)
    isSyncing = false
    if (!syncResult.ok) {
      updateView({ saveState: stateAfterFailure(syncResult) })
      return
    }
    const { guardado: savedVersion, documentos, fallas, cambios, ahora } = syncResult
    if (name !== undefined && savedVersion !== null)
      updateView({ documents: withChangedDocument(name, (document) => withSaved(document, savedVersion)) })
    for (const [receivedName, received] of Object.entries(documentos))
      updateView({
        documents: withChangedDocument(receivedName, (document) => withReceived(document, receivedName, received)),
      })
    const isChanged = name !== undefined || Object.keys(documentos).length > 0
    const siteView = { faults: fallas, changeCount: cambios, revision: view.revision + (isChanged ? 1 : 0) }
    if (findUnsavedName() !== undefined) {
      updateView({ ...siteView, saveState: { kind: 'saving' } })
      syncSoon(SAVE_DELAY_MS)
    } else if (name !== undefined) updateView({ ...siteView, saveState: { kind: 'saved', at: ahora } })
    else
      updateView({
        ...siteView,
        saveState: view.saveState.kind === 'saved' ? view.saveState : { kind: 'saved' },
      })
  }

  /** Sends one request; returns failures as values. @param name of the document to save; without it the request only asks for changes */
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
        mensaje: errorText?.length && errorText.length < 300 ? errorText : SERVER_FAULT_MESSAGE,
      }
    } catch {
      return { ok: false, reason: 'offline', mensaje: '' }
    }
  }

  const setField = (name: string, field: FieldPath, value: unknown) =>
    updateDocument(name, (document) => withField(document, field, value))
  const itemsAt = (document: string, field: FieldPath): unknown[] => {
    const list = valueAt(view.documents[document]!.mine, field)
    return Array.isArray(list) ? list : []
  }

  return {
    readView: () => view,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    set: setField,
    write: updateDocument,

    addItem: (document: string, field: FieldPath, index: number, value: unknown) =>
      setField(document, field, itemsAt(document, field).toSpliced(index, 0, value)),

    removeItem: (document: string, field: FieldPath, index: number) =>
      setField(document, field, itemsAt(document, field).toSpliced(index, 1)),

    moveItem(document: string, field: FieldPath, index: number, newIndex: number) {
      const items = itemsAt(document, field)
      setField(document, field, items.toSpliced(index, 1).toSpliced(newIndex, 0, items[index]))
    },

    /** Sends pending changes at once. Called when the focus leaves a field. */
    flush: () => syncSoon(0),

    /**
     * Restores unsaved changes of another page from this device, and starts polling.
     * @returns a function that stops the polling and sends pending changes
     */
    start() {
      const storedCopy = findStoredCopy(keyPrefix, storageKey)
      if (storedCopy) {
        for (const [name, stored] of Object.entries(storedCopy.storedDocuments))
          if (view.documents[name]) updateDocument(name, (document) => withStored(document, stored))
        // The changes are now stored under this page's key, so the older key can go.
        localStorage.removeItem(storedCopy.key)
      }
      const poll = () => void sync()
      const syncIfHidden = () => {
        if (document.visibilityState === 'hidden') poll()
      }
      const interval = setInterval(poll, POLL_INTERVAL_MS)
      window.addEventListener('online', poll)
      window.addEventListener('focus', poll)
      document.addEventListener('visibilitychange', syncIfHidden)
      return () => {
        clearInterval(interval)
        clearTimeout(timer)
        window.removeEventListener('online', poll)
        window.removeEventListener('focus', poll)
        document.removeEventListener('visibilitychange', syncIfHidden)
        if (findUnsavedName() !== undefined) poll()
      }
    },
  }
}

type SaveFailure = SaveRefusal | { ok: false; reason: 'offline' | 'failed'; mensaje: string }

const SERVER_FAULT_MESSAGE = 'Algo falló de nuestro lado. Lo que escribiste sigue aquí, y se vuelve a intentar solo.'

function stateAfterFailure({ reason, mensaje }: SaveFailure): SaveState {
  if (reason === 'offline') return { kind: 'offline' }
  if (reason === 'sesion') return { kind: 'signedOut', message: mensaje }
  return { kind: 'failed', message: mensaje }
}

/**
 * Stores unsaved documents on the device; without any, removes the stored copy. Where localStorage fails, a page that is closed
 * loses the changes that are not yet saved.
 */
function storeOnDevice(storageKey: string, documents: DraftDocuments) {
  const text = serializeUnsaved(documents)
  try {
    if (text === undefined) localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, text)
  } catch {}
}

/** Finds the unsaved changes of one other page of this screen on this device; the next opened page restores those of another. */
function findStoredCopy(keyPrefix: string, ownKey: string) {
  try {
    for (let index = 0; index < localStorage.length; index++) {
      const key = localStorage.key(index)!
      const text = key.startsWith(keyPrefix) && key !== ownKey ? localStorage.getItem(key) : null
      const storedDocuments = parseStoredDocuments(text)
      if (storedDocuments) return { key, storedDocuments }
    }
  } catch {}
  return undefined
}
