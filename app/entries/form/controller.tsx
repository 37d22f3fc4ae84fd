import { memo, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { refuseFile } from '#app/entries/document-viewing/file-rules.ts'
import { saveFile } from '#app/entries/form-state/draft-store.client.ts'
import {
  type EarlyInput,
  emptyEarlyInput,
  type FileChoice,
  type FormStart,
  startFrom,
} from '#app/entries/form-state/initial-state.ts'
import { filesOf, reduce } from '#app/entries/form-state/reducer.ts'
import { storeDraft } from '#app/entries/form-state/use-draft.ts'
import { type FormRefs, type Listeners, toChosenFile, useRegistration } from './use-registration.ts'

/** RegistrationControls are the state of a form for display, and the commands that change it. */
export type RegistrationControls = ReturnType<typeof useRegistration>

interface Props extends Listeners {
  descriptor: FormDescriptor
  start: FormStart
  refs: FormRefs
  earlyInput: RefObject<EarlyInput>
  /** Receives the controls after every render, before the browser paints, so that the form never shows an older state. */
  onRender(controls: RegistrationControls): void
}

/**
 * Controls a form that is on the page already, and renders nothing, since the fields must stay the same elements while the
 * entrant types in them. First it applies the interactions from before it was loaded.
 */
export const RegistrationController = memo(
  function RegistrationController({ descriptor, start, refs, earlyInput, onRender, ...listeners }: Props) {
    const controls = useRegistration(descriptor, start, refs, listeners)
    useLayoutEffect(() => onRender(controls))

    const [choices] = useState(() => selectChoices(descriptor, earlyInput.current.choices))
    const [appliedCount, setAppliedCount] = useState(0)
    const hasRefused = useRef(false)
    // Each choice applies to the state that the previous choice left, so one is applied per render.
    useEffect(() => {
      const next = choices[appliedCount]
      if (next) {
        const { kind, files } = next
        if (!controls.choose(kind, files)) {
          hasRefused.current = true
          if (controls.documents[kind].length === 0)
            (refs.form.current?.elements.namedItem(kind) as HTMLInputElement).value = ''
        }
        return setAppliedCount(appliedCount + 1)
      }
      const { fieldNames, isSubmitted } = earlyInput.current
      earlyInput.current = emptyEarlyInput()
      new Set([...fieldNames, ...listChangedFields(descriptor, refs.form.current!)]).forEach(controls.corrected)
      // After a refused choice the form is not sent, since the message of the sending would replace the refusal.
      if (isSubmitted && !hasRefused.current) void controls.send()
    }, [appliedCount])
    return null
  },
  // The handlers of the first render are kept for the form's whole life; later props are ignored.
  () => true,
)

/** Lists fields that differ from the served form, since the entrant typed before any script ran or the browser filled them in. */
const listChangedFields = ({ fields }: FormDescriptor, { elements }: HTMLFormElement): string[] =>
  fields
    .map(({ name }) => name)
    .filter((name) => {
      const control = elements.namedItem(name)
      if (control instanceof HTMLInputElement && control.type === 'checkbox')
        return control.checked !== control.defaultChecked
      if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement)
        return control.value !== control.defaultValue
      return (
        control instanceof HTMLSelectElement && [...control.options].some((one) => one.selected !== one.defaultSelected)
      )
    })

/** Saves on this device the content of a form that was left before its controller was loaded, so that it can be resumed. */
export function saveAbandonedForm(
  descriptor: FormDescriptor,
  start: FormStart,
  form: HTMLFormElement,
  { choices }: EarlyInput,
): void {
  const { submissionId, documents } = selectChoices(descriptor, choices)
    .filter((choice) => !isRefused(descriptor, choice))
    .reduce(
      (state, { kind, files }) => reduce(state, { type: 'choose', kind, files: files.map(toChosenFile) }),
      startFrom(start),
    )
  for (const { id, file } of filesOf(descriptor, documents)) void saveFile(submissionId, id, file)
  storeDraft(descriptor, form, { submissionId, documents, wasSent: false, isSending: false })
}

const isRefused = ({ refusesAtOnce }: FormDescriptor, { kind, files }: FileChoice) =>
  refusesAtOnce && files.some((file) => refuseFile(kind, file) !== undefined)

/**
 * Picks the choices that count, refused ones last, so that their message stays. Of a document with one file only the last
 * accepted choice counts; a refused choice counts unless an accepted choice follows.
 */
function selectChoices(descriptor: FormDescriptor, choices: readonly FileChoice[]): FileChoice[] {
  const isReplaced = ({ kind }: FileChoice, index: number) =>
    kindOf(kind).fileCount === 1 &&
    choices.slice(index + 1).some((one) => one.kind === kind && !isRefused(descriptor, one))
  return choices
    .filter((one, index) => !isReplaced(one, index))
    .toSorted((a, b) => Number(isRefused(descriptor, a)) - Number(isRefused(descriptor, b)))
}
