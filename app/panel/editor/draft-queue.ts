import {
  applyEdit,
  type Edit,
  type EditResult,
  type FieldPath,
  isEqual,
  isGroup,
  seenItemsTo,
  valueAt,
  withValueAt,
} from '#app/cms/schema/edits.ts'

/** A SeenDocument is a document as the page last received it from the site. */
export interface SeenDocument {
  /** The version is another one after every change of the document. */
  version: string
  valor: unknown
}

/** A Conflict is a field that two people changed; the local change waits until its editor chooses. */
export interface Conflict {
  retoque: Edit & { que: 'poner' | 'quitar' | 'agregar' | 'mover' }
  /** The site has this value; undefined where the field is gone or empty. */
  suyo: unknown
  quien: string | null
  /** The field's place is gone, so the form shows the field no more. */
  perdido: boolean
}

/** A RemoteChange is the last change of a field by another person while the page was open. */
interface RemoteChange {
  quien: string | null
  /** The moment is in milliseconds since 1970. */
  at: number
}

/** A DraftQueue holds the documents that a form has seen and its changes without a confirmation. It never changes. */
export interface DraftQueue {
  documents: Readonly<Record<string, SeenDocument>>
  /** These changes are unconfirmed, oldest first; the first `inFlight` of them are being sent. */
  pendingEdits: readonly Edit[]
  inFlight: number
  conflicts: readonly Conflict[]
  /** The keys are those of `fieldKeyOf`. */
  remoteChanges: Readonly<Record<string, RemoteChange>>
}

export const newQueue = (documents: DraftQueue['documents']): DraftQueue => ({
  documents,
  pendingEdits: [],
  inFlight: 0,
  conflicts: [],
  remoteChanges: {},
})

/** Makes the key of a field, which is also the input's id in the page. */
export const fieldKeyOf = (document: string, field: FieldPath): string =>
  [document.replace('.yaml', ''), ...field].join('.')

const editKeyOf = ({ documento, campo }: Edit) => fieldKeyOf(documento, campo)

/** Returns the documents as the form shows them: the site's, with all local changes applied. */
export function shownDocuments({ documents, pendingEdits, conflicts }: DraftQueue): Record<string, unknown> {
  const shown = Object.fromEntries(Object.entries(documents).map(([name, { valor }]) => [name, valor]))
  for (const edit of pendingEdits) {
    const done = applyEdit(shown[edit.documento], edit)
    if (done.ok) shown[edit.documento] = done.value
  }
  for (const { retoque, perdido } of conflicts)
    if (retoque.que === 'poner' && !perdido)
      shown[retoque.documento] = withValueAt(shown[retoque.documento], retoque.campo, retoque.ahora)
  return shown
}

/** Builds the change that sets a field from its shown value to `now`. */
export function fieldEdit(queue: DraftQueue, document: string, field: FieldPath, now: unknown): Edit {
  const shown = shownDocuments(queue)[document]
  const before = valueAt(shown, field)
  return {
    ...{ que: 'poner', documento: document, campo: field, vistos: seenItemsTo(shown, field) },
    ...(before === undefined ? {} : { antes: before }),
    ...(now === undefined ? {} : { ahora: now }),
  } as Edit
}

/** Adds a change to the queue; consecutive unsent changes of one field merge into one. */
export function withEdit(queue: DraftQueue, edit: Edit): DraftQueue {
  const fieldKey = editKeyOf(edit)
  if (edit.que === 'poner') {
    const conflict = queue.conflicts.find((one) => one.retoque.que === 'poner' && editKeyOf(one.retoque) === fieldKey)
    if (conflict?.retoque.que === 'poner') {
      const mine = { ...conflict, retoque: { ...conflict.retoque, ahora: edit.ahora } }
      return { ...queue, conflicts: queue.conflicts.map((one) => (one === conflict ? mine : one)) }
    }
    const last = queue.pendingEdits.at(-1)
    const isSame = last?.que === 'poner' && editKeyOf(last) === fieldKey && queue.pendingEdits.length > queue.inFlight
    if (isSame) {
      const one = { ...last, ahora: edit.ahora }
      const rest = queue.pendingEdits.slice(0, -1)
      return { ...queue, pendingEdits: isEqual(one.antes, one.ahora) && !one.dudoso ? rest : [...rest, one] }
    }
    if (isEqual(edit.antes, edit.ahora)) return queue
  }
  return { ...queue, pendingEdits: [...queue.pendingEdits, edit] }
}

