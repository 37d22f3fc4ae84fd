import { withStorageTimeout } from '#app/core/browser-resilience/storage-timeout.ts'
import { newUuid } from '#app/core/text/uuid.ts'
import type { DocumentKind, EntryType } from '#app/entries/definitions/document-kinds.ts'
import { DATABASE_NAME } from './draft-presence.ts'

/**
 * A Draft is a registration under way, kept on this device so that it survives a reload, a dead battery or a tab that the phone
 * closed while the camera was open. The tab that holds the draft resumes it at once after a reload or by Back. Other
 * people may use the device, and the draft has identity documents; hence other tabs are offered the draft only after «Enviar» was
 * pressed, and the draft is deleted after success, by «Empezar de nuevo», and after a day, when the server deletes the uploads
 * too. Where the browser keeps nothing (private windows), or its store never answers, there are no drafts and no errors.
 */
export interface Draft {
  entrega: string
  tipo: EntryType
  /** The tab of this name owns the draft; no other tab gets the draft before `enviado`. */
  pestana: string
  /** «Enviar» was pressed at least once. */
  enviado: boolean
  /** The draft was being sent when it was last saved, neither refused nor stopped. */
  enviando: boolean
  /** The draft was last saved at this moment, in milliseconds since 1970. */
  guardado: number
  valores: Record<string, string>
  archivos: SavedFile[]
}

interface SavedFile {
  id: string
  clase: DocumentKind
  url: string | undefined
}

const DAY_MS = 24 * 60 * 60 * 1_000
const DRAFTS_STORE = 'borradores'
const FILES_STORE = 'archivos'
const TAB_KEY = 'registro-pestana'
const CHOOSING_KEY = 'registro-eligiendo'
/** A file choice that took longer than this does not name the new tab. */
const CHOOSING_MS = 15 * 60_000

const resultOf = <T>(request: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

let database: Promise<IDBDatabase> | undefined

function openDatabase(): Promise<IDBDatabase> {
  database ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE_NAME, 1)
    request.onupgradeneeded = () => {
      request.result.createObjectStore(DRAFTS_STORE, { keyPath: 'entrega' })
      // The files are apart from the draft, so that saving a new upload URL does not write 60 MB again.
      request.result.createObjectStore(FILES_STORE)
    }
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close()
      resolve(request.result)
    }
    request.onerror = () => reject(request.error)
  })
  return database
}

/** Runs an operation on the store; undefined after a failure, since a registration works without a draft. */
async function attempt<T>(work: (db: IDBDatabase) => Promise<T>): Promise<T | undefined> {
  try {
    return await work(await openDatabase())
  } catch {
    return undefined
  }
}

const fileKeysOf = (submission: string) => IDBKeyRange.bound([submission], [submission, []])

/** Returns the name of this tab, which survives a reload and ends with the tab; '' where the browser keeps nothing. */
export function tabName(): string {
  try {
    const name = sessionStorage.getItem(TAB_KEY) ?? takeKilledTabName() ?? newUuid()
    sessionStorage.setItem(TAB_KEY, name)
    return name
  } catch {
    return ''
  }
}

/**
 * Marks that a file is being chosen. Meanwhile the camera may evict the page from memory, and the browser then loads the page
 * in a tab without a name. Only then the mark is still there, and gives the new tab the old tab's name.
 */
export function markChoosingFile(input: HTMLInputElement): void {
  try {
    localStorage.setItem(CHOOSING_KEY, JSON.stringify({ pestana: tabName(), desde: Date.now() }))
  } catch {
    return
  }
  const listening = new AbortController()
  const forget = () => {
    listening.abort()
    localStorage.removeItem(CHOOSING_KEY)
  }
  for (const type of ['change', 'cancel']) input.addEventListener(type, forget, { signal: listening.signal })
  addEventListener('pagehide', forget, { signal: listening.signal })
}

function takeKilledTabName(): string | undefined {
  try {
    const { pestana, desde } = JSON.parse(localStorage.getItem(CHOOSING_KEY) ?? '{}') as {
      pestana?: string
      desde?: number
    }
    localStorage.removeItem(CHOOSING_KEY)
    return desde !== undefined && Date.now() - desde < CHOOSING_MS ? pestana : undefined
  } catch {
    return undefined
  }
}

/** Returns whether a draft belongs to this tab, from before a reload or a visit to another page. */
export const isOfThisTab = ({ pestana }: Draft): boolean => pestana !== '' && pestana === tabName()

/** Runs a change in a transaction that is committed explicitly, since the page may go away before an automatic commit. */
const commitChange = (stores: string | string[], change: (transaction: IDBTransaction) => IDBRequest) =>
  attempt((db) => {
    const transaction = db.transaction(stores, 'readwrite')
    const lastRequest = resultOf(change(transaction))
    // Browsers before 2021 lack IDBTransaction.commit().
    transaction.commit?.()
    return lastRequest
  })

