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

/** What a form is worked on by, which stands there without it. */
export interface FormRefs {
  form: RefObject<HTMLFormElement | null>
  submit: RefObject<HTMLButtonElement | null>
}

export interface Listeners {
  /** The registration is in; the form makes room for a new one. */
  onExito(folio: string): void
  /** Something of value was entered. */
  onBegin(): void
  /** A draft is given up. */
  onDrop(): void
}

/** A form of the registrations at work: its state (reduce), its draft and its sender. */
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

  /** Says early what sending would be refused for; the choice stands until then. */
  async function warn(kind: DocumentKind, files: readonly ChosenFile[]) {
    const [problem] = inOrder(await contentProblems(kind, files))
    if (problem) dispatch({ que: 'advierte', reparo: problem, files })
  }

  /**
   * A choice is shown at once, since a phone may have to fetch the file first; what it replaces is given up only when its
   * content is one of ours, and else comes back.
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

  /** Neither this device nor the server keeps what is not wanted any more. */
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

  /** @returns undefined for what would be refused, which is then said */
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
      // From here on the server's page keeps what there is.
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

  /** The server has closed this entrega: the same data goes on under another one, on this device too. */
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
    /** Why nothing moves, in words. */
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
      // The button goes away.
      submit.current?.focus()
    },
  }
}

/** A file as it was chosen, with nothing of it on its way yet. */
export const toChosenFile = (file: File): ChosenFile => ({ id: newSubmissionId(), file, url: undefined })

/** A number field hands over nothing at all when what was typed is no number; then «missing» would puzzle. */
const explainUnreadable =
  ({ campos }: Forma, form: HTMLFormElement) =>
  (error: FieldError): FieldError => {
    const control = form.elements.namedItem(error.campo)
    const unreadable = control instanceof HTMLInputElement && control.validity.badInput
    const field = campos.find(({ nombre }) => nombre === error.campo)
    return unreadable && field ? { ...error, message: field.ilegible('') } : error
  }