/** A sending stops before so many characters, unless one change is longer. The site accepts forms of 256 KB. */
const MAX_SENDING_CHARACTERS = 90_000

/** Marks the queue's first changes as being sent. */
export function markSending(queue: DraftQueue): DraftQueue {
  let [count, length] = [0, 0]
  for (const edit of queue.pendingEdits) {
    length += JSON.stringify(edit).length
    if (count > 0 && length > MAX_SENDING_CHARACTERS) break
    count++
  }
  return { ...queue, inFlight: count }
}

/** Marks changes as doubtful (`dudoso`) after a sending without an answer, since they may have arrived. */
export const withoutAnswer = (queue: DraftQueue): DraftQueue => ({
  ...queue,
  inFlight: 0,
  pendingEdits: queue.pendingEdits.map((one, at) => (at < queue.inFlight ? { ...one, dudoso: true } : one)),
})

/** An Answer has the result of each sent change, in their order. */
export interface Answer {
  hechos: ({ ok: true } | { ok: false; actual: unknown; quien: string | null })[]
  /** A document has value, author and time here where the page had not seen its latest change. */
  documentos: Record<string, { version: string; valor?: unknown; quien?: string | null; at?: number }>
}

/** Applies an answer: refused changes become conflicts, later changes are rebased on the site's documents. */
export function applyAnswer(queue: DraftQueue, { hechos, documentos }: Answer): DraftQueue {
  const sentEdits = queue.pendingEdits.slice(0, queue.inFlight)
  const knownDocuments = { ...queue.documents }
  const remoteChanges = { ...queue.remoteChanges }
  for (const [name, { version, valor, quien = null, at = 0 }] of Object.entries(documentos)) {
    const mine = sentEdits.reduce((value, edit, at) => {
      if (edit.documento !== name || !hechos[at]?.ok) return value
      const done = applyEdit(value, edit)
      return done.ok ? done.value : value
    }, knownDocuments[name]?.valor)
    knownDocuments[name] = { version, valor: valor === undefined ? mine : valor }
    if (valor === undefined) continue
    for (const field of differences(mine, valor)) remoteChanges[fieldKeyOf(name, field)] = { quien, at }
  }
  const newConflicts = sentEdits.flatMap((edit, at): Conflict[] => {
    const done = hechos[at]
    return !done || done.ok ? [] : [{ retoque: edit, suyo: done.actual, quien: done.quien, perdido: false }]
  })
  return rebase({
    ...queue,
    remoteChanges,
    documents: knownDocuments,
    pendingEdits: queue.pendingEdits.slice(queue.inFlight),
    inFlight: 0,
    conflicts: mergeConflicts([...queue.conflicts, ...newConflicts]),
  })
}

/** These documents changed on the site; author and time are those of the last change. */
export type ReceivedDocuments = Record<string, SeenDocument & { quien: string | null; at: number }>

/** Takes up changes of others: fields without a local change show them, the other fields become conflicts. */
export function applyRemoteChanges(queue: DraftQueue, added: ReceivedDocuments): DraftQueue {
  const remoteChanges = { ...queue.remoteChanges }
  const shown = shownDocuments(queue)
  // A local change that comes back from the site is not another person's.
  for (const [name, { valor, quien, at }] of Object.entries(added))
    for (const field of differences(queue.documents[name]?.valor, valor))
      if (!isEqual(valueAt(shown[name], field), valueAt(valor, field)))
        remoteChanges[fieldKeyOf(name, field)] = { quien, at }
  const documents = Object.fromEntries(
    Object.entries(added).map(([name, { version, valor }]) => [name, { version, valor }]),
  )
  const otherAuthor = Object.values(added)[0]?.quien ?? null
  return rebase({ ...queue, remoteChanges, documents: { ...queue.documents, ...documents } }, otherAuthor)
}

/** Lists the paths whose values differ; a list of another length counts as one path, and so does a photograph. */
function differences(before: unknown, now: unknown, field: FieldPath = []): FieldPath[] {
  if (isEqual(before, now)) return []
  if (Array.isArray(before) && Array.isArray(now) && before.length === now.length)
    return now.flatMap((item, at) => differences(before[at], item, [...field, at]))
  const isPhoto = (value: object) => 'foto' in value && 'foco' in value
  if (!isGroup(before) || !isGroup(now) || isPhoto(before) || isPhoto(now)) return [field]
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].flatMap((name) =>
    differences(before[name], now[name], [...field, name]),
  )
}

