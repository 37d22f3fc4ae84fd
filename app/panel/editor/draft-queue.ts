import {
  type Camino,
  conValor,
  type HechoDeRetoque,
  isIgual,
  type Retoque,
  retocar,
  valorEn,
  vistosHacia,
} from '#app/cms/schema/edits.ts'

/** A document as the site has it. */
export interface DocumentoVisto {
  /** Changes with every change of the document; says nothing else. */
  version: string
  valor: unknown
}

/** A field that two people changed: what was typed here waits until somebody chooses. */
export interface Choque {
  retoque: Retoque & { que: 'poner' | 'quitar' | 'agregar' | 'mover' }
  /** How it stands; undefined when it is gone. */
  suyo: unknown
  quien: string | null
  /** The place is gone: nobody sees the field any more. */
  perdido: boolean
}

/** A field that somebody else changed since this page looked. */
interface Ajeno {
  quien: string | null
  /** Milliseconds. */
  at: number
}

/** What a page of the draft knows, and what it has not said to the site yet. Never changed in place. */
export interface Cola {
  documentos: Readonly<Record<string, DocumentoVisto>>
  /** In their order; the first `enCamino` are on their way. */
  pendientes: readonly Retoque[]
  enCamino: number
  choques: readonly Choque[]
  /** By the key of their field. */
  ajenos: Readonly<Record<string, Ajeno>>
}

export const nuevaCola = (documentos: Cola['documentos']): Cola => ({
  documentos,
  pendientes: [],
  enCamino: 0,
  choques: [],
  ajenos: {},
})

/** The key of a field, also its id in the page. */
export const claveDe = (documento: string, campo: Camino): string =>
  [documento.replace('.yaml', ''), ...campo].join('.')

const claveDeRetoque = ({ documento, campo }: Retoque) => claveDe(documento, campo)

/** The documents as the form shows them: the site's, with everything that was changed here. */
export function mostrados({ documentos, pendientes, choques }: Cola): Record<string, unknown> {
  const shown = Object.fromEntries(Object.entries(documentos).map(([name, { valor }]) => [name, valor]))
  for (const retoque of pendientes) {
    const hecho = retocar(shown[retoque.documento], retoque)
    if (hecho.ok) shown[retoque.documento] = hecho.valor
  }
  for (const { retoque, perdido } of choques)
    if (retoque.que === 'poner' && !perdido)
      shown[retoque.documento] = conValor(shown[retoque.documento], retoque.campo, retoque.ahora)
  return shown
}

/** A change of a field, as it is shown now. */
export function ponerEn(cola: Cola, documento: string, campo: Camino, ahora: unknown): Retoque {
  const shown = mostrados(cola)[documento]
  const antes = valorEn(shown, campo)
  return {
    ...{ que: 'poner', documento, campo, vistos: vistosHacia(shown, campo) },
    ...(antes === undefined ? {} : { antes }),
    ...(ahora === undefined ? {} : { ahora }),
  } as Retoque
}

/** The queue with one change more; what was typed in one field without a pause is one change. */
export function conRetoque(cola: Cola, retoque: Retoque): Cola {
  const clave = claveDeRetoque(retoque)
  if (retoque.que === 'poner') {
    const clash = cola.choques.find((one) => one.retoque.que === 'poner' && claveDeRetoque(one.retoque) === clave)
    if (clash?.retoque.que === 'poner') {
      const mine = { ...clash, retoque: { ...clash.retoque, ahora: retoque.ahora } }
      return { ...cola, choques: cola.choques.map((one) => (one === clash ? mine : one)) }
    }
    const last = cola.pendientes.at(-1)
    const isSame = last?.que === 'poner' && claveDeRetoque(last) === clave && cola.pendientes.length > cola.enCamino
    if (isSame) {
      const one = { ...last, ahora: retoque.ahora }
      const rest = cola.pendientes.slice(0, -1)
      return { ...cola, pendientes: isIgual(one.antes, one.ahora) && !one.dudoso ? rest : [...rest, one] }
    }
    if (isIgual(retoque.antes, retoque.ahora)) return cola
  }
  return { ...cola, pendientes: [...cola.pendientes, retoque] }
}

