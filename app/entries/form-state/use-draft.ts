import { type RefObject, useEffect, useRef } from 'react'
import { orWithout } from '#app/core/browser-resilience/storage-timeout.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { discardDraft, saveDraft, tabName, takeDraft } from './draft-store.client.ts'
import type { Documents } from './initial-state.ts'

interface DraftToSave {
  submissionId: string
  documents: Documents
  wasSent: boolean
  isSending: boolean
}

/** Current values of a form's typed fields. */
export function valuesOf(descriptor: FormDescriptor, form: HTMLFormElement): Record<string, string> {
  const data = new FormData(form)
  return Object.fromEntries(descriptor.fields.map(({ name }) => [name, String(data.get(name) ?? '')]))
}

/** Saves a form's draft on this device; a blank form has no draft. */
export function writeDown(
  descriptor: FormDescriptor,
  form: HTMLFormElement,
  { submissionId, documents, wasSent, isSending }: DraftToSave,
) {
  const values = valuesOf(descriptor, form)
  const isChosen = (field: string) => form.elements.namedItem(field) instanceof HTMLSelectElement
  const isBlank = descriptor.fields.every(({ name }) => isChosen(name) || values[name] === '')
  if (isBlank && descriptor.kinds.every((kind) => documents[kind].length === 0)) {
    void discardDraft(submissionId)
    return
  }
  void saveDraft({
    entrega: submissionId,
    tipo: descriptor.type,
    pestana: tabName(),
    enviado: wasSent,
    enviando: isSending,
    guardado: Date.now(),
    valores: values,
    archivos: descriptor.kinds.flatMap((kind) => documents[kind].map(({ id, url }) => ({ id, clase: kind, url }))),
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
  descriptor: FormDescriptor,
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
    writeDown(descriptor, form.current, latest.current)
  }
  useEffect(remember, [now.submissionId, now.documents, now.wasSent, now.isSending])

  useEffect(() => {
    const hold = new AbortController()
    takeDraft(now.submissionId, hold.signal).then((isMine) => {
      if (!hold.signal.aborted) onTaken(now.submissionId, isMine)
    })
    return () => hold.abort()
  }, [now.submissionId])

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
      return orWithout(discardDraft(latest.current.submissionId), undefined)
    },
  }
}
