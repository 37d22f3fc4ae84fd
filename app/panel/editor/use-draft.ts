import { createContext, type RefObject, use, useEffect, useState, useSyncExternalStore } from 'react'
import { createDraftClient, type DraftClient, type DraftStart, type DraftView } from './draft-client.ts'

/** The fields of a form share this state. */
export interface EditFormState {
  draftClient: DraftClient
  view: DraftView
  /** Each faulty field's key has the remedy in words. */
  faults: ReadonlyMap<string, string>
  /** The field with this key has the focus. */
  focusedKey: string | undefined
  /** The field with this key must come into view and take the focus; undefined once that is done. */
  requestedKey: string | undefined
  /** Runs once the requested field has the focus, and clears `requestedKey`. */
  onArrival(): void
  /** Fields that name a candidate offer these. */
  candidates: readonly (readonly [id: string, name: string])[]
  /** These ids are published and must never change. */
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
    // The timer lets a new screen take the focus first.
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

/** Creates a screen's draft client once, and keeps it polling while the page is open. */
export function useDraft(start: DraftStart): { draftClient: DraftClient; view: DraftView } {
  const [draftClient] = useState(() => createDraftClient(start))
  useEffect(() => draftClient.start(), [draftClient])
  return { draftClient, view: useSyncExternalStore(draftClient.subscribe, draftClient.read, draftClient.read) }
}
