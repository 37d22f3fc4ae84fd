import { type RefObject, useEffect, useRef } from 'react'
import { orWithout } from '#app/core/browser/storage-timeout.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import { discardDraft, saveDraft, tabName, takeDraft } from './draft-store.client.ts'
import type { Documents } from './initial-state.ts'

interface DraftToSave {
  entrega: string
  documentos: Documents
  enviado: boolean
  enCurso: boolean
}

/** Current values of a form's typed fields. */
export function valuesOf(forma: Forma, form: HTMLFormElement): Record<string, string> {
  const data = new FormData(form)
  return Object.fromEntries(forma.campos.map(({ nombre }) => [nombre, String(data.get(nombre) ?? '')]))
}

/** Saves a form's draft on this device; a blank form has no draft. */
export function writeDown(forma: Forma, form: HTMLFormElement, { entrega, documentos, enviado, enCurso }: DraftToSave) {
  const values = valuesOf(forma, form)
  const isChosen = (field: string) => form.elements.namedItem(field) instanceof HTMLSelectElement
  const isBlank = forma.campos.every(({ nombre }) => isChosen(nombre) || values[nombre] === '')
  if (isBlank && forma.clases.every((kind) => documentos[kind].length === 0)) {
    void discardDraft(entrega)
    return
  }
  void saveDraft({
    entrega,
    tipo: forma.tipo,
    pestana: tabName(),
    enviado,
    enviando: enCurso,
    guardado: Date.now(),
    valores: values,
    archivos: forma.clases.flatMap((kind) => documentos[kind].map(({ id, url }) => ({ id, clase: kind, url }))),
  })
}

interface Options {
  /** The form starts with files worth keeping. */
  begun: boolean
  /** Reports whether this tab holds the lock on a submission's draft, once that is known. */
  onTaken(submission: string, isMine: boolean): void
}

/** Saves the values and files of a form as a `Draft` on this device, from the first input to the end. */
export function useDraft(
  forma: Forma,
  form: RefObject<HTMLFormElement | null>,
  now: DraftToSave,
  { begun, onTaken }: Options,
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
    takeDraft(now.entrega, hold.signal).then((isMine) => {
      if (!hold.signal.aborted) onTaken(now.entrega, isMine)
    })
    return () => hold.abort()
  }, [now.entrega])

  useEffect(() => () => clearTimeout(writing.current), [])

  return {
    remember,
    /** Starts saving: the form now holds content worth keeping. */
    begin() {
      isKept.current = true
    },
    /** Saves once the typing pauses. */
    rememberSoon() {
      isKept.current = true
      clearTimeout(writing.current)
      writing.current = setTimeout(remember, 400)
    },
    /** Deletes the draft: the registration was received or given up. */
    end(): Promise<unknown> {
      isKept.current = false
      clearTimeout(writing.current)
      return orWithout(discardDraft(latest.current.entrega), undefined)
    },
  }
}
