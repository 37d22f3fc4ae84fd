import { createContext, type RefObject, use, useEffect, useState, useSyncExternalStore } from 'react'
import { createDraftClient, type DraftClient, type DraftView, type Start } from './draft-client.ts'

/** Shared state of a form's fields. */
export interface EditFormState {
  pluma: DraftClient
  vista: DraftView
  /** Remedies of faulty fields, by field key. */
  fallas: ReadonlyMap<string, string>
  /** Key of the field that has the focus. */
  enFoco: string | undefined
  /** Key of the field that is to be shown and to take the focus; undefined once it has. */
  irA: string | undefined
  /** Called once the field has the focus. */
  onLlegada(): void
  /** Candidates, for fields that name a candidate. */
  personas: readonly (readonly [id: string, nombre: string])[]
  /** Published ids, which never change. */
  publicados: readonly string[]
}

export const EditFormContext = createContext<EditFormState | null>(null)

export function useEditForm(): EditFormState {
  const editForm = use(EditFormContext)
  if (!editForm) throw new Error('A field stands outside of its form')
  return editForm
}

/** Focuses the field when the form is asked to show it. */
export function useFocusOnArrival(password: string, place: RefObject<HTMLElement | null>): void {
  const { irA, onLlegada } = useEditForm()
  useEffect(() => {
    if (irA !== password) return
    // Deferred, because a new screen takes the focus first.
    const timer = setTimeout(() => {
      const element = place.current
      element?.scrollIntoView({ block: 'center' })
      const input = element?.querySelector<HTMLElement>('input:not([type="file"]), textarea, select, button')
      input?.focus({ preventScroll: true })
      onLlegada()
    })
    return () => clearTimeout(timer)
  }, [irA, password, place, onLlegada])
}

/** The draft of a screen, written while the page is open. */
export function useDraft(home: Start): { pluma: DraftClient; vista: DraftView } {
  const [pluma] = useState(() => createDraftClient(home))
  useEffect(() => pluma.start(), [pluma])
  return { pluma, vista: useSyncExternalStore(pluma.subscribe, pluma.read, pluma.read) }
}
