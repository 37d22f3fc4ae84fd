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
import { checkForm } from '#app/entries/rules.ts'
import type { RegistrationResult } from '#app/entries/submission/schema.ts'
import type { Sending, SendOutcome } from '#app/entries/submission/send.client.ts'
import { preloadUploader, useSending } from '#app/entries/submission/use-sending.ts'
import { explainUnreadable, listChangedFields } from './field-controls.client.ts'

// The other tools of a touched form come in the same file.
export { PhotoPreview } from '#app/entries/chosen-files/photo-preview.tsx'
export { MisnamedFiles, Rename } from '#app/entries/chosen-files/rename.tsx'
export { ChosenFiles, LegibilityDoubts, Notes, SwapSides } from '#app/entries/chosen-files/row-contents.tsx'
export { markChoosingFile } from '#app/entries/form-state/draft-store.client.ts'
export { ResumeDraft, ResumedDraft } from '#app/entries/form-state/resume-draft.tsx'
export { KeepFolio } from '#app/entries/tracking/keep-folio.tsx'
export { WhatToBring } from '#app/entries/tracking/what-to-bring.tsx'
export { EstimatedProgress } from '#app/ui/forms/estimated-progress.tsx'
export { Progress, percent } from '#app/ui/forms/progress.tsx'

const OTHER_TAB_MESSAGE =
  'Este registro está abierto en otra pestaña. Continúa en ella, o ciérrala y recarga esta página.'

/** The controller reads the values of the form, and focuses its submit button. */
interface FormRefs {
  form: RefObject<HTMLFormElement | null>
  submit: RefObject<HTMLButtonElement | null>
}

export interface RegistrationListeners {
  /** The form calls this when the registration was received; the caller must show a blank form. */
  onSuccess(folio: string): void
  /** The form calls this when files were chosen and accepted. */
  onBegin(): void
  /** The form calls this when the entrant gave the draft up; the caller must show a blank form. */
  onDiscard(): void
}

/** RegistrationControls are the state of a form for display, and the commands that change it. */
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
 * Controls a form that is on the page already, and renders nothing, since the fields must stay the same elements while the
 * entrant types in them. First it applies the interactions from before it was loaded.
 */
export const RegistrationController = memo(
  // The listeners of the first render are kept for the form's whole life; later props are ignored.
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

/** Controls a registration's form: its state (`reduce`), its draft and its sending. */
function useRegistration(
  descriptor: FormDescriptor,
  start: FormStart,
  { form, submit }: FormRefs,
  { onSuccess, onBegin, onDiscard }: RegistrationListeners,
) {
  const [state, dispatch] = useReducer(reduce, start, startFrom)
  const { submissionId, documents } = state
  const latestState = useRef(state)
  latestState.current = state
  const { isSending, waitReason, sentBytesById, ...sending } = useSending()

  const readValues = () => valuesOf(descriptor, form.current!)

  const draft = useDraft(
    descriptor,
    form,
    { submissionId, documents, wasSent: state.wasSent, isSending },
    {
      hasFiles: descriptor.kinds.some((kind) => start.documents[kind].length > 0),
      onLockKnown(lockedSubmissionId, isMine) {
        if (!start.resumesSending || lockedSubmissionId !== start.submissionId) return
        if (!isMine) return dispatch({ type: 'showMessage', message: OTHER_TAB_MESSAGE })
        submit.current?.focus()
        void send()
      },
    },
  )

  function choose(kind: DocumentKind, chosenFiles: File[]): boolean {
    const [refusal] = inOrder(chosenFiles.flatMap((file) => refuseFile(kind, file) ?? []))
    if (refusal && descriptor.refusesAtOnce) {
      const toRename = refusal.reason === 'nombreArchivo' ? { filesToRename: chosenFiles } : {}
      dispatch({ type: 'refuse', kind, message: refusal.message, ...toRename })
      return false
    }
    const files = chosenFiles.map(toChosenFile)
    const previousFiles = documents[kind]
    const replacedFiles = listReplaced(kind, previousFiles, files.length)
    dispatch({ type: 'choose', kind, files })
    draft.begin()
    onBegin()
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
   * Checks the content of a choice that is shown already, since reading the file may take long: a phone may have to download it
   * from its cloud. Replaced files are discarded only if the new content is good; otherwise they come back.
   */
  async function checkShownContent(
    kind: DocumentKind,
    files: readonly ChosenFile[],
    replacedFiles: readonly ChosenFile[],
  ) {
    const [problem] = await contentProblems(kind, files)
    if (!problem) return replacedFiles.forEach(discardChosenFile)
    dispatch({ type: 'restore', problem, replaced: replacedFiles })
    listDiscarded(problem, files, replacedFiles).forEach(discardChosenFile)
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

  function markCorrected(field: string) {
    dispatch({ type: 'correct', field })
    draft.saveSoon()
  }

  const send = () =>
    sending.send(async (deliver) => {
      const preparedSending = await prepareSending()
      if (!preparedSending) return
      await settleSending(
        await deliver<RegistrationResult>(preparedSending, (id, url) => dispatch({ type: 'setUploadUrl', id, url })),
      )
    })

  /** Checks the form before sending. @returns undefined for a form that would be refused; the form shows the reason */
  async function prepareSending(): Promise<Sending | undefined> {
    if (!form.current) return undefined
    const { documents, submissionId } = latestState.current
    const problemsByKind = descriptor.refusesAtOnce
      ? []
      : await Promise.all(descriptor.kinds.map((kind) => contentProblems(kind, documents[kind])))
    if (!form.current) return undefined
    const problems = inOrder(problemsByKind.flat())
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
      if (outcome.result.entrega !== latestState.current.submissionId) resaveFiles(outcome.result.entrega)
      dispatch({ type: 'deny', result: outcome.result })
    }
  }

  /** Saves the draft's files under the next submission, since the server has closed this one. */
  function resaveFiles(nextSubmissionId: string) {
    const { submissionId, documents } = latestState.current
    void discardDraft(submissionId)
    for (const { id, file } of filesOf(descriptor, documents)) void saveFile(nextSubmissionId, id, file)
  }

  function discard() {
    sending.stop()
    filesOf(descriptor, latestState.current.documents).forEach(discardChosenFile)
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
    /** The text says why the sending waits; undefined while bytes move. */
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
      sending.stop()
      // The stop button disappears, so the submit button takes the focus.
      submit.current?.focus()
    },
  }
}

/** A newly chosen file, without an upload. */
const toChosenFile = (file: File): ChosenFile => ({ id: newUuid(), file, url: undefined })
