import { createContext, type RefObject, use, useEffect, useState, useSyncExternalStore } from 'react'
import { createDraftClient, type DraftClient, type DraftClientInit, type DraftView } from './draft-client.ts'

/** State that all fields of a form share. */
export interface EditFormState {
  draftClient: DraftClient
  view: DraftView
  /** Remedies in Spanish by the key of the faulty field. */
  faults: ReadonlyMap<string, string>
  /** Key of the field that has the focus, or of the list item whose own buttons have it. */
  focusedKey: string | undefined
  /** Key of the field that shall come into view and take the focus; undefined after the attempt. */
  requestedKey: string | undefined
  /** Clears `requestedKey`; called after the attempt, also if the field could not take the focus. */
  onFocused(): void
  /** Candidates whom a field for a candidate offers. */
  candidates: readonly (readonly [id: string, name: string])[]
  /** Published ids, which must never change. */
  publishedIds: readonly string[]
  /** Ids of withdrawn candidates, which no other item gets. */
  withdrawnIds: readonly string[]
}

export const EditFormContext = createContext<EditFormState | null>(null)

export function useEditForm(): EditFormState {
  const editForm = use(EditFormContext)
  if (!editForm) throw new Error('useEditForm was called outside of EditFormContext')
  return editForm
}

/** Scrolls a field into view and focuses its input when the form's `requestedKey` names the field. */
export function useFocusOnRequest(fieldKey: string, field: RefObject<HTMLElement | null>): void {
  const { requestedKey, onFocused } = useEditForm()
  useEffect(() => {
    if (requestedKey !== fieldKey) return
    // The timer lets a newly opened screen take the focus first.
    const timer = setTimeout(() => {
      const element = field.current
      const invalidInput = element?.querySelector<HTMLElement>('[aria-invalid="true"]')
      // A file's chooser takes the focus only if the field has no other input.
      const input =
        invalidInput ??
        element?.querySelector<HTMLElement>('input:not([type="file"]), textarea, select, button') ??
        element?.querySelector('input')
      ;(invalidInput ?? element)?.scrollIntoView({ block: 'center' })
      input?.focus({ preventScroll: true })
      onFocused()
    })
    return () => clearTimeout(timer)
  }, [requestedKey, fieldKey, field, onFocused])
}

/** Creates a screen's draft client once, and keeps it polling while the page is open. */
export function useDraft(init: DraftClientInit): { draftClient: DraftClient; view: DraftView } {
  const [draftClient] = useState(() => createDraftClient(init))
  useEffect(() => draftClient.start(), [draftClient])
  return { draftClient, view: useSyncExternalStore(draftClient.subscribe, draftClient.readView, draftClient.readView) }
}
