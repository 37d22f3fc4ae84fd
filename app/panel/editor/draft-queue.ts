import {
  applyEdit,
  conValor,
  type Edit,
  type EditResult,
  type FieldPath,
  isEqual,
  seenItemsTo,
  valorEn,
} from '#app/cms/schema/edits.ts'

/** A document as the site has it. */
export interface SeenDocument {
  /** Changes with every change of the document; says nothing else. */
  version: string
  valor: unknown
}

/** A field that two people changed: what was typed here waits until somebody chooses. */
export interface Conflict {
  retoque: Edit & { que: 'poner' | 'quitar' | 'agregar' | 'mover' }
  /** How it stands; undefined when it is gone. */
  suyo: unknown
  quien: string | null
  /** The place is gone: nobody sees the field any more. */
  perdido: boolean
}

/** A field that somebody else changed since this page looked. */
interface RemoteChange {
  quien: string | null
  /** Milliseconds. */
  at: number
}

/** What a page of the draft knows, and what it has not said to the site yet. Never changed in place. */
export interface Cola {
  documentos: Readonly<Record<string, SeenDocument>>
  /** In their order; the first `enCamino` are on their way. */
  pendientes: readonly Edit[]
  enCamino: number
  choques: readonly Conflict[]
  /** By the key of their field. */
  ajenos: Readonly<Record<string, RemoteChange>>
}

export const newQueue = (documents: Cola['documentos']): Cola => ({
  documentos: documents,
  pendientes: [],
  enCamino: 0,
  choques: [],
  ajenos: {},
})

/** The key of a field, also its id in the page. */
export const fieldKeyOf = (document: string, field: FieldPath): string =>
  [document.replace('.yaml', ''), ...field].join('.')

const editKeyOf = ({ documento, campo }: Edit) => fieldKeyOf(documento, campo)

/** The documents as the form shows them: the site's, with everything that was changed here. */
export function shownDocuments({ documentos, pendientes, choques }: Cola): Record<string, unknown> {
  const shown = Object.fromEntries(Object.entries(documentos).map(([name, { valor }]) => [name, valor]))
  for (const edit of pendientes) {
    const done = applyEdit(shown[edit.documento], edit)
    if (done.ok) shown[edit.documento] = done.valor
  }
  for (const { retoque, perdido } of choques)
    if (retoque.que === 'poner' && !perdido)
      shown[retoque.documento] = conValor(shown[retoque.documento], retoque.campo, retoque.ahora)
  return shown
}

/** A change of a field, as it is shown now. */
export function fieldEdit(cola: Cola, document: string, field: FieldPath, now: unknown): Edit {
  const shown = shownDocuments(cola)[document]
  const antes = valorEn(shown, field)
  return {
    ...{ que: 'poner', documento: document, campo: field, vistos: seenItemsTo(shown, field) },
    ...(antes === undefined ? {} : { antes }),
    ...(now === undefined ? {} : { ahora: now }),
  } as Edit
}

/** The queue with one change more; what was typed in one field without a pause is one change. */
export function withEdit(cola: Cola, edit: Edit): Cola {
  const password = editKeyOf(edit)
  if (edit.que === 'poner') {
    const clash = cola.choques.find((one) => one.retoque.que === 'poner' && editKeyOf(one.retoque) === password)
    if (clash?.retoque.que === 'poner') {
      const mine = { ...clash, retoque: { ...clash.retoque, ahora: edit.ahora } }
      return { ...cola, choques: cola.choques.map((one) => (one === clash ? mine : one)) }
    }
    const last = cola.pendientes.at(-1)
    const isSame = last?.que === 'poner' && editKeyOf(last) === password && cola.pendientes.length > cola.enCamino
    if (isSame) {
      const one = { ...last, ahora: edit.ahora }
      const rest = cola.pendientes.slice(0, -1)
      return { ...cola, pendientes: isEqual(one.antes, one.ahora) && !one.dudoso ? rest : [...rest, one] }
    }
    if (isEqual(edit.antes, edit.ahora)) return cola
  }
  return { ...cola, pendientes: [...cola.pendientes, edit] }
}

