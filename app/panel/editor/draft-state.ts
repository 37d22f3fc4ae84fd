import { type FieldPath, isEqual, isGroup, valueAt, withValueAt } from '#app/cms/schema/field-path.ts'
import { typedValue } from '#app/cms/schema/typed-value.ts'
import { type FieldConflict, listDifferences, mergeThreeWays, type RemovedItem } from './three-way-merge.ts'

/** A SentDocument is a document as the site sends it. */
export interface SentDocument {
  version: string
  valor: unknown
}

/** A ReceivedDocument was changed on the site; `quien` and `at` are the account and the moment of its last change. */
export interface ReceivedDocument extends SentDocument {
  quien: string | null
  /** In milliseconds since 1970. */
  at: number
}

/** A DraftDocument holds the states of one document of the draft; the form shows `mine`. The object is immutable. */
export interface DraftDocument {
  /** The version is another one after every change of the document on the site. */
  version: string
  site: unknown
  /** The base of the merge: it equals `site`, but conflicting fields have the value that both sides changed. */
  seen: unknown
  mine: unknown
  /** A request with this value is under way, or its answer was lost; its `seen` replaces `seen` once the site has the value. */
  sent?: { value: unknown; seen: unknown } | undefined
  /** Both sides changed these fields: the local values wait until the editor chooses. */
  conflicts: readonly FieldConflict[]
  /** The editor has not dismissed the notices of these removals yet. */
  removals: readonly RemovedItem[]
  /** Other people changed these fields while the page was open; the keys are those of `fieldKeyOf`. */
  remoteChanges: Readonly<Record<string, Pick<ReceivedDocument, 'quien' | 'at'>>>
  /** This account changed the document last; null if no change came from the site since the page was opened. */
  lastEditor: string | null
}

export type DraftDocuments = Readonly<Record<string, DraftDocument>>

export const newDocument = ({ version, valor }: SentDocument): DraftDocument => ({
  version,
  site: valor,
  seen: valor,
  mine: valor,
  lastEditor: null,
  conflicts: [],
  removals: [],
  remoteChanges: {},
})

/** Makes the key of a field, which is also the input's id in the page. */
export const fieldKeyOf = (document: string, field: FieldPath): string =>
  [document.replace('.yaml', ''), ...field].join('.')

/** Finds the document and the path of a field by its key. */
export function fieldOfKey(fieldKey: string): { document: string; field: FieldPath } {
  const [name, ...steps] = fieldKey.split('.')
  return { document: `${name}.yaml`, field: steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step)) }
}

/** Merges the states of a document after one of them has changed. */
function mergeAgain(document: DraftDocument, changes: Partial<DraftDocument>): DraftDocument {
  const next = { ...document, ...changes }
  const { value, conflicts, removals } = mergeThreeWays(next.seen, next.mine, next.site)
  const seen = conflicts.reduce((all, { theirField, before }) => withValueAt(all, theirField, before), next.site)
  return { ...next, seen, mine: value, conflicts, removals: [...next.removals, ...removals] }
}

/** Sets a field to a typed value; undefined removes the field. */
export const withField = (document: DraftDocument, field: FieldPath, now: unknown): DraftDocument =>
  isEqual(valueAt(document.mine, field), now)
    ? document
    : mergeAgain(document, { mine: withValueAt(document.mine, field, typedValue(now)) })

/** Returns the document as the form may save it: conflicting fields stay as the site has them. */
const savedValueOf = ({ mine, conflicts }: DraftDocument): unknown =>
  conflicts.reduce((all, { field, theirs }) => withValueAt(all, field, theirs), mine)

/** Returns whether the document has a change that the site does not have. */
export const isUnsaved = (document: DraftDocument): boolean => !isEqual(savedValueOf(document), document.site)

/** Notes that the document is about to be sent as it is now. */
export function withSending(document: DraftDocument): DraftDocument {
  const value = savedValueOf(document)
  const seen = document.conflicts.reduce((all, { field, before }) => withValueAt(all, field, before), value)
  return { ...document, sent: { value, seen } }
}

/** Takes up that the site has the document as it was sent. */
export function withSaved({ sent, ...document }: DraftDocument, version: string): DraftDocument {
  return sent ? mergeAgain(document, { version, site: sent.value, seen: sent.seen }) : document
}

/** Takes up the site's document: fields without a local change show it, fields with one become conflicts. */
export function withReceived(
  { sent, ...document }: DraftDocument,
  name: string,
  { version, valor, quien, at }: ReceivedDocument,
): DraftDocument {
  // The document that was sent has arrived, although its answer was lost.
  if (sent && isEqual(sent.value, valor)) return withSaved({ ...document, sent }, version)
  const next = mergeAgain(document, { version, site: valor, lastEditor: quien })
  const changes = listDifferences(document.mine, next.mine).map((field) => [fieldKeyOf(name, field), { quien, at }])
  return { ...next, remoteChanges: { ...next.remoteChanges, ...Object.fromEntries(changes) } }
}

/**
 * Settles a conflict as the editor chose.
 * @param which value stays: the local one, or the site's
 */
export function withChoice(
  { sent, ...document }: DraftDocument,
  { field, theirField, before, theirs }: FieldConflict,
  which: 'mine' | 'theirs',
): DraftDocument {
  // A save may be under way, whose answer must not bring the conflict back.
  const isInSent = sent !== undefined && isEqual(valueAt(sent.seen, field), before)
  return mergeAgain(document, {
    mine: which === 'mine' ? document.mine : withValueAt(document.mine, field, theirs),
    seen: withValueAt(document.seen, theirField, theirs),
    sent: isInSent ? { ...sent, seen: withValueAt(sent.seen, field, theirs) } : sent,
  })
}

/** Dismisses the notice of a removal. @param isToBeRemoved the item that was removed here goes all the same */
export function withoutNotice(document: DraftDocument, notice: RemovedItem, isToBeRemoved: boolean): DraftDocument {
  const remaining = { ...document, removals: document.removals.filter((one) => one !== notice) }
  const items = valueAt(document.mine, notice.lista)
  if (!isToBeRemoved || !Array.isArray(items)) return remaining
  return withField(
    remaining,
    notice.lista,
    items.filter((item) => !isEqual(item, notice.valor)),
  )
}

/** The device stores this of a document until the site has it. */
export type StoredDocument = Pick<DraftDocument, 'seen' | 'mine' | 'sent' | 'removals'>

/** Writes what the device has to store; undefined where the site has everything. */
export function textToStore(documents: DraftDocuments): string | undefined {
  const unsaved = Object.entries(documents).filter(
    ([, { site, mine, removals }]) => !isEqual(site, mine) || removals.length > 0,
  )
  const stored = unsaved.map(([name, { seen, mine, sent, removals }]) => [name, { seen, mine, sent, removals }])
  return stored.length === 0 ? undefined : JSON.stringify({ documents: Object.fromEntries(stored) })
}

/** Reads what the device has stored; undefined for a damaged text. */
export function readStored(text: string | null): Record<string, StoredDocument> | undefined {
  try {
    const stored: unknown = JSON.parse(text!)
    if (isGroup(stored) && isGroup(stored.documents)) return stored.documents as Record<string, StoredDocument>
  } catch {}
  return undefined
}

/** Takes up what the device stored on an earlier visit. */
export function withStored(document: DraftDocument, { seen, mine, sent, removals }: StoredDocument): DraftDocument {
  const hasArrived = sent !== undefined && isEqual(sent.value, document.site)
  return mergeAgain(document, { mine, removals, seen: hasArrived ? sent.seen : seen })
}
