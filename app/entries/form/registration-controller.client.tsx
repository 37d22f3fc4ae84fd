import { memo, type RefObject, useEffect, useLayoutEffect, useReducer, useRef, useState } from 'react'
import { newUuid } from '#app/core/text/uuid.ts'
import { dropUpload } from '#app/core/uploads/drop-upload.client.ts'
import { WAIT_MESSAGES } from '#app/core/uploads/retry-wait.ts'
import { findContentProblems } from '#app/entries/chosen-files/content-problems.ts'
import { type DocumentKind, kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { findFileRefusal, rowErrorOf, sortByCheckOrder } from '#app/entries/document-viewing/file-rules.ts'
import { discardDraft, discardFile, saveFile } from '#app/entries/form-state/draft-store.client.ts'
import {
  type ChosenFile,
  type EarlyInput,
  emptyEarlyInput,
  type FileChoice,
  type FormStart,
  initialStateFrom,
} from '#app/entries/form-state/initial-state.ts'
import {
  countFiles,
  filesToSend,
  listDiscarded,
  listReplaced,
  progressOf,
  reduceRegistration,
} from '#app/entries/form-state/reducer.ts'
import { readFormValues, storeDraft, useDraft } from '#app/entries/form-state/use-draft.ts'
import { checkForm } from '#app/entries/rules.ts'
import type { RegistrationResult } from '#app/entries/submission/schema.ts'
import type { Sending, SendOutcome } from '#app/entries/submission/send.client.ts'
import { preloadUploader, useSending } from '#app/entries/submission/use-sending.ts'
import { explainUnreadable, listChangedFields } from './field-controls.client.ts'

// These parts are re-exported so that the bundler puts them in the file that a form's first touch loads.
export {
  ChosenFiles,
  FileWarnings,
  IdentityLegibilityWarning,
  SwapSides,
} from '#app/entries/chosen-files/chosen-files.tsx'
export { PhotoPreview } from '#app/entries/chosen-files/photo-preview.tsx'
export { FormRenameButton, RenameButton } from '#app/entries/chosen-files/rename-button.tsx'
export { markChoosingFile } from '#app/entries/form-state/draft-store.client.ts'
export { ResumeDraft, ResumedDraft } from '#app/entries/form-state/resume-draft.tsx'
export { KeepFolio } from '#app/entries/tracking/keep-folio.tsx'
export { WhatToBring } from '#app/entries/tracking/what-to-bring.tsx'
export { EstimatedProgress } from '#app/ui/forms/estimated-progress.tsx'
export { formatPercent, Progress } from '#app/ui/forms/progress.tsx'

const OTHER_TAB_MESSAGE =
  'Este registro está abierto en otra pestaña. Continúa en ella, o ciérrala y recarga esta página.'

/** Elements of the form on the page; null once the form has been left. */
interface FormRefs {
  form: RefObject<HTMLFormElement | null>
  submit: RefObject<HTMLButtonElement | null>
}

export interface RegistrationListeners {
  /** Called when the registration was received; the listener must show a blank form. */
  onSuccess(folio: string): void
  /** Called when files were chosen and accepted. */
  onFilesAccepted(): void
  /** Called when the entrant has discarded the draft; the listener must show a blank form. */
  onDiscard(): void
}

/** The state of a form for display, and the commands that change it. */
export type RegistrationControls = ReturnType<typeof useRegistration>

interface Props extends RegistrationListeners {
  descriptor: FormDescriptor
  start: FormStart
  refs: FormRefs
  earlyInput: RefObject<EarlyInput>
  /** Receives the controls after every render, before the browser paints, so that the form never shows an older state. */
  onRender(controls: RegistrationControls): void
}

/**
 * Controls a form that is on the page already. It renders nothing, since the fields must stay the same elements while the
 * entrant types in them. First it applies the interactions from before it was loaded.
 */
export const RegistrationController = memo(
  // The listeners of the first render are kept as long as the form; later props are ignored.
  function RegistrationController({ descriptor, start, refs, earlyInput, onRender, ...listeners }: Props) {
    const controls = useRegistration(descriptor, start, refs, listeners)
    useLayoutEffect(() => onRender(controls))

    const [choices] = useState(() => selectChoices(descriptor, earlyInput.current.choices))
    const [appliedCount, setAppliedCount] = useState(0)
    const hasRefusedChoice = useRef(false)
    // Each choice applies to the state that the previous choice left, so one is applied per render.
    useEffect(() => {
      const nextChoice = choices[appliedCount]
      if (nextChoice) {
        const { kind, files } = nextChoice
        if (!controls.choose(kind, files)) {
          hasRefusedChoice.current = true
          if (controls.documents[kind].length === 0)
            (refs.form.current?.elements.namedItem(kind) as HTMLInputElement).value = ''
        }
        return setAppliedCount(appliedCount + 1)
      }
      const { fieldNames, isSubmitted } = earlyInput.current
      earlyInput.current = emptyEarlyInput()
      new Set([...fieldNames, ...listChangedFields(descriptor, refs.form.current!)]).forEach(controls.markCorrected)
      // After a refused choice the form is not sent, since the message of the sending would replace the refusal.
      if (isSubmitted && !hasRefusedChoice.current) void controls.send()
    }, [appliedCount])
    return null
  },
  () => true,
)

/** Saves a draft of a form that was left before its controller was loaded. */
export function saveAbandonedForm(
  descriptor: FormDescriptor,
  start: FormStart,
  form: HTMLFormElement,
  { choices }: EarlyInput,
): void {
  const { submissionId, documents } = selectChoices(descriptor, choices)
    .filter((choice) => !isRefusedAtOnce(descriptor, choice))
    .reduce(
      (state, { kind, files }) => reduceRegistration(state, { type: 'choose', kind, files: files.map(toChosenFile) }),
      initialStateFrom(start),
    )
  for (const { id, file } of filesToSend(descriptor, documents)) void saveFile(submissionId, id, file)
  storeDraft(descriptor, form, { submissionId, documents, wasSent: false, isSending: false })
}

const isRefusedAtOnce = ({ refusesAtOnce }: FormDescriptor, { kind, files }: FileChoice) =>
  refusesAtOnce && files.some((file) => findFileRefusal(kind, file) !== undefined)

/**
 * Selects the choices to apply, refused ones last, so that their message stays. For a document with one file, a choice that an
 * accepted choice follows is dropped.
 */
function selectChoices(descriptor: FormDescriptor, choices: readonly FileChoice[]): FileChoice[] {
  const isReplaced = ({ kind }: FileChoice, index: number) =>
    kindOf(kind).fileCount === 1 &&
    choices.slice(index + 1).some((choice) => choice.kind === kind && !isRefusedAtOnce(descriptor, choice))
  return choices
    .filter((choice, index) => !isReplaced(choice, index))
    .toSorted((a, b) => Number(isRefusedAtOnce(descriptor, a)) - Number(isRefusedAtOnce(descriptor, b)))
}

/** Controls a registration's form: its state (reducer.ts), its draft and its sending. */
function useRegistration(
  descriptor: FormDescriptor,
  start: FormStart,
  { form, submit }: FormRefs,
  { onSuccess, onFilesAccepted, onDiscard }: RegistrationListeners,
) {
  const [state, dispatch] = useReducer(reduceRegistration, start, initialStateFrom)
  const { submissionId, documents } = state
  const latestState = useRef(state)
  latestState.current = state
  const { isSending, waitReason, sentBytesById, ...sender } = useSending()

  const readValues = () => readFormValues(descriptor, form.current!)

  const draft = useDraft(
    descriptor,
    form,
    { submissionId, documents, wasSent: state.wasSent, isSending },
    {
      hasFiles: descriptor.kinds.some((kind) => start.documents[kind].length > 0),
      onLockKnown(lockedSubmissionId, hasLock) {
        if (!start.mayResumeSending || lockedSubmissionId !== start.submissionId) return
        if (!hasLock) return dispatch({ type: 'showMessage', message: OTHER_TAB_MESSAGE })
        submit.current?.focus()
        void send()
      },
    },
  )

  /** Adds or replaces files. @returns false if a file is refused at once, which happens only with `refusesAtOnce` */
  function choose(kind: DocumentKind, chosenFiles: File[]): boolean {
    const [refusal] = sortByCheckOrder(chosenFiles.flatMap((file) => findFileRefusal(kind, file) ?? []))
    if (refusal && descriptor.refusesAtOnce) {
      const renameOffer = refusal.reason === 'nombreArchivo' ? { filesToRename: chosenFiles } : {}
      dispatch({ type: 'refuse', kind, message: refusal.message, ...renameOffer })
      return false
    }
    const files = chosenFiles.map(toChosenFile)
    const previousFiles = documents[kind]
    const replacedFiles = listReplaced(kind, previousFiles, files.length)
    dispatch({ type: 'choose', kind, files })
    draft.begin()
    onFilesAccepted()
    preloadUploader()
    for (const { id, file } of files) void saveFile(submissionId, id, file)
    if (descriptor.refusesAtOnce)
      void checkShownContent(
        kind,
        replacedFiles === previousFiles ? files : [...previousFiles, ...files],
        replacedFiles,
      )
    else {
      replacedFiles.forEach(discardChosenFile)
      void warnAboutContent(kind, files)
    }
    return true
  }

  /** Warns about content for which the form will be refused on sending; the choice stays. */
  async function warnAboutContent(kind: DocumentKind, files: readonly ChosenFile[]) {
    const [problem] = sortByCheckOrder(await findContentProblems(kind, files))
    if (problem) dispatch({ type: 'warn', problem, files })
  }

  /**
   * Checks the content of a choice that is shown already, since reading the file may take long: a phone may have to download it
   * from its cloud. Replaced files are discarded only if the new content is good; otherwise they come back.
   */
  async function checkShownContent(
    kind: DocumentKind,
    files: readonly ChosenFile[],
    replacedFiles: readonly ChosenFile[],
  ) {
    const [problem] = await findContentProblems(kind, files)
    if (!problem) return replacedFiles.forEach(discardChosenFile)
    dispatch({ type: 'restore', problem, replaced: replacedFiles })
    listDiscarded(problem, files, replacedFiles).forEach(discardChosenFile)
  }

  function remove(kind: DocumentKind, id: string) {
    documents[kind].filter((file) => file.id === id).forEach(discardChosenFile)
    dispatch({ type: 'remove', kind, id })
  }

  /** Deletes a file of the draft on this device and its upload on the server. */
  function discardChosenFile({ id, url }: ChosenFile) {
    void discardFile(submissionId, id)
    dropUpload(submissionId, url)
  }

  function markCorrected(field: string) {
    dispatch({ type: 'correct', field })
    draft.saveSoon()
  }

  const send = () =>
    sender.send(async (deliver) => {
      const preparedSending = await prepareSending()
      if (!preparedSending) return
      await settleSending(
        await deliver<RegistrationResult>(preparedSending, (id, url) => dispatch({ type: 'setUploadUrl', id, url })),
      )
    })

  /** Checks the form before sending. @returns undefined for a form that was left, or would be refused, and then shows why */
  async function prepareSending(): Promise<Sending | undefined> {
    if (!form.current) return undefined
    const { documents, submissionId } = latestState.current
    const problemsByKind = descriptor.refusesAtOnce
      ? []
      : await Promise.all(descriptor.kinds.map((kind) => findContentProblems(kind, documents[kind])))
    if (!form.current) return undefined
    const problems = sortByCheckOrder(problemsByKind.flat())
    const errors = problems.map(rowErrorOf)
    const validation = checkForm(descriptor, readValues(), countFiles(descriptor, documents, start.received))
    if (!validation.ok) {
      const fieldErrors = [...validation.campos.map(explainUnreadable(descriptor, form.current)), ...errors]
      dispatch({ type: 'failCheck', message: validation.message, errors: fieldErrors })
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
      files: filesToSend(descriptor, documents),
      readValues,
    }
  }

  async function settleSending(outcome: SendOutcome<RegistrationResult>) {
    if (outcome.status === 'stopped') return
    if (outcome.status === 'noUploader') {
      // The page of the server's answer will have the values, so the draft is not needed any more.
      await draft.end()
      form.current?.submit()
    } else if (outcome.status === 'refused') {
      const { fileId, reason, message } = outcome
      dispatch({ type: 'failSending', fileId, reason, message })
    } else if (outcome.result.ok) {
      await draft.end()
      onSuccess(outcome.result.folio)
    } else {
      if (outcome.result.entrega !== latestState.current.submissionId) resaveFiles(outcome.result.entrega)
      dispatch({ type: 'rejectSubmission', result: outcome.result })
    }
  }

  /** Discards the draft, and saves its files under the submission id that the server has named for the next attempt. */
  function resaveFiles(nextSubmissionId: string) {
    const { submissionId, documents } = latestState.current
    void discardDraft(submissionId)
    for (const { id, file } of filesToSend(descriptor, documents)) void saveFile(nextSubmissionId, id, file)
  }

  function discard() {
    sender.stop()
    filesToSend(descriptor, latestState.current.documents).forEach(discardChosenFile)
    void draft.end()
    onDiscard()
  }

  return {
    submissionId,
    documents,
    feedback: state.feedback,
    errors: state.errors,
    refusalCount: state.refusalCount,
    isSending,
    /** Message of the sending's `WaitReason`; undefined without one. */
    waitText: waitReason && WAIT_MESSAGES[waitReason],
    progressOf: (chosenFiles: readonly ChosenFile[]) => progressOf(chosenFiles, sentBytesById),
    choose,
    remove,
    swap: (kind: DocumentKind) => dispatch({ type: 'swap', kind }),
    markCorrected,
    saveDraft: draft.save,
    send,
    discard,
    stop() {
      sender.stop()
      // The stop button disappears, so the submit button takes the focus.
      submit.current?.focus()
    },
  }
}

const toChosenFile = (file: File): ChosenFile => ({ id: newUuid(), file, url: undefined })
