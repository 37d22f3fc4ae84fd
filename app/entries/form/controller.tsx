import { memo, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { refuseFile } from '#app/entries/document-viewing/file-rules.ts'
import { saveFile } from '#app/entries/form-state/draft-store.client.ts'
import {
  type EarlyInput,
  type FileChoice,
  type FormStart,
  nothingBefore,
  startFrom,
} from '#app/entries/form-state/initial-state.ts'
import { filesOf, reduce } from '#app/entries/form-state/reducer.ts'
import { writeDown } from '#app/entries/form-state/use-draft.ts'
import { type FormRefs, type Listeners, toChosenFile, useRegistration } from './use-registration.ts'

/** A form with its controller: its state for display, and its commands. */
export type RunningForm = ReturnType<typeof useRegistration>

interface Props extends Listeners {
  descriptor: FormDescriptor
  start: FormStart
  refs: FormRefs
  earlyInput: RefObject<EarlyInput>
  /** Called in a layout effect, before the browser paints. */
  onChange(running: RunningForm): void
}

/**
 * Controls a form that is on the page already, and renders nothing: it is loaded after the form, whose fields must stay the same
 * elements while the entrant types in them. It takes over the interactions so far.
 */
export const Controller = memo(
  function Controller({ descriptor, start, refs, earlyInput, onChange, ...on }: Props) {
    const running = useRegistration(descriptor, start, refs, on)
    useLayoutEffect(() => onChange(running))

    const [choices] = useState(() => takenUp(descriptor, earlyInput.current.choices))
    const [taken, setTaken] = useState(0)
    const hasRefused = useRef(false)
    // One choice at a time, since each applies to the state that the previous one left.
    useEffect(() => {
      const next = choices[taken]
      if (next) {
        const { kind, files } = next
        if (!running.choose(kind, files)) {
          hasRefused.current = true
          if (running.documents[kind].length === 0)
            (refs.form.current?.elements.namedItem(kind) as HTMLInputElement).value = ''
        }
        return setTaken(taken + 1)
      }
      const { fieldNames, isSubmitted } = earlyInput.current
      earlyInput.current = nothingBefore()
      new Set([...fieldNames, ...changedIn(descriptor, refs.form.current!)]).forEach(running.corrected)
      // A refused choice is reported instead of sending, whose message would replace the refusal.
      if (isSubmitted && !hasRefused.current) void running.send()
    }, [taken])
    return null
  },
  // The props stay the same for the form's whole life.
  () => true,
)

/** Names of fields that differ from the served form: typed in before any script ran, or filled in by the browser. */
const changedIn = ({ fields }: FormDescriptor, { elements }: HTMLFormElement): string[] =>
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
export function keepLeft(
  descriptor: FormDescriptor,
  start: FormStart,
  form: HTMLFormElement,
  { choices }: EarlyInput,
): void {
  const { submissionId, documents } = takenUp(descriptor, choices)
    .filter((election) => !isRefused(descriptor, election))
    .reduce(
      (state, { kind, files }) => reduce(state, { type: 'elige', kind, files: files.map(toChosenFile) }),
      startFrom(start),
    )
  for (const { id, file } of filesOf(descriptor, documents)) void saveFile(submissionId, id, file)
  writeDown(descriptor, form, { submissionId, documents, wasSent: false, isSending: false })
}

const isRefused = ({ refusesAtOnce }: FormDescriptor, { kind, files }: FileChoice) =>
  refusesAtOnce && files.some((file) => refuseFile(kind, file) !== undefined)

/**
 * The choices that count, refused ones last. For a document with one file only the last accepted choice counts; a refused choice
 * changes nothing, and is reported until the next choice.
 */
function takenUp(descriptor: FormDescriptor, choices: readonly FileChoice[]): FileChoice[] {
  const isReplaced = ({ kind }: FileChoice, at: number) =>
    kindOf(kind).fileCount === 1 &&
    choices.slice(at + 1).some((one) => one.kind === kind && !isRefused(descriptor, one))
  return choices
    .filter((one, at) => !isReplaced(one, at))
    .toSorted((a, b) => Number(isRefused(descriptor, a)) - Number(isRefused(descriptor, b)))
}
