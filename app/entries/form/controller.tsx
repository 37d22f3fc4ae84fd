import { memo, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { claseOf } from '#app/entries/definitions/document-kinds.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import { refuseArchivo } from '#app/entries/documents/file-rules.ts'
import { saveFile } from '#app/entries/form-state/draft-store.client.ts'
import {
  type Antes,
  type Comienzo,
  type Eleccion,
  nadaAntes,
  startFrom,
} from '#app/entries/form-state/initial-state.ts'
import { filesOf, reduce } from '#app/entries/form-state/reducer.ts'
import { writeDown } from '#app/entries/form-state/use-draft.ts'
import { type Oyentes, type Partes, toElegido, useRegistro } from './use-registration.ts'

/** A form at work: what there is to show of it, and what can be done. */
export type EnMarcha = ReturnType<typeof useRegistro>

interface Props extends Oyentes {
  forma: Forma
  comienzo: Comienzo
  partes: Partes
  antes: RefObject<Antes>
  /** Told before anything is painted. */
  onCambio(enMarcha: EnMarcha): void
}

/**
 * Works on a form that stands there already, and shows nothing itself: it comes later than the form, whose fields must
 * stay the same elements under the hands of whoever types in them. It takes up what has happened in the form before.
 */
export const Marcha = memo(
  function Marcha({ forma, comienzo, partes, antes, onCambio, ...on }: Props) {
    const enMarcha = useRegistro(forma, comienzo, partes, on)
    useLayoutEffect(() => onCambio(enMarcha))

    const [elecciones] = useState(() => takenUp(forma, antes.current.elecciones))
    const [taken, setTaken] = useState(0)
    const hasRefused = useRef(false)
    // One at a time, since each is made in what the one before has left.
    useEffect(() => {
      const next = elecciones[taken]
      if (next) {
        const { clase, files } = next
        if (!enMarcha.choose(clase, files)) {
          hasRefused.current = true
          if (enMarcha.documentos[clase].length === 0)
            (partes.form.current?.elements.namedItem(clase) as HTMLInputElement).value = ''
        }
        return setTaken(taken + 1)
      }
      const { campos, enviar } = antes.current
      antes.current = nadaAntes()
      new Set([...campos, ...changedIn(forma, partes.form.current!)]).forEach(enMarcha.corrected)
      // What is refused is said first: a press that sends would say something else over it.
      if (enviar && !hasRefused.current) void enMarcha.send()
    }, [taken])
    return null
  },
  // They are the same for as long as the form lives.
  () => true,
)

/** Fields that do not stand as they came: typed in before any script was there, or filled in by the browser. */
const changedIn = ({ campos }: Forma, { elements }: HTMLFormElement): string[] =>
  campos
    .map(({ nombre }) => nombre)
    .filter((nombre) => {
      const control = elements.namedItem(nombre)
      if (control instanceof HTMLInputElement && control.type === 'checkbox')
        return control.checked !== control.defaultChecked
      if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement)
        return control.value !== control.defaultValue
      return (
        control instanceof HTMLSelectElement && [...control.options].some((one) => one.selected !== one.defaultSelected)
      )
    })

/**
 * Keeps on this device what was entered in a form that was left before anything was at work on it: whoever comes back goes
 * on with it.
 */
export function keepLeft(forma: Forma, comienzo: Comienzo, form: HTMLFormElement, { elecciones }: Antes): void {
  const { entrega, documentos } = takenUp(forma, elecciones)
    .filter((eleccion) => !isRefused(forma, eleccion))
    .reduce(
      (estado, { clase, files }) => reduce(estado, { que: 'elige', clase, files: files.map(toElegido) }),
      startFrom(comienzo),
    )
  for (const { id, file } of filesOf(forma, documentos)) void saveFile(entrega, id, file)
  writeDown(forma, form, { entrega, documentos, enviado: false, enCurso: false })
}

const isRefused = ({ refusesAtOnce }: Forma, { clase, files }: Eleccion) =>
  refusesAtOnce && files.some((file) => refuseArchivo(clase, file) !== undefined)

/**
 * The choices that count, in their turn. Of a document with one file that is the last; what is refused at once changes
 * nothing, and is said until the next choice.
 */
function takenUp(forma: Forma, elecciones: readonly Eleccion[]): Eleccion[] {
  const isReplaced = ({ clase }: Eleccion, at: number) =>
    claseOf(clase).archivos === 1 &&
    elecciones.slice(at + 1).some((one) => one.clase === clase && !isRefused(forma, one))
  return elecciones
    .filter((one, at) => !isReplaced(one, at))
    .toSorted((a, b) => Number(isRefused(forma, a)) - Number(isRefused(forma, b)))
}