/** Characters that one sending takes along; the site takes forms of 256 KB, and a letter may have two bytes. */
const MAX_ENVIO_CARACTERES = 90_000

/** The queue with its first changes on their way. */
export function enviando(cola: Cola): Cola {
  let [count, length] = [0, 0]
  for (const retoque of cola.pendientes) {
    length += JSON.stringify(retoque).length
    if (count > 0 && length > MAX_ENVIO_CARACTERES) break
    count++
  }
  return { ...cola, enCamino: count }
}

/** No answer came: whether what was sent arrived is not known. */
export const sinRespuesta = (cola: Cola): Cola => ({
  ...cola,
  enCamino: 0,
  pendientes: cola.pendientes.map((one, at) => (at < cola.enCamino ? { ...one, dudoso: true } : one)),
})

/** What the site answers to a sending. */
export interface Respuesta {
  hechos: ({ ok: true } | { ok: false; actual: unknown; quien: string | null })[]
  /** With the value, and who changed it before, where the page had not seen it. */
  documentos: Record<string, { version: string; valor?: unknown; quien?: string | null; at?: number }>
}

/** What was sent has arrived: what was refused becomes a clash, everything typed since is put over what the site has now. */
export function confirmada(cola: Cola, { hechos, documentos }: Respuesta): Cola {
  const sent = cola.pendientes.slice(0, cola.enCamino)
  const known = { ...cola.documentos }
  const ajenos = { ...cola.ajenos }
  for (const [name, { version, valor, quien = null, at = 0 }] of Object.entries(documentos)) {
    const mine = sent.reduce((value, retoque, at) => {
      if (retoque.documento !== name || !hechos[at]?.ok) return value
      const hecho = retocar(value, retoque)
      return hecho.ok ? hecho.valor : value
    }, known[name]?.valor)
    known[name] = { version, valor: valor === undefined ? mine : valor }
    if (valor === undefined) continue
    for (const campo of diferencias(mine, valor)) ajenos[claveDe(name, campo)] = { quien, at }
  }
  const clashes = sent.flatMap((retoque, at): Choque[] => {
    const hecho = hechos[at]
    return !hecho || hecho.ok ? [] : [{ retoque, suyo: hecho.actual, quien: hecho.quien, perdido: false }]
  })
  return sobre({
    ...cola,
    ajenos,
    documentos: known,
    pendientes: cola.pendientes.slice(cola.enCamino),
    enCamino: 0,
    choques: juntos([...cola.choques, ...clashes]),
  })
}

/** The documents that somebody else changed, as they stand now. */
export type Recibidos = Record<string, DocumentoVisto & { quien: string | null; at: number }>

/** Changes of others come in: fields that nobody is changing here show them, the rest clashes. */
export function recibidos(cola: Cola, nuevos: Recibidos): Cola {
  const ajenos = { ...cola.ajenos }
  const shown = mostrados(cola)
  // What was sent from here and came back is nobody else's.
  for (const [name, { valor, quien, at }] of Object.entries(nuevos))
    for (const campo of diferencias(cola.documentos[name]?.valor, valor))
      if (!isIgual(valorEn(shown[name], campo), valorEn(valor, campo))) ajenos[claveDe(name, campo)] = { quien, at }
  const documentos = Object.fromEntries(
    Object.entries(nuevos).map(([name, { version, valor }]) => [name, { version, valor }]),
  )
  const other = Object.values(nuevos)[0]?.quien ?? null
  return sobre({ ...cola, ajenos, documentos: { ...cola.documentos, ...documentos } }, other)
}