/** Characters that one sending takes along; the site takes forms of 256 KB, and a letter may have two bytes. */
const MAX_SENDING_CHARACTERS = 90_000

/** The queue with its first changes on their way. */
export function sending(cola: Cola): Cola {
  let [count, length] = [0, 0]
  for (const edit of cola.pendientes) {
    length += JSON.stringify(edit).length
    if (count > 0 && length > MAX_SENDING_CHARACTERS) break
    count++
  }
  return { ...cola, enCamino: count }
}

/** No answer came: whether what was sent arrived is not known. */
export const withoutAnswer = (cola: Cola): Cola => ({
  ...cola,
  enCamino: 0,
  pendientes: cola.pendientes.map((one, at) => (at < cola.enCamino ? { ...one, dudoso: true } : one)),
})

/** What the site answers to a sending. */
export interface Answer {
  hechos: ({ ok: true } | { ok: false; actual: unknown; quien: string | null })[]
  /** With the value, and who changed it before, where the page had not seen it. */
  documentos: Record<string, { version: string; valor?: unknown; quien?: string | null; at?: number }>
}

/** What was sent has arrived: what was refused becomes a clash, everything typed since is put over what the site has now. */
export function confirmed(cola: Cola, { hechos, documentos }: Answer): Cola {
  const sent = cola.pendientes.slice(0, cola.enCamino)
  const known = { ...cola.documentos }
  const foreign = { ...cola.ajenos }
  for (const [name, { version, valor, quien = null, at = 0 }] of Object.entries(documentos)) {
    const mine = sent.reduce((value, edit, at) => {
      if (edit.documento !== name || !hechos[at]?.ok) return value
      const done = applyEdit(value, edit)
      return done.ok ? done.valor : value
    }, known[name]?.valor)
    known[name] = { version, valor: valor === undefined ? mine : valor }
    if (valor === undefined) continue
    for (const field of differences(mine, valor)) foreign[fieldKeyOf(name, field)] = { quien, at }
  }
  const clashes = sent.flatMap((edit, at): Conflict[] => {
    const done = hechos[at]
    return !done || done.ok ? [] : [{ retoque: edit, suyo: done.actual, quien: done.quien, perdido: false }]
  })
  return about({
    ...cola,
    ajenos: foreign,
    documentos: known,
    pendientes: cola.pendientes.slice(cola.enCamino),
    enCamino: 0,
    choques: juntos([...cola.choques, ...clashes]),
  })
}

/** The documents that somebody else changed, as they stand now. */
export type ReceivedDocuments = Record<string, SeenDocument & { quien: string | null; at: number }>

/** Changes of others come in: fields that nobody is changing here show them, the rest clashes. */
export function received(cola: Cola, added: ReceivedDocuments): Cola {
  const foreign = { ...cola.ajenos }
  const shown = shownDocuments(cola)
  // What was sent from here and came back is nobody else's.
  for (const [name, { valor, quien, at }] of Object.entries(added))
    for (const field of differences(cola.documentos[name]?.valor, valor))
      if (!isEqual(valorEn(shown[name], field), valorEn(valor, field))) foreign[fieldKeyOf(name, field)] = { quien, at }
  const documents = Object.fromEntries(
    Object.entries(added).map(([name, { version, valor }]) => [name, { version, valor }]),
  )
  const other = Object.values(added)[0]?.quien ?? null
  return about({ ...cola, ajenos: foreign, documentos: { ...cola.documentos, ...documents } }, other)
}

