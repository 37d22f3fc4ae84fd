import { type Camino, valorEn, vistosHacia } from '#app/cms/schema/edits.ts'
import type { FallaDeCampo } from '#app/cms/schema/faults.ts'
import {
  type Choque,
  type Cola,
  confirmada,
  conGuardada,
  conRetoque,
  type DocumentoVisto,
  enviando,
  type Guardada,
  mostrados,
  nuevaCola,
  ponerEn,
  recibidos,
  resuelta,
  sinRespuesta,
} from './draft-queue.ts'
import type { Negativa, RespuestaDeEnvio, RespuestaDeVistazo } from './schema.ts'

/** How long after the last key a change is sent, in ms. */
const PAUSA_MS = 500
/** How often a page looks for changes of others, and tries again what did not get through, in ms. */
const VISTAZO_MS = 4_000

/** How it stands with what was typed. */
export type Estado =
  | { clase: 'al-dia'; at?: number }
  | { clase: 'guardando' }
  /** The site is not reached. */
  | { clase: 'sin-linea' }
  | { clase: 'sin-sesion'; mensaje: string }
  | { clase: 'falla'; mensaje: string }

export interface VistaDePluma {
  cola: Cola
  /** The documents as the form shows them. */
  valores: Readonly<Record<string, unknown>>
  fallas: readonly FallaDeCampo[]
  estado: Estado
  /** The own account. */
  yo: string
  /** Grows whenever the site has something new to show. */
  entrega: number
}

export interface Inicio {
  anio: number
  pantalla: string
  documentos: Record<string, DocumentoVisto>
  fallas: FallaDeCampo[]
  yo: string
}

export type Pluma = ReturnType<typeof createPluma>

/**
 * Writes the draft of one screen: keeps what is typed on the device until the site has it, sends it one request at a
 * time, and brings in what others change.
 */