/** Places whose values differ; a list of another length is one place. */
function diferencias(antes: unknown, ahora: unknown, campo: Camino = []): Camino[] {
  if (isIgual(antes, ahora)) return []
  if (Array.isArray(antes) && Array.isArray(ahora) && antes.length === ahora.length)
    return ahora.flatMap((item, at) => diferencias(antes[at], item, [...campo, at]))
  const isGroup = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && !('foto' in value && 'foco' in value)
  if (!isGroup(antes) || !isGroup(ahora)) return [campo]
  return [...new Set([...Object.keys(antes), ...Object.keys(ahora)])].flatMap((name) =>
    diferencias(antes[name], ahora[name], [...campo, name]),
  )
}

/** Puts everything that is not sent yet over what the site has now. */
function sobre(cola: Cola, quien: string | null = null): Cola {
  const values = Object.fromEntries(Object.entries(cola.documentos).map(([name, { valor }]) => [name, valor]))
  const put = (retoque: Retoque): HechoDeRetoque => {
    const hecho = retocar(values[retoque.documento], retoque)
    if (hecho.ok) values[retoque.documento] = hecho.valor
    return hecho
  }
  const pendientes: Retoque[] = []
  const clashes: Choque[] = []
  for (const [at, retoque] of cola.pendientes.entries()) {
    // What is on its way is judged by the site.
    const before = values[retoque.documento]
    const hecho = put(retoque)
    if (hecho.ok || at < cola.enCamino) {
      const campo = hecho.ok && at >= cola.enCamino ? hecho.campo : retoque.campo
      pendientes.push({ ...retoque, campo, vistos: vistosHacia(before, campo) })
    } else clashes.push({ retoque: alSitio(retoque, hecho), suyo: hecho.actual, quien, perdido: !hecho.campo })
  }
  const choques = cola.choques.flatMap((one): Choque[] => {
    if (one.retoque.que !== 'poner') return [one]
    const hecho = retocar(values[one.retoque.documento], one.retoque)
    // The other took it back: what was typed here goes on as if nothing had been.
    if (hecho.ok) {
      if (put(one.retoque).ok && !isIgual(one.retoque.antes, one.retoque.ahora)) pendientes.push(one.retoque)
      return []
    }
    return [{ ...one, retoque: alSitio(one.retoque, hecho), suyo: hecho.actual, perdido: !hecho.campo }]
  })
  return { ...cola, pendientes, choques: juntos([...choques, ...clashes]) }
}

const alSitio = (retoque: Retoque, hecho: HechoDeRetoque): Retoque =>
  hecho.campo ? { ...retoque, campo: hecho.campo } : retoque

/** One clash a field: the newest text of it that was typed here. */
function juntos(choques: readonly Choque[]): Choque[] {
  const found = new Map<string, Choque>()
  for (const one of choques) {
    const key = `${one.retoque.que === 'poner' ? '' : one.retoque.que} ${claveDeRetoque(one.retoque)}`
    const before = found.get(key)
    found.set(key, before ? { ...before, ...one, quien: one.quien ?? before.quien } : one)
  }
  return [...found.values()]
}

/**
 * A clash is settled.
 * @param cual whose text stays
 */
export function resuelta(cola: Cola, choque: Choque, cual: 'mio' | 'suyo'): Cola {
  const rest = { ...cola, choques: cola.choques.filter((one) => one !== choque) }
  const { retoque, suyo } = choque
  if (cual === 'suyo' || choque.perdido) return rest
  const shown = mostrados(rest)[retoque.documento]
  const vistos = vistosHacia(shown, retoque.campo)
  if (retoque.que === 'poner') return conRetoque(rest, { ...retoque, antes: valorEn(shown, retoque.campo), vistos })
  if (retoque.que === 'quitar') return conRetoque(rest, { ...retoque, antes: suyo, vistos })
  return rest
}

/** What a device keeps until the site has it. */
export interface Guardada {
  pendientes: readonly Retoque[]
  choques: readonly Choque[]
}

/** Puts what a device kept of an earlier look over what the site has now. */
export const conGuardada = (cola: Cola, { pendientes, choques }: Guardada): Cola =>
  sobre({
    ...cola,
    pendientes: [...pendientes.map((one): Retoque => ({ ...one, dudoso: true })), ...cola.pendientes],
    choques: juntos([...choques, ...cola.choques]),
  })
