import { type RefObject, useReducer, useRef } from 'react'
import { WAITING } from '#app/core/uploads/retry-wait.ts'
import { contentProblems } from '#app/entries/chosen-files/content-check.ts'
import type { DocumentKind } from '#app/entries/definitions/document-kinds.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import { fileError, inOrder, refuseFile } from '#app/entries/documents/file-rules.ts'
import { discardDraft, discardFile, newSubmissionId, saveFile } from '#app/entries/form-state/draft-store.client.ts'
import { type ChosenFile, type FormStart, startFrom } from '#app/entries/form-state/initial-state.ts'
import { countFiles, filesOf, givenUp, progressOf, reduce, replacedBy } from '#app/entries/form-state/reducer.ts'
import { useDraft, valuesOf } from '#app/entries/form-state/use-draft.ts'
import { checkForm, type FieldError } from '#app/entries/rules.ts'
import type { RegistrationResult } from '#app/entries/submission/schema.ts'
import type { Sending, SendOutcome } from '#app/entries/submission/send.client.ts'
import { dropUpload } from '#app/entries/submission/upload.client.ts'
import { useSending, warmUp } from '#app/entries/submission/use-sending.ts'

const OTHER_TAB = 'Este registro está abierto en otra pestaña. Continúa en ella, o ciérrala y recarga esta página.'

/** Elements of the form that its controller works on. */
export interface FormRefs {
  form: RefObject<HTMLFormElement | null>
  submit: RefObject<HTMLButtonElement | null>
}

export interface Listeners {
  /** The registration was received, and a blank form follows. */
  onExito(folio: string): void
  /** Files were chosen and accepted. */
  onBegin(): void
  /** The draft was given up. */
  onDrop(): void
}

