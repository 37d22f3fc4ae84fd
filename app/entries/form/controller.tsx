import { memo, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import { refuseFile } from '#app/entries/documents/file-rules.ts'
import { saveFile } from '#app/entries/form-state/draft-store.client.ts'
import {
  type Antes,
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
  forma: Forma
  comienzo: FormStart
  partes: FormRefs
  antes: RefObject<Antes>
  /** Called in a layout effect, before the browser paints. */
  onCambio(running: RunningForm): void
}

/**
 * Controls a form that is on the page already, and renders nothing: it is loaded after the form, whose fields must stay the same
 * elements while the entrant types in them. It takes over the interactions so far.
 */
export const Controller = memo(
  function Controller({ forma, comienzo, partes, antes, onCambio, ...on }: Props) {
    const running = useRegistration(forma, comienzo, partes, on)
    useLayoutEffect(() => onCambio(running))

    const [choices] = useState(() => takenUp(forma, antes.current.elecciones))
    const [taken, setTaken] = useState(0)
    const hasRefused = useRef(false)
    // One choice at a time, since each applies to the state that the previous one left.
    useEffect(() => {
      const next = choices[taken]
      if (next) {
        const { clase, files } = next
        if (!running.choose(clase, files)) {
          hasRefused.current = true
          if (running.documentos[clase].length === 0)
            (partes.form.current?.elements.namedItem(clase) as HTMLInputElement).value = ''
        }
        return setTaken(taken + 1)
      }
      const { campos, enviar } = antes.current
      antes.current = nothingBefore()
      new Set([...campos, ...changedIn(forma, partes.form.current!)]).forEach(running.corrected)
      // A refused choice is reported instead of sending, whose message would replace the refusal.
      if (enviar && !hasRefused.current) void running.send()
    }, [taken])
    return null
  },
  // The props stay the same for the form's whole life.
  () => true,
)

/** Names of fields that differ from the served form: typed in before any script ran, or filled in by the browser. */
const changedIn = ({ campos }: Forma, { elements }: HTMLFormElement): string[] =>
  campos
    .map(({ nombre }) => nombre)
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
export function keepLeft(forma: Forma, start: FormStart, form: HTMLFormElement, { elecciones }: Antes): void {
  const { entrega, documentos } = takenUp(forma, elecciones)
    .filter((election) => !isRefused(forma, election))
    .reduce(
      (state, { clase, files }) => reduce(state, { que: 'elige', clase, files: files.map(toChosenFile) }),
      startFrom(start),
    )
  for (const { id, file } of filesOf(forma, documentos)) void saveFile(entrega, id, file)
  writeDown(forma, form, { entrega, documentos, enviado: false, enCurso: false })
}

const isRefused = ({ refusesAtOnce }: Forma, { clase, files }: FileChoice) =>
  refusesAtOnce && files.some((file) => refuseFile(clase, file) !== undefined)

/**
 * The choices that count, refused ones last. For a document with one file only the last accepted choice counts; a refused choice
 * changes nothing, and is reported until the next choice.
 */
function takenUp(forma: Forma, choices: readonly FileChoice[]): FileChoice[] {
  const isReplaced = ({ clase }: FileChoice, at: number) =>
    kindOf(clase).archivos === 1 && choices.slice(at + 1).some((one) => one.clase === clase && !isRefused(forma, one))
  return choices
    .filter((one, at) => !isReplaced(one, at))
    .toSorted((a, b) => Number(isRefused(forma, a)) - Number(isRefused(forma, b)))
}
