import { type RefObject, useEffect, useRef } from 'react'
import { orWithout } from '#app/core/browser/storage-timeout.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import { discardBorrador, saveBorrador, tabName, takeBorrador } from './draft-store.client.ts'
import type { Documentos } from './initial-state.ts'

interface PorGuardar {
  entrega: string
  documentos: Documentos
  enviado: boolean
  enCurso: boolean
}

/** What stands in the typed fields of a form. */
export function valoresOf(forma: Forma, form: HTMLFormElement): Record<string, string> {
  const data = new FormData(form)
  return Object.fromEntries(forma.campos.map(({ nombre }) => [nombre, String(data.get(nombre) ?? '')]))
}

/** Writes down on this device what a form holds; of one that holds nothing there is no draft. */
export function writeDown(forma: Forma, form: HTMLFormElement, { entrega, documentos, enviado, enCurso }: PorGuardar) {
  const valores = valoresOf(forma, form)
  const isChosen = (campo: string) => form.elements.namedItem(campo) instanceof HTMLSelectElement
  const isBlank = forma.campos.every(({ nombre }) => isChosen(nombre) || valores[nombre] === '')
  if (isBlank && forma.clases.every((clase) => documentos[clase].length === 0)) {
    void discardBorrador(entrega)
    return
  }
  void saveBorrador({
    entrega,
    tipo: forma.tipo,
    pestana: tabName(),
    enviado,
    enviando: enCurso,
    guardado: Date.now(),
    valores,
    archivos: forma.clases.flatMap((clase) => documentos[clase].map(({ id, url }) => ({ id, clase, url }))),
  })
}

interface Opciones {
  /** There is something to keep from the beginning. */
  begun: boolean
  /** Whether this tab has the draft of an entrega to itself, once that is known. */
  onTaken(entrega: string, isMine: boolean): void
}

/** Writes what is typed and chosen in a form down on this device (see Borrador), from the first of it to the end. */
export function useBorrador(
  forma: Forma,
  form: RefObject<HTMLFormElement | null>,
  now: PorGuardar,
  { begun, onTaken }: Opciones,
) {
  const writing = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isKept = useRef(begun)
  const latest = useRef(now)
  latest.current = now

  function remember() {
    if (!isKept.current || !form.current) return
    clearTimeout(writing.current)
    writeDown(forma, form.current, latest.current)
  }
  useEffect(remember, [now.entrega, now.documentos, now.enviado, now.enCurso])

  useEffect(() => {
    const hold = new AbortController()
    takeBorrador(now.entrega, hold.signal).then((isMine) => {
      if (!hold.signal.aborted) onTaken(now.entrega, isMine)
    })
    return () => hold.abort()
  }, [now.entrega])

  useEffect(() => () => clearTimeout(writing.current), [])

  return {
    remember,
    /** Something of value is there from now on. */
    begin() {
      isKept.current = true
    },
    /** Once the typing pauses. */
    rememberSoon() {
      isKept.current = true
      clearTimeout(writing.current)
      writing.current = setTimeout(remember, 400)
    },
    /** It is in, or given up. */
    end(): Promise<unknown> {
      isKept.current = false
      clearTimeout(writing.current)
      return orWithout(discardBorrador(latest.current.entrega), undefined)
    },
  }
}