export function createPluma({ anio, pantalla, documentos, fallas, yo }: Inicio) {
  const cola = nuevaCola(documentos)
  let vista: VistaDePluma = { cola, valores: mostrados(cola), fallas, estado: { clase: 'al-dia' }, yo, entrega: 0 }
  const listeners = new Set<() => void>()
  const prefix = `certamen.redaccion.${anio}.${pantalla}.`
  const key = prefix + Math.random().toString(36).slice(2)
  let timer: ReturnType<typeof setTimeout> | undefined
  let isSending = false

  function show(next: Partial<VistaDePluma>) {
    const isNew = next.cola !== undefined && next.cola !== vista.cola
    vista = { ...vista, ...next, ...(isNew ? { valores: mostrados(next.cola!) } : {}) }
    if (isNew) keep(key, vista.cola)
    for (const listen of listeners) listen()
  }

  function write(next: Cola) {
    if (next === vista.cola) return
    show({ cola: next })
    sendSoon(PAUSA_MS)
  }

  function sendSoon(ms: number) {
    clearTimeout(timer)
    timer = setTimeout(() => void send(), ms)
  }

  const versiones = () =>
    Object.entries(vista.cola.documentos)
      .map(([documento, { version }]) => `${documento}:${version}`)
      .join(',')

  async function send() {
    if (isSending || vista.cola.pendientes.length === 0) return
    isSending = true
    const going = enviando(vista.cola)
    const wasOut = vista.estado.clase !== 'al-dia' && vista.estado.clase !== 'guardando'
    show({ cola: going, ...(wasOut ? {} : { estado: { clase: 'guardando' } }) })
    const form = new FormData()
    form.set('pantalla', pantalla)
    form.set('v', versiones())
    form.set('retoques', JSON.stringify(going.pendientes.slice(0, going.enCamino)))
    const answer = await ask<RespuestaDeEnvio>('', { method: 'POST', body: form })
    isSending = false
    if (!answer.ok) {
      show({ cola: sinRespuesta(vista.cola), estado: estadoDe(answer) })
      return
    }
    const left = confirmada(vista.cola, answer)
    const isDone = left.pendientes.length === 0
    show({
      cola: left,
      fallas: answer.fallas,
      yo: answer.yo,
      entrega: vista.entrega + 1,
      estado: isDone ? { clase: 'al-dia', at: answer.ahora } : { clase: 'guardando' },
    })
    if (!isDone) sendSoon(PAUSA_MS)
  }

  async function look() {
    if (isSending || document.visibilityState === 'hidden') return
    isSending = true
    const answer = await ask<RespuestaDeVistazo>(`&v=${encodeURIComponent(versiones())}`)
    isSending = false
    if (!answer.ok) {
      show({ estado: estadoDe(answer) })
      return
    }
    const isNew = Object.keys(answer.documentos).length > 0
    const next = isNew ? recibidos(vista.cola, answer.documentos) : vista.cola
    const isBack = vista.estado.clase !== 'al-dia' && vista.estado.clase !== 'guardando'
    show({
      cola: next,
      fallas: answer.fallas,
      yo: answer.yo,
      entrega: vista.entrega + (isNew ? 1 : 0),
      ...(isBack ? { estado: { clase: next.pendientes.length > 0 ? 'guardando' : 'al-dia' } } : {}),
    })
    if (next.pendientes.length > 0) await send()
  }

  /** One question to the site; whatever goes wrong is an answer, too. */
  async function ask<Answer extends { ok: true }>(query: string, init?: RequestInit): Promise<Answer | Negada> {
    try {
      const response = await fetch(`/organizadores/sitio/borrador?pantalla=${pantalla}&anio=${anio}${query}`, {
        ...init,
        // What is under way when the page is left still arrives, as far as the browser lets it.
        keepalive: init !== undefined && String(init.body).length < 30_000 && document.visibilityState === 'hidden',
        signal: AbortSignal.timeout(20_000),
      })
      const isJson = response.headers.get('content-type')?.startsWith('application/json')
      if (isJson) return (await response.json()) as Answer | Negativa
      const words = response.status < 500 ? undefined : await response.text()
      return { ok: false, reason: 'falla', mensaje: words?.length && words.length < 300 ? words : ALGO_FALLO }
    } catch {
      return { ok: false, reason: 'linea', mensaje: '' }
    }
  }

  const listAt = (documento: string, campo: Camino): unknown[] => {
    const lista = valorEn(vista.valores[documento], campo)
    return Array.isArray(lista) ? lista : []
  }
  const inList = (documento: string, campo: Camino) => ({
    ...{ documento, campo, vistos: vistosHacia(vista.valores[documento], campo) },
    largo: listAt(documento, campo).length,
  })

  return {
    read: () => vista,
    subscribe(listen: () => void) {
      listeners.add(listen)
      return () => listeners.delete(listen)
    },

    poner: (documento: string, campo: Camino, ahora: unknown) =>
      write(conRetoque(vista.cola, ponerEn(vista.cola, documento, campo, ahora))),

    agregar: (documento: string, campo: Camino, en: number, ahora: unknown) =>
      write(conRetoque(vista.cola, { que: 'agregar', ...inList(documento, campo), en, ahora })),

    quitar: (documento: string, campo: Camino, en: number) =>
      write(
        conRetoque(vista.cola, {
          que: 'quitar',
          ...inList(documento, campo),
          en,
          antes: listAt(documento, campo)[en],
        }),
      ),

    mover(documento: string, campo: Camino, en: number, a: number) {
      const { largo: _, ...where } = inList(documento, campo)
      write(conRetoque(vista.cola, { que: 'mover', ...where, en, a, antes: listAt(documento, campo)[en] }))
    },

    resolver: (choque: Choque, cual: 'mio' | 'suyo') => write(resuelta(vista.cola, choque, cual)),

    /** Sends at once whatever waits: before the form is left, say. */
    guardar: () => sendSoon(0),

    /**
     * Takes over what this device kept, and begins to look for what others change.
     * @returns a function that ends it
     */
    start() {
      const kept = keptUnder(prefix, key)
      if (kept.length > 0) {
        write(kept.reduce((all, one) => conGuardada(all, one), vista.cola))
        // As soon as it is kept under the own key, the older ones go.
        for (const { key: old } of kept) forget(old)
      }
      const interval = setInterval(() => void look(), VISTAZO_MS)
      const soon = () => void (vista.cola.pendientes.length > 0 ? send() : look())
      const atOnce = () => document.visibilityState === 'hidden' && void send()
      window.addEventListener('online', soon)
      window.addEventListener('focus', soon)
      document.addEventListener('visibilitychange', atOnce)
      return () => {
        clearInterval(interval)
        clearTimeout(timer)
        window.removeEventListener('online', soon)
        window.removeEventListener('focus', soon)
        document.removeEventListener('visibilitychange', atOnce)
        void send()
      }
    },
  }
}

type Negada = Negativa | { ok: false; reason: 'linea' | 'falla'; mensaje: string }

const ALGO_FALLO = 'Algo falló de nuestro lado. Lo que escribiste sigue aquí, y se vuelve a intentar solo.'

function estadoDe({ reason, mensaje }: Negada): Estado {
  if (reason === 'linea') return { clase: 'sin-linea' }
  if (reason === 'sesion') return { clase: 'sin-sesion', mensaje }
  return { clase: 'falla', mensaje }
}

// In a browser that keeps nothing, only a page that is closed before its line is back loses anything.
function keep(key: string, { pendientes, choques }: Cola) {
  try {
    if (pendientes.length === 0 && choques.length === 0) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify({ pendientes, choques } satisfies Guardada))
  } catch {}
}

function keptUnder(prefix: string, own: string): (Guardada & { key: string })[] {
  try {
    const keys = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at)!)
    return keys
      .filter((key) => key.startsWith(prefix) && key !== own)
      .map((key) => ({ key, ...(JSON.parse(localStorage.getItem(key)!) as Guardada) }))
  } catch {
    return []
  }
}

function forget(key: string) {
  try {
    localStorage.removeItem(key)
  } catch {}
}
