import { memo, type RefObject, useEffect, useLayoutEffect, useReducer, useRef, useState } from 'react'
import { newUuid } from '#app/core/text/uuid.ts'
import { dropUpload } from '#app/core/uploads/drop-upload.client.ts'
import { WAIT_MESSAGES } from '#app/core/uploads/retry-wait.ts'
import { contentProblems } from '#app/entries/chosen-files/content-check.ts'
import { type DocumentKind, kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { fileError, inOrder, refuseFile } from '#app/entries/document-viewing/file-rules.ts'
import { discardDraft, discardFile, saveFile } from '#app/entries/form-state/draft-store.client.ts'
import {
  type ChosenFile,
  type EarlyInput,
  emptyEarlyInput,
  type FileChoice,
  type FormStart,
  startFrom,
} from '#app/entries/form-state/initial-state.ts'
import {
  countFiles,
  filesOf,
  listDiscarded,
  listReplaced,
  progressOf,
  reduce,
} from '#app/entries/form-state/reducer.ts'
import { storeDraft, useDraft, valuesOf } from '#app/entries/form-state/use-draft.ts'
import { checkForm, type FieldError } from '#app/entries/rules.ts'
import type { RegistrationResult } from '#app/entries/submission/schema.ts'
import type { Sending, SendOutcome } from '#app/entries/submission/send.client.ts'
import { preloadUploader, useSending } from '#app/entries/submission/use-sending.ts'

// The other tools of a touched form come in the same file.
export { PhotoPreview } from '#app/entries/chosen-files/photo-preview.tsx'
export { MisnamedFiles, Rename } from '#app/entries/chosen-files/rename.tsx'
export { ChosenFiles, LegibilityDoubts, Notes, SwapSides } from '#app/entries/chosen-files/row-contents.tsx'
export { choosingFile } from '#app/entries/form-state/draft-store.client.ts'
export { ResumeDraft, ResumedDraft } from '#app/entries/form-state/resume-draft.tsx'
export { KeepFolio } from '#app/entries/tracking/keep-folio.tsx'
export { Progress, percent } from '#app/ui/forms/progress.tsx'
export { SendingProgress } from '#app/ui/forms/sending-progress.tsx'

const OTHER_TAB = 'Este registro está abierto en otra pestaña. Continúa en ella, o ciérrala y recarga esta página.'

/** The controller reads the form, and focuses its submit button. */
interface FormRefs {
  form: RefObject<HTMLFormElement | null>
  submit: RefObject<HTMLButtonElement | null>
}

export interface Listeners {
  /** Hears that the registration was received; the caller must show a blank form. */
  onSuccess(folio: string): void
  /** Hears that files were chosen and accepted. */
  onBegin(): void
  /** Hears that the draft was given up; the caller must show a blank form. */
  onDrop(): void
}

/** A RunningForm is a form with its controller: the state for display, and the commands. */
export type RunningForm = ReturnType<typeof useRegistration>

interface Props extends Listeners {
  descriptor: FormDescriptor
  start: FormStart
  refs: FormRefs
  earlyInput: RefObject<EarlyInput>
  /** Hears of the state in a layout effect after every render of the controller, before the browser paints. */
  onChange(running: RunningForm): void
}

/**
 * Controls a form that is on the page already, and renders nothing, since the fields must stay the same elements while the
 * entrant types in them. First it applies the interactions from before it was loaded.
 */
export const Controller = memo(
  function Controller({ descriptor, start, refs, earlyInput, onChange, ...on }: Props) {
    const running = useRegistration(descriptor, start, refs, on)
    useLayoutEffect(() => onChange(running))

    const [choices] = useState(() => selectChoices(descriptor, earlyInput.current.choices))
    const [appliedCount, setAppliedCount] = useState(0)
    const hasRefused = useRef(false)
    // Each choice applies to the state that the previous choice left, so one is applied per render.
    useEffect(() => {
      const next = choices[appliedCount]
      if (next) {
        const { kind, files } = next
        if (!running.choose(kind, files)) {
          hasRefused.current = true
          if (running.documents[kind].length === 0)
            (refs.form.current?.elements.namedItem(kind) as HTMLInputElement).value = ''
        }
        return setAppliedCount(appliedCount + 1)
      }
      const { fieldNames, isSubmitted } = earlyInput.current
      earlyInput.current = emptyEarlyInput()
      new Set([...fieldNames, ...listChangedFields(descriptor, refs.form.current!)]).forEach(running.corrected)
      // After a refused choice the form is not sent, since the message of the sending would replace the refusal.
      if (isSubmitted && !hasRefused.current) void running.send()
    }, [appliedCount])
    return null
  },
  // The props stay the same for the form's whole life.
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
export function keepLeft(
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
  const isReplaced = ({ kind }: FileChoice, at: number) =>
    kindOf(kind).fileCount === 1 &&
    choices.slice(at + 1).some((one) => one.kind === kind && !isRefused(descriptor, one))
  return choices
    .filter((one, at) => !isReplaced(one, at))
    .toSorted((a, b) => Number(isRefused(descriptor, a)) - Number(isRefused(descriptor, b)))
}

/** Controls a registration's form: its state (`reduce`), its draft and its sending. */
function useRegistration(
  descriptor: FormDescriptor,
  start: FormStart,
  { form, submit }: FormRefs,
  { onSuccess, onBegin, onDrop }: Listeners,
) {
  const [state, dispatch] = useReducer(reduce, start, startFrom)
  const { submissionId, documents } = state
  const latest = useRef(state)
  latest.current = state
  const { isSending, waiting, bytes, ...sending } = useSending()

  const readValues = () => valuesOf(descriptor, form.current!)

  const draft = useDraft(
    descriptor,
    form,
    { submissionId, documents, wasSent: state.wasSent, isSending },
    {
      begun: descriptor.kinds.some((kind) => start.documents[kind].length > 0),
      onTaken(taken, isMine) {
        if (!start.resumesSending || taken !== start.submissionId) return
        if (!isMine) return dispatch({ type: 'say', message: OTHER_TAB })
        submit.current?.focus()
        void send()
      },
    },
  )

  function choose(kind: DocumentKind, chosen: File[]): boolean {
    const [refusal] = inOrder(chosen.flatMap((file) => refuseFile(kind, file) ?? []))
    if (refusal && descriptor.refusesAtOnce) {
      const toRename = refusal.reason === 'nombreArchivo' ? { filesToRename: chosen } : {}
      dispatch({ type: 'refuse', kind, message: refusal.message, ...toRename })
      return false
    }
    const files = chosen.map(toChosenFile)
    const before = documents[kind]
    const replaced = listReplaced(kind, before, files.length)
    dispatch({ type: 'choose', kind, files })
    draft.begin()
    onBegin()
    preloadUploader()
    for (const { id, file } of files) void saveFile(submissionId, id, file)
    if (descriptor.refusesAtOnce)
      void checkShownContent(kind, replaced === before ? files : [...before, ...files], replaced)
    else {
      replaced.forEach(discardChosenFile)
      void reportBadContent(kind, files)
    }
    return true
  }

  /** Reports a fault for which sending will be refused; the choice stays. */
  async function reportBadContent(kind: DocumentKind, files: readonly ChosenFile[]) {
    const [problem] = inOrder(await contentProblems(kind, files))
    if (problem) dispatch({ type: 'warn', problem, files })
  }

  /**
   * Checks the content of a choice that is shown already, since a phone may have to fetch the file first. Replaced files are
   * discarded only if the new content is good; otherwise they come back.
   */
  async function checkShownContent(kind: DocumentKind, files: readonly ChosenFile[], replaced: readonly ChosenFile[]) {
    const [problem] = await contentProblems(kind, files)
    if (!problem) return replaced.forEach(discardChosenFile)
    dispatch({ type: 'restore', problem, replaced })
    listDiscarded(problem, files, replaced).forEach(discardChosenFile)
  }

  function remove(kind: DocumentKind, id: string) {
    documents[kind].filter((one) => one.id === id).forEach(discardChosenFile)
    dispatch({ type: 'remove', kind, id })
  }

  /** Deletes a file of the draft on this device and its upload on the server. */
  function discardChosenFile({ id, url }: ChosenFile) {
    void discardFile(submissionId, id)
    dropUpload(submissionId, url)
  }

  function corrected(field: string) {
    dispatch({ type: 'correct', field })
    draft.rememberSoon()
  }

  const send = () =>
    sending.send(async (deliver) => {
      const ready = await prepare()
      if (!ready) return
      await settleSending(
        await deliver<RegistrationResult>(ready, (id, url) => dispatch({ type: 'setUploadUrl', id, url })),
      )
    })

  /** Checks the form before sending. @returns undefined for a form that would be refused; the form shows the reason */
  async function prepare(): Promise<Sending | undefined> {
    if (!form.current) return undefined
    const { documents, submissionId } = latest.current
    const found = descriptor.refusesAtOnce
      ? []
      : await Promise.all(descriptor.kinds.map((kind) => contentProblems(kind, documents[kind])))
    if (!form.current) return undefined
    const problems = inOrder(found.flat())
    const errors = problems.map(fileError)
    const validation = checkForm(descriptor, readValues(), countFiles(descriptor, documents, start.received))
    if (!validation.ok) {
      const fields = [...validation.campos.map(explainUnreadable(descriptor, form.current)), ...errors]
      dispatch({ type: 'failCheck', message: validation.message, errors: fields })
      return undefined
    }
    if (problems[0]) {
      dispatch({ type: 'failCheck', message: problems[0].message, errors })
      return undefined
    }
    dispatch({ type: 'startSending' })
    return {
      destination: `${descriptor.path}/envio`,
      submissionId,
      files: filesOf(descriptor, documents),
      readValues,
    }
  }

  async function settleSending(outcome: SendOutcome<RegistrationResult>) {
    if (outcome.status === 'stopped') return
    if (outcome.status === 'noUploader') {
      // The server's page will carry the values, so the draft ends.
      await draft.end()
      form.current?.submit()
    } else if (outcome.status === 'refused') {
      const { fileId, reason, message } = outcome
      dispatch({ type: 'failSending', fileId, reason, message })
    } else if (outcome.result.ok) {
      await draft.end()
      onSuccess(outcome.result.folio)
    } else {
      if (outcome.result.entrega !== latest.current.submissionId) moveFiles(outcome.result.entrega)
      dispatch({ type: 'deny', result: outcome.result })
    }
  }

  /** Saves the draft's files under the next submission, since the server has closed this one. */
  function moveFiles(next: string) {
    const { submissionId, documents } = latest.current
    void discardDraft(submissionId)
    for (const { id, file } of filesOf(descriptor, documents)) void saveFile(next, id, file)
  }

  function drop() {
    sending.stop()
    filesOf(descriptor, latest.current.documents).forEach(discardChosenFile)
    void draft.end()
    onDrop()
  }

  return {
    submissionId,
    documents,
    feedback: state.feedback,
    errors: state.errors,
    refusalCount: state.refusalCount,
    isSending,
    /** The text says why sending waits; undefined while it moves. */
    delayText: waiting && WAIT_MESSAGES[waiting],
    progressOf: (chosenFiles: readonly ChosenFile[]) => progressOf(chosenFiles, bytes),
    choose,
    remove,
    swap: (kind: DocumentKind) => dispatch({ type: 'swap', kind }),
    corrected,
    remember: draft.remember,
    send,
    drop,
    stop() {
      sending.stop()
      // The stop button disappears, so the submit button takes the focus.
      submit.current?.focus()
    },
  }
}

/** A newly chosen file, without an upload. */
const toChosenFile = (file: File): ChosenFile => ({ id: newUuid(), file, url: undefined })

/** A number input's value is empty when its text is no number; the error then says «unreadable» instead of «missing». */
const explainUnreadable =
  ({ fields }: FormDescriptor, form: HTMLFormElement) =>
  (error: FieldError): FieldError => {
    const control = form.elements.namedItem(error.campo)
    const unreadable = control instanceof HTMLInputElement && control.validity.badInput
    const field = fields.find(({ name }) => name === error.campo)
    return unreadable && field ? { ...error, message: field.unreadableMessage('') } : error
  }
