import { type FieldPath, isEqual, isPlainObject, valueAt, withValueAt } from '#app/cms/schema/field-path.ts'
import { typedValue } from '#app/cms/schema/typed-value.ts'
import { type FieldConflict, listDifferences, mergeThreeWays, type RemovedItem } from './three-way-merge.ts'

/** A document as the site sends it to the browser. */
export interface SiteDocument {
  version: string
  valor: unknown
}

/** A document that changed on the site, with its last change in the draft. */
export interface ReceivedDocument extends SiteDocument {
  /** Email address of the account; null if it is gone, or if the draft does not have the document. */
  quien: string | null
  /** Milliseconds since 1970; the moment of the answer if the draft does not have the document. */
  at: number
}

/** The states of one document of the draft; the form shows `mine`. The object is immutable. */
export interface DraftDocument {
  /** Changes with every change of the document on the site. */
  version: string
  /** The document as the site last sent or saved it. */
  site: unknown
  /** Base of the three-way merge: like `site`, but a conflicting field has the value from before both changes. */
  seen: unknown
  mine: unknown
  /** Last sent value that the site has not confirmed; its `seen` becomes the base once the site has the value. */
  sent?: { value: unknown; seen: unknown } | undefined
  /** Fields that both sides changed; the local values are not saved until the editor chooses. */
  conflicts: readonly FieldConflict[]
  /** Removed items whose notice the editor has not dismissed. */
  removals: readonly RemovedItem[]
  /** Changes that came from the site since the page was opened, by the field's key (`fieldKeyOf`). */
  remoteChanges: Readonly<Record<string, Pick<ReceivedDocument, 'quien' | 'at'>>>
  /** `quien` of the last change from the site; null, too, if there was none since the page was opened. */
  lastEditor: string | null
}

export type DraftDocuments = Readonly<Record<string, DraftDocument>>

export const newDraftDocument = ({ version, valor }: SiteDocument): DraftDocument => ({
  version,
  site: valor,
  seen: valor,
  mine: valor,
  lastEditor: null,
  conflicts: [],
  removals: [],
  remoteChanges: {},
})

/** Returns the key of a field, which is also the id of its input. */
export const fieldKeyOf = (document: string, field: FieldPath): string =>
  [document.replace('.yaml', ''), ...field].join('.')

export function fieldOfKey(fieldKey: string): { document: string; field: FieldPath } {
  const [name, ...steps] = fieldKey.split('.')
  return { document: `${name}.yaml`, field: steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step)) }
}

function mergeAgain(document: DraftDocument, changes: Partial<DraftDocument>): DraftDocument {
  const changedDocument = { ...document, ...changes }
  const { value, conflicts, removals } = mergeThreeWays(
    changedDocument.seen,
    changedDocument.mine,
    changedDocument.site,
  )
  const seen = conflicts.reduce(
    (base, { theirField, before }) => withValueAt(base, theirField, before),
    changedDocument.site,
  )
  return { ...changedDocument, seen, mine: value, conflicts, removals: [...changedDocument.removals, ...removals] }
}

/** Sets a field to a typed value; undefined removes the field. */
export const withField = (document: DraftDocument, field: FieldPath, newValue: unknown): DraftDocument =>
  isEqual(valueAt(document.mine, field), newValue)
    ? document
    : mergeAgain(document, { mine: withValueAt(document.mine, field, typedValue(newValue)) })

/** Returns the value that may be saved: the form's, but conflicting fields keep the site's value. */
const valueToSave = ({ mine, conflicts }: DraftDocument): unknown =>
  conflicts.reduce((value, { field, theirs }) => withValueAt(value, field, theirs), mine)

/** Returns whether a change of the document waits to be saved. A conflicting field waits for the editor's choice instead. */
export const isUnsaved = (document: DraftDocument): boolean => !isEqual(valueToSave(document), document.site)

/** Records that the document's present value is being sent. */
export function withSending(document: DraftDocument): DraftDocument {
  const value = valueToSave(document)
  const seen = document.conflicts.reduce((base, { field, before }) => withValueAt(base, field, before), value)
  return { ...document, sent: { value, seen } }
}

