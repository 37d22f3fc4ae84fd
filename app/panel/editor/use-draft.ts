import { createContext, type RefObject, use, useEffect, useState, useSyncExternalStore } from 'react'
import { createDraftClient, type DraftClient, type DraftView, type Start } from './draft-client.ts'

/** What every field of a form works with. */
export interface EditFormState {
  pluma: DraftClient
  vista: DraftView
  /** What is wrong, by the key of the field. */
  fallas: ReadonlyMap<string, string>
  /** Key of the field that has the focus. */
  enFoco: string | undefined
  /** Key of the field that is to be shown and to take the focus; undefined once it has. */
  irA: string | undefined
  /** It has. */
  onLlegada(): void
  /** Candidates by id, for fields that name one. */
  personas: readonly (readonly [id: string, nombre: string])[]
  /** Ids that stand in what is published: they never change. */
  publicados: readonly string[]
}

export const EditFormContext = createContext<EditFormState | null>(null)

export function useEditForm(): EditFormState {
  const editForm = use(EditFormContext)
  if (!editForm) throw new Error('A field stands outside of its form')
  return editForm
}

/** Takes the focus once the form is led to this field. */
export function useFocusOnArrival(password: string, place: RefObject<HTMLElement | null>): void {
  const { irA, onLlegada } = useEditForm()
  useEffect(() => {
    if (irA !== password) return
    // A new screen takes the focus to itself first.
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