/** Controller of a registration's form: its state (`reduce`), its draft and its sender. */
export function useRegistration(
  forma: Forma,
  start: FormStart,
  { form, submit }: FormRefs,
  { onExito, onBegin, onDrop }: Listeners,
) {
  const [state, dispatch] = useReducer(reduce, start, startFrom)
  const { entrega, documentos } = state
  const latest = useRef(state)
  latest.current = state
  const { enCurso, espera, bytes, ...sending } = useSending()

  const readValues = () => valuesOf(forma, form.current!)

  const draft = useDraft(
    forma,
    form,
    { entrega, documentos, enviado: state.enviado, enCurso },
    {
      begun: forma.clases.some((kind) => start.documentos[kind].length > 0),
      onTaken(taken, isMine) {
        if (!start.seguir || taken !== start.entrega) return
        if (!isMine) return dispatch({ que: 'dice', message: OTHER_TAB })
        submit.current?.focus()
        void send()
      },
    },
  )

  function choose(kind: DocumentKind, chosen: File[]): boolean {
    const [refusal] = inOrder(chosen.flatMap((file) => refuseFile(kind, file) ?? []))
    if (refusal && forma.refusesAtOnce) {
      const toRename = refusal.reason === 'nombreArchivo' ? { renombrar: chosen } : {}
      dispatch({ que: 'rehusa', clase: kind, message: refusal.message, ...toRename })
      return false
    }
    const files = chosen.map(toChosenFile)
    const before = documentos[kind]
    const replaced = replacedBy(kind, before, files.length)
    dispatch({ que: 'elige', clase: kind, files })
    draft.begin()
    onBegin()
    warmUp()
    for (const { id, file } of files) void saveFile(entrega, id, file)
    if (forma.refusesAtOnce) void settle(kind, replaced === before ? files : [...before, ...files], replaced)
    else {
      replaced.forEach(forget)
      void warn(kind, files)
    }
    return true
  }

  /** Reports early a fault for which sending would be refused; the choice stays until then. */
  async function warn(kind: DocumentKind, files: readonly ChosenFile[]) {
    const [problem] = inOrder(await contentProblems(kind, files))
    if (problem) dispatch({ que: 'advierte', reparo: problem, files })
  }

  /**
   * Checks the content of a choice that is shown already, since a phone may have to fetch the file first. Replaced files are
   * discarded only if the new content is good; otherwise they come back.
   */
  async function settle(kind: DocumentKind, files: readonly ChosenFile[], replaced: readonly ChosenFile[]) {
    const [problem] = await contentProblems(kind, files)
    if (!problem) return replaced.forEach(forget)
    dispatch({ que: 'devuelve', reparo: problem, replaced })
    givenUp(problem, files, replaced).forEach(forget)
  }

  function remove(kind: DocumentKind, id: string) {
    documentos[kind].filter((one) => one.id === id).forEach(forget)
    dispatch({ que: 'quita', clase: kind, id })
  }

  /** Deletes a file that is not wanted any more, on this device and on the server. */
  function forget({ id, url }: ChosenFile) {
    void discardFile(entrega, id)
    dropUpload(entrega, url)
  }

  function corrected(field: string) {
    dispatch({ que: 'corrige', campo: field })
    draft.rememberSoon()
  }

  const send = () =>
    sending.send<RegistrationResult>({
      prepare,
      onUrl: (id, url) => dispatch({ que: 'sube', id, url }),
      onFin: settleSending,
    })

  /** @returns undefined for a form that would be refused, and says why */
  async function prepare(): Promise<Sending | undefined> {
    if (!form.current) return undefined
    const { documentos, entrega } = latest.current
    const found = forma.refusesAtOnce
      ? []
      : await Promise.all(forma.clases.map((kind) => contentProblems(kind, documentos[kind])))
    if (!form.current) return undefined
    const problems = inOrder(found.flat())
    const errors = problems.map(fileError)
    const validation = checkForm(forma, readValues(), countFiles(forma, documentos, start.recibidos))
    if (!validation.ok) {
      const fields = [...validation.campos.map(explainUnreadable(forma, form.current)), ...errors]
      dispatch({ que: 'reprueba', message: validation.message, campos: fields })
      return undefined
    }
    if (problems[0]) {
      dispatch({ que: 'reprueba', message: problems[0].message, campos: errors })
      return undefined
    }
    dispatch({ que: 'sale' })
    return { destino: `${forma.ruta}/envio`, entrega, archivos: filesOf(forma, documentos), valores: readValues }
  }

  async function settleSending(fin: SendOutcome<RegistrationResult>) {
    if (fin.estado === 'detenido') return
    if (fin.estado === 'sinCargador') {
      // From here on the server's page carries the values, so the draft ends.
      await draft.end()
      form.current?.submit()
    } else if (fin.estado === 'rechazo') {
      const { archivo, reason, message } = fin
      dispatch({ que: 'fracasa', archivo, reason, message })
    } else if (fin.resultado.ok) {
      await draft.end()
      onExito(fin.resultado.folio)
    } else {
      if (fin.resultado.entrega !== latest.current.entrega) moveFiles(fin.resultado.entrega)
      dispatch({ que: 'niega', resultado: fin.resultado })
    }
  }

  /** The server has closed this submission: the draft's files move to the next one. */
  function moveFiles(next: string) {
    const { entrega, documentos } = latest.current
    void discardDraft(entrega)
    for (const { id, file } of filesOf(forma, documentos)) void saveFile(next, id, file)
  }

  function drop() {
    sending.stop()
    filesOf(forma, latest.current.documentos).forEach(forget)
    void draft.end()
    onDrop()
  }

  return {
    entrega,
    documentos,
    mensaje: state.mensaje,
    errores: state.errores,
    rechazos: state.rechazos,
    enCurso,
    /** Text for why sending waits; undefined while it moves. */
    espera: espera && WAITING[espera],
    avanceOf: (chosenFiles: readonly ChosenFile[]) => progressOf(chosenFiles, bytes),
    choose,
    remove,
    swap: (kind: DocumentKind) => dispatch({ que: 'intercambia', clase: kind }),
    corrected,
    remember: draft.remember,
    send,
    drop,
    stop() {
      sending.stop()
      // The stop button disappears, so the focus moves to submit.
      submit.current?.focus()
    },
  }
}

/** A newly chosen file, without an upload. */
export const toChosenFile = (file: File): ChosenFile => ({ id: newSubmissionId(), file, url: undefined })

/** A number input's value is empty when its text is no number; the error then says «unreadable» instead of «missing». */
const explainUnreadable =
  ({ campos }: Forma, form: HTMLFormElement) =>
  (error: FieldError): FieldError => {
    const control = form.elements.namedItem(error.campo)
    const unreadable = control instanceof HTMLInputElement && control.validity.badInput
    const field = campos.find(({ nombre }) => nombre === error.campo)
    return unreadable && field ? { ...error, message: field.ilegible('') } : error
  }