/** Records that the site has saved the sent value as a version. */
export function withSaved({ sent, ...document }: DraftDocument, version: string): DraftDocument {
  return sent ? mergeAgain(document, { version, site: sent.value, seen: sent.seen }) : document
}

/**
 * Merges the site's document: a field without a local change takes the site's value, a field that both sides changed differently
 * becomes a conflict.
 */
export function withReceived(
  { sent, ...document }: DraftDocument,
  name: string,
  { version, valor, quien, at }: ReceivedDocument,
): DraftDocument {
  // The site has saved the sent value, but its answer was lost.
  if (sent && isEqual(sent.value, valor)) return withSaved({ ...document, sent }, version)
  const mergedDocument = mergeAgain(document, { version, site: valor, lastEditor: quien })
  const changes = listDifferences(document.mine, mergedDocument.mine).map((field) => [
    fieldKeyOf(name, field),
    { quien, at },
  ])
  return { ...mergedDocument, remoteChanges: { ...mergedDocument.remoteChanges, ...Object.fromEntries(changes) } }
}

/**
 * Resolves a conflict.
 * @param chosenSide the side whose value the editor keeps: `mine` is the form's, `theirs` the site's
 */
export function withChoice(
  { sent, ...document }: DraftDocument,
  { field, theirField, before, theirs }: FieldConflict,
  chosenSide: 'mine' | 'theirs',
): DraftDocument {
  // The answer of a request that is under way must not bring the conflict back.
  const isInSent = sent !== undefined && isEqual(valueAt(sent.seen, field), before)
  return mergeAgain(document, {
    mine: chosenSide === 'mine' ? document.mine : withValueAt(document.mine, field, theirs),
    seen: withValueAt(document.seen, theirField, theirs),
    sent: isInSent ? { ...sent, seen: withValueAt(sent.seen, field, theirs) } : sent,
  })
}

/**
 * Dismisses the notice of a removed item.
 * @param isToBeRemoved whether to remove the item, which was removed here and changed by others
 */
export function withoutRemovalNotice(
  document: DraftDocument,
  notice: RemovedItem,
  isToBeRemoved: boolean,
): DraftDocument {
  const withoutNotice = { ...document, removals: document.removals.filter((removal) => removal !== notice) }
  const items = valueAt(document.mine, notice.lista)
  if (!isToBeRemoved || !Array.isArray(items)) return withoutNotice
  return withField(
    withoutNotice,
    notice.lista,
    items.filter((item) => !isEqual(item, notice.valor)),
  )
}

/** The part of a document that the device stores (`serializeUnsaved`). */
export type StoredDocument = Pick<DraftDocument, 'seen' | 'mine' | 'sent' | 'removals'>

/** Returns the JSON of documents with unsaved changes or open removal notices, for the device's storage; undefined without any. */
export function serializeUnsaved(documents: DraftDocuments): string | undefined {
  const unsavedEntries = Object.entries(documents).filter(
    ([, { site, mine, removals }]) => !isEqual(site, mine) || removals.length > 0,
  )
  const storedDocuments = unsavedEntries.map(([name, { seen, mine, sent, removals }]) => [
    name,
    { seen, mine, sent, removals },
  ])
  return storedDocuments.length === 0 ? undefined : JSON.stringify({ documents: Object.fromEntries(storedDocuments) })
}

/** Parses the device's stored documents; undefined for a missing or damaged text. */
export function parseStoredDocuments(text: string | null): Record<string, StoredDocument> | undefined {
  try {
    const parsedDocuments: unknown = JSON.parse(text!)
    if (isPlainObject(parsedDocuments) && isPlainObject(parsedDocuments.documents))
      return parsedDocuments.documents as Record<string, StoredDocument>
  } catch {}
  return undefined
}

/** Restores a document's unsaved changes, which an earlier page stored on the device. */
export function withStored(document: DraftDocument, { seen, mine, sent, removals }: StoredDocument): DraftDocument {
  const hasArrived = sent !== undefined && isEqual(sent.value, document.site)
  return mergeAgain(document, { mine, removals, seen: hasArrived ? sent.seen : seen })
}
