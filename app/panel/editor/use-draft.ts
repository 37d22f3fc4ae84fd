import { createContext, type RefObject, use, useEffect, useState, useSyncExternalStore } from 'react'
import { createDraftClient, type DraftClient, type DraftView, type Start } from './draft-client.ts'

/** Shared state of a form's fields. */
export interface EditFormState {
  draftClient: DraftClient
  view: DraftView
  /** Remedies of faulty fields, by field key. */
  faults: ReadonlyMap<string, string>
  /** Key of the field that has the focus. */
  focusedKey: string | undefined
  /** Key of the field that is to be shown and to take the focus; undefined once it has. */
  requestedKey: string | undefined
  /** Called once the field has the focus. */
  onArrival(): void
  /** Candidates, for fields that name a candidate. */
  candidates: readonly (readonly [id: string, nombre: string])[]
  /** Published ids, which never change. */
  publishedIds: readonly string[]
}

export const EditFormContext = createContext<EditFormState | null>(null)

export function useEditForm(): EditFormState {
  const editForm = use(EditFormContext)
  if (!editForm) throw new Error('A field stands outside of its form')
  return editForm
}

/** Focuses the field when the form is asked to show it. */
export function useFocusOnArrival(fieldKey: string, place: RefObject<HTMLElement | null>): void {
  const { requestedKey, onArrival } = useEditForm()
  useEffect(() => {
    if (requestedKey !== fieldKey) return
    // Deferred, because a new screen takes the focus first.
    const timer = setTimeout(() => {
      const element = place.current
      element?.scrollIntoView({ block: 'center' })
      const input = element?.querySelector<HTMLElement>('input:not([type="file"]), textarea, select, button')
      input?.focus({ preventScroll: true })
      onArrival()
    })
    return () => clearTimeout(timer)
  }, [requestedKey, fieldKey, place, onArrival])
}

/** The draft of a screen, written while the page is open. */
export function useDraft(start: Start): { draftClient: DraftClient; view: DraftView } {
  const [draftClient] = useState(() => createDraftClient(start))
  useEffect(() => draftClient.start(), [draftClient])
  return { draftClient, view: useSyncExternalStore(draftClient.subscribe, draftClient.read, draftClient.read) }
}
