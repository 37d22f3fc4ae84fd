import { type RefObject, useReducer, useRef } from 'react'
import { newUuid } from '#app/core/text/uuid.ts'
import { WAIT_MESSAGES } from '#app/core/uploads/retry-wait.ts'
import { contentProblems } from '#app/entries/chosen-files/content-check.ts'
import type { DocumentKind } from '#app/entries/definitions/document-kinds.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { fileError, inOrder, refuseFile } from '#app/entries/document-viewing/file-rules.ts'
import { discardDraft, discardFile, saveFile } from '#app/entries/form-state/draft-store.client.ts'
import { type ChosenFile, type FormStart, startFrom } from '#app/entries/form-state/initial-state.ts'
import {
  countFiles,
  filesOf,
  listDiscarded,
  listReplaced,
  progressOf,
  reduce,
} from '#app/entries/form-state/reducer.ts'
import { useDraft, valuesOf } from '#app/entries/form-state/use-draft.ts'
import { checkForm, type FieldError } from '#app/entries/rules.ts'
import type { RegistrationResult } from '#app/entries/submission/schema.ts'
import type { Sending, SendOutcome } from '#app/entries/submission/send.client.ts'
import { dropUpload } from '#app/entries/submission/upload.client.ts'
import { preloadUploader, useSending } from '#app/entries/submission/use-sending.ts'

const OTHER_TAB = 'Este registro está abierto en otra pestaña. Continúa en ella, o ciérrala y recarga esta página.'

/** The controller reads the form, and focuses its submit button. */
export interface FormRefs {
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

/** Controls a registration's form: its state (`reduce`), its draft and its sending. */
export function useRegistration(
  descriptor: FormDescriptor,
  start: FormStart,
  { form, submit }: FormRefs,
  { onSuccess, onBegin, onDrop }: Listeners,
) {
  const [state, dispatch] = useReducer(reduce, start, startFrom)
  const { submissionId, documents } = state
  const latest = useRef(state)
  latest.current = state
  const { isSending, waiting: waitReason, bytes, ...sending } = useSending()

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
    sending.send<RegistrationResult>({
      prepare,
      onUrl: (id, url) => dispatch({ type: 'setUploadUrl', id, url }),
      onEnd: settleSending,
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
    delayText: waitReason && WAIT_MESSAGES[waitReason],
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
export const toChosenFile = (file: File): ChosenFile => ({ id: newUuid(), file, url: undefined })

/** A number input's value is empty when its text is no number; the error then says «unreadable» instead of «missing». */
const explainUnreadable =
  ({ fields }: FormDescriptor, form: HTMLFormElement) =>
  (error: FieldError): FieldError => {
    const control = form.elements.namedItem(error.campo)
    const unreadable = control instanceof HTMLInputElement && control.validity.badInput
    const field = fields.find(({ name }) => name === error.campo)
    return unreadable && field ? { ...error, message: field.unreadableMessage('') } : error
  }