/** Rebases unsent changes and conflicts on the site's documents. @param authorEmail the author of changes that now conflict */
function rebase(queue: DraftQueue, authorEmail: string | null = null): DraftQueue {
  const values = Object.fromEntries(Object.entries(queue.documents).map(([name, { valor }]) => [name, valor]))
  const applyToValues = (edit: Edit): EditResult => {
    const done = applyEdit(values[edit.documento], edit)
    if (done.ok) values[edit.documento] = done.value
    return done
  }
  const pending: Edit[] = []
  const newConflicts: Conflict[] = []
  for (const [at, edit] of queue.pendingEdits.entries()) {
    // A change that is being sent stays pending, since the site decides about it.
    const before = values[edit.documento]
    const done = applyToValues(edit)
    if (done.ok || at < queue.inFlight) {
      const field = done.ok && at >= queue.inFlight ? done.field : edit.campo
      pending.push({ ...edit, campo: field, vistos: seenItemsTo(before, field) })
    } else
      newConflicts.push({
        retoque: atCurrentPath(edit, done),
        suyo: done.actual,
        quien: authorEmail,
        perdido: !done.field,
      })
  }
  const conflicts = queue.conflicts.flatMap((one): Conflict[] => {
    if (one.retoque.que !== 'poner') return [one]
    const done = applyEdit(values[one.retoque.documento], one.retoque)
    // The other person's change was taken back, so the local change applies again.
    if (done.ok) {
      if (applyToValues(one.retoque).ok && !isEqual(one.retoque.antes, one.retoque.ahora)) pending.push(one.retoque)
      return []
    }
    return [{ ...one, retoque: atCurrentPath(one.retoque, done), suyo: done.actual, perdido: !done.field }]
  })
  return { ...queue, pendingEdits: pending, conflicts: mergeConflicts([...conflicts, ...newConflicts]) }
}

const atCurrentPath = (edit: Edit, done: EditResult): Edit => (done.field ? { ...edit, campo: done.field } : edit)

/** Merges conflicts so that each field keeps one, with its newest local text. */
function mergeConflicts(conflicts: readonly Conflict[]): Conflict[] {
  const found = new Map<string, Conflict>()
  for (const one of conflicts) {
    const key = `${one.retoque.que === 'poner' ? '' : one.retoque.que} ${editKeyOf(one.retoque)}`
    const before = found.get(key)
    found.set(key, before ? { ...before, ...one, quien: one.quien ?? before.quien } : one)
  }
  return [...found.values()]
}

/**
 * Settles a conflict as the editor chose.
 * @param keptSide the value that stays: the local one (`mine`) or the site's (`theirs`)
 */
export function resolveConflict(queue: DraftQueue, conflict: Conflict, keptSide: 'mine' | 'theirs'): DraftQueue {
  const rest = { ...queue, conflicts: queue.conflicts.filter((one) => one !== conflict) }
  const { retoque, suyo } = conflict
  if (keptSide === 'theirs' || conflict.perdido) return rest
  const shown = shownDocuments(rest)[retoque.documento]
  const seenItems = seenItemsTo(shown, retoque.campo)
  if (retoque.que === 'poner')
    return withEdit(rest, { ...retoque, antes: valueAt(shown, retoque.campo), vistos: seenItems })
  if (retoque.que === 'quitar') return withEdit(rest, { ...retoque, antes: suyo, vistos: seenItems })
  return rest
}

/** The device stores these changes until the site has them. */
export interface StoredChanges {
  pendientes: readonly Edit[]
  choques: readonly Conflict[]
}

/** Reads stored changes; undefined for a damaged text. */
export function readStored(text: string | null): StoredChanges | undefined {
  try {
    const { pendientes, choques } = JSON.parse(text!) as Partial<StoredChanges>
    return Array.isArray(pendientes) && Array.isArray(choques) ? { pendientes, choques } : undefined
  } catch {
    return undefined
  }
}

/** Returns the queue with the changes that the device stored on an earlier visit; each of them may have been applied already. */
export const withStored = (queue: DraftQueue, { pendientes, choques }: StoredChanges): DraftQueue =>
  rebase({
    ...queue,
    pendingEdits: [...pendientes.map((one): Edit => ({ ...one, dudoso: true })), ...queue.pendingEdits],
    conflicts: mergeConflicts([...choques, ...queue.conflicts]),
  })