export const saveDraft = (draft: Draft) =>
  commitChange(DRAFTS_STORE, (transaction) => transaction.objectStore(DRAFTS_STORE).put(draft))

/** A FileCopy has a file's bytes and metadata, for Safari's private windows, which refuse to store File objects. */
interface FileCopy {
  name: string
  type: string
  lastModified: number
  bytes: ArrayBuffer
}

export async function saveFile(submission: string, id: string, file: File): Promise<void> {
  const put = (value: File | FileCopy) =>
    commitChange(FILES_STORE, (transaction) => transaction.objectStore(FILES_STORE).put(value, [submission, id]))
  if (await put(file)) return
  const { name, type, lastModified } = file
  const bytes = await attempt(() => file.arrayBuffer())
  if (bytes) await put({ name, type, lastModified, bytes })
}

const fileOf = (storedFile: unknown): File | undefined => {
  if (storedFile instanceof File) return storedFile
  const { name, type, lastModified, bytes } = (storedFile ?? {}) as Partial<FileCopy>
  return bytes && name ? new File([bytes], name, { type: type!, lastModified: lastModified! }) : undefined
}

export const discardFile = (submission: string, id: string) =>
  commitChange(FILES_STORE, (transaction) => transaction.objectStore(FILES_STORE).delete([submission, id]))

export const discardDraft = (submission: string) =>
  commitChange([DRAFTS_STORE, FILES_STORE], (transaction) => {
    transaction.objectStore(DRAFTS_STORE).delete(submission)
    return transaction.objectStore(FILES_STORE).delete(fileKeysOf(submission))
  })

/** Loads the files of a draft by id; files that the browser lost are absent. */
export const loadFiles = async ({ entrega, archivos }: Draft): Promise<Map<string, File>> => {
  const loadedFiles = await attempt(async (db) => {
    const store = db.transaction(FILES_STORE).objectStore(FILES_STORE)
    return Promise.all(
      archivos.map(async ({ id }) => [id, fileOf(await resultOf<unknown>(store.get([entrega, id])))] as const),
    )
  })
  return new Map(loadedFiles?.filter((entry): entry is [string, File] => entry[1] !== undefined))
}

/**
 * Deletes drafts older than a day, and finds the form's draft that this tab may resume: the tab's own first, then a draft with
 * files, which cost more than words, then the latest. A draft that another tab has locked is passed over.
 */
export async function sweepAndFindDraft(type: EntryType, now = Date.now()): Promise<Draft | undefined> {
  const allDrafts = await attempt((db) =>
    resultOf<Draft[]>(db.transaction(DRAFTS_STORE).objectStore(DRAFTS_STORE).getAll()),
  )
  if (!allDrafts) return undefined
  const tab = tabName()
  const resumable: Draft[] = []
  for (const draft of allDrafts) {
    if (now - draft.guardado > DAY_MS) void discardDraft(draft.entrega)
    else if (draft.tipo === type && (draft.enviado || draft.pestana === tab)) resumable.push(draft)
  }
  const hasFiles = ({ archivos }: Draft) => Number(archivos.length > 0)
  const isOwn = (draft: Draft) => Number(isOfThisTab(draft))
  const byPreference = (a: Draft, b: Draft) =>
    isOwn(b) - isOwn(a) || hasFiles(b) - hasFiles(a) || b.guardado - a.guardado
  for (const draft of resumable.sort(byPreference)) {
    if (!(await isLockedByTab(draft.entrega))) return draft
  }
  return undefined
}

const lockName = (submission: string) => `registro:${submission}`

async function isLockedByTab(submission: string): Promise<boolean> {
  const pendingAnswer = navigator.locks?.query().catch(() => undefined)
  const { held } = (pendingAnswer && (await withStorageTimeout(pendingAnswer, undefined))) ?? {}
  return held?.some((lock) => lock.name === lockName(submission)) ?? false
}

/**
 * Locks a draft for this tab until the signal aborts or the page goes away.
 * @returns false when another tab holds the lock; true also where the browser has no locks or does not answer
 * @see https://developer.mozilla.org/docs/Web/API/Web_Locks_API
 */
export function lockDraft(submission: string, signal: AbortSignal): Promise<boolean> {
  if (!navigator.locks) return Promise.resolve(true)
  const pendingAnswer = new Promise<boolean>((answer) => {
    navigator.locks
      .request(lockName(submission), { ifAvailable: true }, (lock) => {
        answer(lock !== null)
        if (!lock || signal.aborted) return undefined
        return new Promise<void>((release) => signal.addEventListener('abort', () => release()))
      })
      .catch(() => answer(true))
  })
  return withStorageTimeout(pendingAnswer, true)
}