/** Places whose values differ; a list of another length is one place. */
function differences(antes: unknown, now: unknown, field: FieldPath = []): FieldPath[] {
  if (isEqual(antes, now)) return []
  if (Array.isArray(antes) && Array.isArray(now) && antes.length === now.length)
    return now.flatMap((item, at) => differences(antes[at], item, [...field, at]))
  const isGroup = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && !('foto' in value && 'foco' in value)
  if (!isGroup(antes) || !isGroup(now)) return [field]
  return [...new Set([...Object.keys(antes), ...Object.keys(now)])].flatMap((name) =>
    differences(antes[name], now[name], [...field, name]),
  )
}

/** Puts everything that is not sent yet over what the site has now. */
function about(cola: Cola, who: string | null = null): Cola {
  const values = Object.fromEntries(Object.entries(cola.documentos).map(([name, { valor }]) => [name, valor]))
  const put = (edit: Edit): EditResult => {
    const done = applyEdit(values[edit.documento], edit)
    if (done.ok) values[edit.documento] = done.valor
    return done
  }
  const pending: Edit[] = []
  const clashes: Conflict[] = []
  for (const [at, edit] of cola.pendientes.entries()) {
    // What is on its way is judged by the site.
    const before = values[edit.documento]
    const done = put(edit)
    if (done.ok || at < cola.enCamino) {
      const field = done.ok && at >= cola.enCamino ? done.campo : edit.campo
      pending.push({ ...edit, campo: field, vistos: seenItemsTo(before, field) })
    } else clashes.push({ retoque: atCurrentPath(edit, done), suyo: done.actual, quien: who, perdido: !done.campo })
  }
  const conflicts = cola.choques.flatMap((one): Conflict[] => {
    if (one.retoque.que !== 'poner') return [one]
    const done = applyEdit(values[one.retoque.documento], one.retoque)
    // The other took it back: what was typed here goes on as if nothing had been.
    if (done.ok) {
      if (put(one.retoque).ok && !isEqual(one.retoque.antes, one.retoque.ahora)) pending.push(one.retoque)
      return []
    }
    return [{ ...one, retoque: atCurrentPath(one.retoque, done), suyo: done.actual, perdido: !done.campo }]
  })
  return { ...cola, pendientes: pending, choques: juntos([...conflicts, ...clashes]) }
}

const atCurrentPath = (edit: Edit, done: EditResult): Edit => (done.campo ? { ...edit, campo: done.campo } : edit)

/** One clash a field: the newest text of it that was typed here. */
function juntos(conflicts: readonly Conflict[]): Conflict[] {
  const found = new Map<string, Conflict>()
  for (const one of conflicts) {
    const key = `${one.retoque.que === 'poner' ? '' : one.retoque.que} ${editKeyOf(one.retoque)}`
    const before = found.get(key)
    found.set(key, before ? { ...before, ...one, quien: one.quien ?? before.quien } : one)
  }
  return [...found.values()]
}

/**
 * A clash is settled.
 * @param which whose text stays
 */
export function resolved(cola: Cola, conflict: Conflict, which: 'mio' | 'suyo'): Cola {
  const rest = { ...cola, choques: cola.choques.filter((one) => one !== conflict) }
  const { retoque, suyo } = conflict
  if (which === 'suyo' || conflict.perdido) return rest
  const shown = shownDocuments(rest)[retoque.documento]
  const seenItems = seenItemsTo(shown, retoque.campo)
  if (retoque.que === 'poner')
    return withEdit(rest, { ...retoque, antes: valorEn(shown, retoque.campo), vistos: seenItems })
  if (retoque.que === 'quitar') return withEdit(rest, { ...retoque, antes: suyo, vistos: seenItems })
  return rest
}

/** What a device keeps until the site has it. */
export interface Stored {
  pendientes: readonly Edit[]
  choques: readonly Conflict[]
}

/** Puts what a device kept of an earlier look over what the site has now. */
export const withStored = (cola: Cola, { pendientes, choques }: Stored): Cola =>
  about({
    ...cola,
    pendientes: [...pendientes.map((one): Edit => ({ ...one, dudoso: true })), ...cola.pendientes],
    choques: juntos([...choques, ...cola.choques]),
  })
