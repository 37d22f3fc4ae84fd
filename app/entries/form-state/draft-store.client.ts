import { withStorageTimeout } from '#app/core/browser-resilience/storage-timeout.ts'
import { newUuid } from '#app/core/text/uuid.ts'
import { DAY_MS, MINUTE_MS } from '#app/core/time/durations.ts'
import type { DocumentKind, EntryType } from '#app/entries/definitions/document-kinds.ts'
import { DATABASE_NAME } from './draft-presence.ts'

/**
 * A registration under way, kept on this device so that it survives a reload, a dead battery or a tab that the phone closed
 * while the camera was open. The tab that owns the draft may resume it without asking when the visitor comes back by a reload, Back
 * or Forward. Other people may use the device, and the draft has identity documents: hence other tabs are offered the draft only
 * after «Enviar» was pressed, and the draft is deleted after success, before the form is posted without JavaScript, by «Empezar de
 * nuevo», once the form is blank again, and by the first form that is opened more than a day after the last save. If the browser
 * stores nothing (private windows), or its storage never answers, there are no drafts and no errors. The keys are stored and stay
 * Spanish.
 */
export interface RegistrationDraft {
  entrega: string
  tipo: EntryType
  /** Name of the tab that owns the draft; no other tab gets the draft before `enviado`. */
  pestana: string
  /** Whether «Enviar» was pressed at least once. */
  enviado: boolean
  /** Whether the last save happened during a sending that was neither refused nor stopped; the resumed form then sends again. */
  enviando: boolean
  /** Moment of the last save, in milliseconds since 1970. */
  guardado: number
  valores: Record<string, string>
  archivos: SavedFile[]
}

interface SavedFile {
  id: string
  clase: DocumentKind
  /** URL of the file's upload; undefined before the upload has begun. */
  url: string | undefined
}

const DRAFTS_STORE = 'borradores'
const FILES_STORE = 'archivos'
const TAB_KEY = 'registro-pestana'
const CHOOSING_KEY = 'registro-eligiendo'
/** Age at which the mark of a file choice is ignored, and a new tab gets a name of its own. */
const MAX_CHOOSING_MS = 15 * MINUTE_MS

const resultOf = <T>(request: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

let databasePromise: Promise<IDBDatabase> | undefined

function openDatabase(): Promise<IDBDatabase> {
  databasePromise ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE_NAME, 1)
    request.onupgradeneeded = () => {
      request.result.createObjectStore(DRAFTS_STORE, { keyPath: 'entrega' })
      // The files are apart from the draft, so that saving a new upload URL does not write all files again.
      request.result.createObjectStore(FILES_STORE)
    }
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close()
      resolve(request.result)
    }
    request.onerror = () => reject(request.error)
  })
  return databasePromise
}

/** Runs an operation on the drafts' database; undefined after a failure, since a registration works without a draft. */
async function withDatabase<T>(work: (db: IDBDatabase) => Promise<T>): Promise<T | undefined> {
  try {
    return await work(await openDatabase())
  } catch {
    // The next operation opens the database again, which may have been closed meanwhile or have failed to open.
    databasePromise = undefined
    return undefined
  }
}

/**
 * Returns a range over all files of a submission, since an array sorts after every string.
 * @see https://www.w3.org/TR/IndexedDB/#key-construct
 */
const fileKeysOf = (submissionId: string) => IDBKeyRange.bound([submissionId], [submissionId, []])

/** Returns the name of this tab, which survives a reload and ends with the tab; '' if the browser stores nothing. */
export function tabName(): string {
  try {
    const name = sessionStorage.getItem(TAB_KEY) ?? takeMarkedTabName() ?? newUuid()
    sessionStorage.setItem(TAB_KEY, name)
    return name
  } catch {
    return ''
  }
}

/**
 * Marks that a file is being chosen. If the camera meanwhile evicts the page from memory, the browser loads the page in a tab
 * without a name. The mark, which a choice, its cancellation or leaving the page clears, then gives the new tab the old tab's name.
 */
export function markChoosingFile(input: HTMLInputElement): void {
  try {
    localStorage.setItem(CHOOSING_KEY, JSON.stringify({ pestana: tabName(), desde: Date.now() }))
  } catch {
    return
  }
  const listeners = new AbortController()
  const clearMark = () => {
    listeners.abort()
    localStorage.removeItem(CHOOSING_KEY)
  }
  for (const type of ['change', 'cancel']) input.addEventListener(type, clearMark, { signal: listeners.signal })
  addEventListener('pagehide', clearMark, { signal: listeners.signal })
}

function takeMarkedTabName(): string | undefined {
  try {
    const { pestana, desde } = JSON.parse(localStorage.getItem(CHOOSING_KEY) ?? '{}') as {
      pestana?: string
      desde?: number
    }
    localStorage.removeItem(CHOOSING_KEY)
    return desde !== undefined && Date.now() - desde < MAX_CHOOSING_MS ? pestana : undefined
  } catch {
    return undefined
  }
}

/** Returns whether the draft was last saved in this tab, before a reload or before the tab left the page. */
export const belongsToThisTab = ({ pestana }: RegistrationDraft): boolean => pestana !== '' && pestana === tabName()

