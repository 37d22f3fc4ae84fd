import { typedValue } from './typed-value.ts'

/** Where a value stands in a document: names of fields, and places in lists from 0. */
export type Camino = readonly (string | number)[]

interface DeUnCampo {
  documento: string
  campo: Camino
  /** The items of lists on the way to the field, as they were seen: by them the item is found that has moved since. */
  vistos: readonly unknown[]
}

/** One change of a draft. Nothing is changed that is not as it was seen. */
export type Retoque = DeUnCampo &
  (
    | { que: 'poner'; antes?: unknown; ahora?: unknown }
    /** `campo` is the list; `en` the place; `largo` how long the list was. */
    | { que: 'agregar'; en: number; largo: number; ahora: unknown }
    | { que: 'quitar'; en: number; largo: number; antes: unknown }
    | { que: 'mover'; en: number; a: number; antes: unknown }
  ) & {
    /** It was sent before, and nobody knows whether it arrived. */
    dudoso?: boolean
  }

export type HechoDeRetoque =
  | { ok: true; valor: unknown; campo: Camino }
  /** Somebody else changed it; `actual` is how it stands. Without `campo`, the place itself is gone. */
  | { ok: false; actual: unknown; campo?: Camino }

type Grupo = Record<string, unknown>

const isGrupo = (value: unknown): value is Grupo => typeof value === 'object' && value !== null && !Array.isArray(value)

/** More items than a list of any edition has, more steps than lead to any of its fields. */
export const MAX_ITEMS = 500
const MAX_DEPTH = 12

/** Whether a value is as small as what is compared and searched here, item by item, may be. */
export function isBounded(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return true
  const items = Object.values(value)
  return depth > 0 && items.length <= MAX_ITEMS && items.every((item) => isBounded(item, depth - 1))
}

/** Whether two values of a document say the same. */
export function isIgual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => isIgual(item, other[at]))
  if (!isGrupo(one) || !isGrupo(other)) return false
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].every((name) => isIgual(one[name], other[name]))
}

/** The value at a place; undefined when there is none. */
export function valorEn(valor: unknown, camino: Camino): unknown {
  let here = valor
  for (const paso of camino) {
    if (Array.isArray(here) && typeof paso === 'number') here = here[paso]
    else if (isGrupo(here) && typeof paso === 'string' && Object.hasOwn(here, paso)) here = here[paso]
    else return undefined
  }
  return here
}

/** The items of lists on the way to a field: what `vistos` of a Retoque holds. */
export const vistosHacia = (valor: unknown, camino: Camino): unknown[] =>
  camino.flatMap((paso, at) => (typeof paso === 'number' ? [valorEn(valor, camino.slice(0, at + 1))] : []))

/**
 * The same value with something else at one place.
 * @param ahora undefined takes a field away
 */
export function conValor(valor: unknown, [paso, ...rest]: Camino, ahora: unknown): unknown {
  if (paso === undefined) return ahora
  if (typeof paso === 'number') {
    const list = Array.isArray(valor) ? [...valor] : []
    list[paso] = conValor(list[paso], rest, ahora)
    return list
  }
  const group = isGrupo(valor) ? valor : {}
  const next = conValor(group[paso], rest, ahora)
  // Names such as __proto__ are no fields of any document.
  if (paso in Object.prototype) return group
  if (next !== undefined) return { ...group, [paso]: next }
  const { [paso]: _gone, ...others } = group
  return others
}

/** The texts and numbers within a value, each with the place where it stands. */
function hojasDe(valor: unknown, at = ''): string[] {
  if (Array.isArray(valor)) return valor.flatMap((item, index) => hojasDe(item, `${at}/${index}`))
  if (isGrupo(valor)) return Object.entries(valor).flatMap(([name, item]) => hojasDe(item, `${at}/${name}`))
  return [`${at}=${JSON.stringify(valor)}`]
}

/** Longer lists than any form makes are not searched by likeness, which reads every word of them. */
const MAX_SEARCHED = 300

/**
 * Where an item stands now that stood at a place when it was seen: by its id where it has one, else by what it says.
 * @returns undefined when it is gone
 */
