import { type RefObject, useEffect, useRef } from 'react'
import { withStorageTimeout } from '#app/core/browser-resilience/storage-timeout.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { discardDraft, lockDraft, saveDraft, tabName } from './draft-store.client.ts'
import type { ChosenDocuments } from './initial-state.ts'

interface DraftToSave {
  submissionId: string
  documents: ChosenDocuments
  wasSent: boolean
  isSending: boolean
}

/** Reads the current values of a form's fields; an unticked box is ''. */
export function readFormValues(descriptor: FormDescriptor, form: HTMLFormElement): Record<string, string> {
  const formData = new FormData(form)
  return Object.fromEntries(descriptor.fields.map(({ name }) => [name, String(formData.get(name) ?? '')]))
}

/** Saves a form's draft on this device; the draft of a form that became blank is deleted. */
export function storeDraft(
  descriptor: FormDescriptor,
  form: HTMLFormElement,
  { submissionId, documents, wasSent, isSending }: DraftToSave,
) {
  const values = readFormValues(descriptor, form)
  // A select always has a value.
  const isSelect = (field: string) => form.elements.namedItem(field) instanceof HTMLSelectElement
  const isBlank = descriptor.fields.every(({ name }) => isSelect(name) || values[name] === '')
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

const TYPING_PAUSE_MS = 400

interface Options {
  /** Whether the form starts with files, so that its draft is saved from the start. */
  hasFiles: boolean
  /** Called with each submission id as soon as it is known whether this tab holds the lock on its draft. */
  onLockKnown(submissionId: string, hasLock: boolean): void
}

/**
 * Saves a form as a `RegistrationDraft` on this device until `end`: from the start with `hasFiles`, else from `begin` or
 * `saveSoon`. The caller saves the files.
 */
export function useDraft(
  descriptor: FormDescriptor,
  form: RefObject<HTMLFormElement | null>,
  draft: DraftToSave,
  { hasFiles, onLockKnown }: Options,
) {
  const saveTimer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isSaving = useRef(hasFiles)
  const latestDraft = useRef(draft)
  latestDraft.current = draft

  function save() {
    if (!isSaving.current || !form.current) return
    clearTimeout(saveTimer.current)
    storeDraft(descriptor, form.current, latestDraft.current)
  }
  useEffect(save, [draft.submissionId, draft.documents, draft.wasSent, draft.isSending])

  useEffect(() => {
    const lockAbort = new AbortController()
    lockDraft(draft.submissionId, lockAbort.signal).then((hasLock) => {
      if (!lockAbort.signal.aborted) onLockKnown(draft.submissionId, hasLock)
    })
    return () => lockAbort.abort()
  }, [draft.submissionId])

  useEffect(() => () => clearTimeout(saveTimer.current), [])

  return {
    save,
    /** Starts saving, with the draft's next change. */
    begin() {
      isSaving.current = true
    },
    /** Starts saving, and saves once the typing pauses. */
    saveSoon() {
      isSaving.current = true
      clearTimeout(saveTimer.current)
      saveTimer.current = setTimeout(save, TYPING_PAUSE_MS)
    },
    /** Stops saving, and deletes the draft. */
    end(): Promise<unknown> {
      isSaving.current = false
      clearTimeout(saveTimer.current)
      return withStorageTimeout(discardDraft(latestDraft.current.submissionId), undefined)
    },
  }
}