/** Runs a change in a transaction that is committed explicitly, since the page may go away before an automatic commit. */
const commitChange = (stores: string | string[], change: (transaction: IDBTransaction) => IDBRequest) =>
  withDatabase((db) => {
    const transaction = db.transaction(stores, 'readwrite')
    const lastResult = resultOf(change(transaction))
    // Browsers before 2021 lack IDBTransaction.commit().
    transaction.commit?.()
    return lastResult
  })

export const saveDraft = (draft: RegistrationDraft) =>
  commitChange(DRAFTS_STORE, (transaction) => transaction.objectStore(DRAFTS_STORE).put(draft))

/** A file's bytes and metadata, for Safari's private windows, which refuse to store File objects. */
interface FileCopy {
  name: string
  type: string
  lastModified: number
  bytes: ArrayBuffer
}

export async function saveFile(submissionId: string, fileId: string, file: File): Promise<void> {
  const put = (value: File | FileCopy) =>
    commitChange(FILES_STORE, (transaction) => transaction.objectStore(FILES_STORE).put(value, [submissionId, fileId]))
  // A successful put returns the key; after undefined, the browser may have refused the File object.
  if (await put(file)) return
  const { name, type, lastModified } = file
  const bytes = await withDatabase(() => file.arrayBuffer())
  if (bytes) await put({ name, type, lastModified, bytes })
}

const fileOf = (storedFile: unknown): File | undefined => {
  if (storedFile instanceof File) return storedFile
  const { name, type, lastModified, bytes } = (storedFile ?? {}) as Partial<FileCopy>
  return bytes && name ? new File([bytes], name, { type: type!, lastModified: lastModified! }) : undefined
}

export const discardFile = (submissionId: string, fileId: string) =>
  commitChange(FILES_STORE, (transaction) => transaction.objectStore(FILES_STORE).delete([submissionId, fileId]))

export const discardDraft = (submissionId: string) =>
  commitChange([DRAFTS_STORE, FILES_STORE], (transaction) => {
    transaction.objectStore(DRAFTS_STORE).delete(submissionId)
    return transaction.objectStore(FILES_STORE).delete(fileKeysOf(submissionId))
  })

/** Loads the files of a draft by id; files that the browser lost are absent. */
export const loadFiles = async ({ entrega, archivos }: RegistrationDraft): Promise<Map<string, File>> => {
  const loadedFiles = await withDatabase(async (db) => {
    const store = db.transaction(FILES_STORE).objectStore(FILES_STORE)
    return Promise.all(
      archivos.map(async ({ id }) => [id, fileOf(await resultOf<unknown>(store.get([entrega, id])))] as const),
    )
  })
  return new Map(loadedFiles?.filter((entry): entry is [string, File] => entry[1] !== undefined))
}

/**
 * Deletes drafts older than a day, and finds the form's draft that this tab may resume: the tab's own first, then a draft with
 * files, which take longer to choose again than text to type, then the latest. A locked draft is skipped.
 */
export async function sweepAndFindDraft(type: EntryType, now = Date.now()): Promise<RegistrationDraft | undefined> {
  const allDrafts = await withDatabase((db) =>
    resultOf<RegistrationDraft[]>(db.transaction(DRAFTS_STORE).objectStore(DRAFTS_STORE).getAll()),
  )
  if (!allDrafts) return undefined
  const ownTabName = tabName()
  const resumableDrafts: RegistrationDraft[] = []
  for (const draft of allDrafts) {
    if (now - draft.guardado > DAY_MS) void discardDraft(draft.entrega)
    else if (draft.tipo === type && (draft.enviado || draft.pestana === ownTabName)) resumableDrafts.push(draft)
  }
  const fileRank = ({ archivos }: RegistrationDraft) => Number(archivos.length > 0)
  const ownRank = (draft: RegistrationDraft) => Number(belongsToThisTab(draft))
  const byPreference = (a: RegistrationDraft, b: RegistrationDraft) =>
    ownRank(b) - ownRank(a) || fileRank(b) - fileRank(a) || b.guardado - a.guardado
  for (const draft of resumableDrafts.sort(byPreference)) {
    if (!(await isLocked(draft.entrega))) return draft
  }
  return undefined
}

const lockName = (submissionId: string) => `registro:${submissionId}`

async function isLocked(submissionId: string): Promise<boolean> {
  const pendingAnswer = navigator.locks?.query().catch(() => undefined)
  const { held } = (pendingAnswer && (await withStorageTimeout(pendingAnswer, undefined))) ?? {}
  return held?.some((lock) => lock.name === lockName(submissionId)) ?? false
}

/**
 * Locks a draft for this tab until the signal aborts or the page goes away.
 * @returns false if another tab holds the lock; true also if the browser has no locks or does not answer
 * @see https://developer.mozilla.org/docs/Web/API/Web_Locks_API
 */
export function lockDraft(submissionId: string, signal: AbortSignal): Promise<boolean> {
  if (!navigator.locks) return Promise.resolve(true)
  const pendingAnswer = new Promise<boolean>((resolve) => {
    navigator.locks
      .request(lockName(submissionId), { ifAvailable: true }, (lock) => {
        resolve(lock !== null)
        if (!lock || signal.aborted) return undefined
        return new Promise<void>((release) => signal.addEventListener('abort', () => release()))
      })
      .catch(() => resolve(true))
  })
  return withStorageTimeout(pendingAnswer, true)
}