function dondeEsta(lista: readonly unknown[], en: number, visto: unknown): number | undefined {
  if (isGrupo(visto) && typeof visto.id === 'string' && visto.id !== '') {
    const isHers = (item: unknown) => isGrupo(item) && item.id === visto.id
    if (isHers(lista[en])) return en
    const found = lista.findIndex(isHers)
    if (found !== -1) return found
  }
  if (isIgual(lista[en], visto)) return en
  const same = lista.findIndex((item) => isIgual(item, visto))
  if (same !== -1) return same
  if (!isGrupo(visto) || lista.length > MAX_SEARCHED) return en < lista.length ? en : undefined
  const said = new Set(hojasDe(visto))
  const likenessOf = (item: unknown) => hojasDe(item).filter((hoja) => said.has(hoja)).length
  let best = en < lista.length ? en : undefined
  let likeness = best === undefined ? 0 : likenessOf(lista[en])
  for (const [at, item] of lista.entries()) {
    const alike = likenessOf(item)
    if (alike > likeness) [best, likeness] = [at, alike]
  }
  return best
}

/** The place at which a field stands now; undefined when an item on the way is gone. */
function seguir(valor: unknown, campo: Camino, vistos: readonly unknown[]): Camino | undefined {
  const found: (string | number)[] = []
  let seen = 0
  for (const paso of campo) {
    if (typeof paso === 'string') {
      found.push(paso)
      continue
    }
    const lista = valorEn(valor, found)
    if (!Array.isArray(lista)) return undefined
    const visto = vistos[seen++]
    const at = visto === undefined ? (paso < lista.length ? paso : undefined) : dondeEsta(lista, paso, visto)
    if (at === undefined) return undefined
    found.push(at)
  }
  return found
}

const cuantosIguales = (lista: readonly unknown[], visto: unknown) =>
  lista.filter((item) => isIgual(item, visto)).length

/**
 * Applies one change to a document's value, wherever its place has moved to. Browser and server use the same.
 * @param valor is not changed
 */
export function retocar(valor: unknown, retoque: Retoque): HechoDeRetoque {
  const campo = seguir(valor, retoque.campo, retoque.vistos)
  if (!campo) return { ok: false, actual: undefined }
  if (retoque.que === 'poner') {
    const actual = valorEn(valor, campo)
    // What already is as wanted, by a sending whose answer got lost, say, is done.
    const ahora = typedValue(retoque.ahora)
    if (!isIgual(actual, retoque.antes) && !isIgual(actual, ahora)) return { ok: false, actual, campo }
    return { ok: true, valor: conValor(valor, campo, ahora), campo }
  }
  const lista = valorEn(valor, campo) ?? []
  if (!Array.isArray(lista)) return { ok: false, actual: lista, campo }
  const done = (items: readonly unknown[]): HechoDeRetoque => ({
    ok: true,
    valor: conValor(valor, campo, items),
    campo,
  })
  if (retoque.que === 'agregar') {
    const ahora = typedValue(retoque.ahora)
    const isThere = lista.length > retoque.largo && cuantosIguales(lista, ahora) > 0
    if (retoque.dudoso && isThere) return { ok: true, valor, campo }
    return done(lista.toSpliced(Math.min(retoque.en, lista.length), 0, ahora))
  }
  const { en, antes } = retoque
  const at = dondeEsta(lista, en, antes)
  if (retoque.que === 'quitar' && retoque.dudoso && lista.length < retoque.largo) {
    if (at === undefined || !isIgual(lista[at], antes)) return { ok: true, valor, campo }
  }
  if (at === undefined)
    return retoque.que === 'quitar' ? { ok: true, valor, campo } : { ok: false, actual: undefined, campo }
  // Taking away takes all that the item says: it must say what was seen. Moving keeps what it says.
  if (retoque.que === 'quitar')
    return isIgual(lista[at], antes) ? done(lista.toSpliced(at, 1)) : { ok: false, actual: lista[at], campo }
  if (retoque.dudoso && isIgual(lista[retoque.a], antes)) return { ok: true, valor, campo }
  const item = lista[at]
  return done(lista.toSpliced(at, 1).toSpliced(retoque.a, 0, item))
}
