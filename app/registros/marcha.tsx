import { memo, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { refuseArchivo } from '#app/inscripciones/archivos.ts'
import { type ClaseDocumento, claseOf } from '#app/inscripciones/clases.ts'
import type { Forma } from '#app/inscripciones/forma.ts'
import type { Comienzo } from './comienzo.ts'
import { type Oyentes, type Partes, useRegistro } from './use-registro.ts'

/** A form at work: what there is to show of it, and what can be done. */
export type EnMarcha = ReturnType<typeof useRegistro>

/** Files that were chosen for a document. */
interface Eleccion {
  clase: ClaseDocumento
  files: File[]
}

/** What happened in a form that nothing was at work on yet. */
export interface Antes {
  elecciones: Eleccion[]
  /** Fields that were typed in, by name. */
  campos: Set<string>
  /** It is to be sent. */
  enviar: boolean
}

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
    const isRefused = useRef(false)
    // One at a time, since each is made in what the one before has left.
    useEffect(() => {
      const next = elecciones[taken]
      if (next) {
        const { clase, files } = next
        if (!enMarcha.choose(clase, files)) {
          isRefused.current = true
          if (enMarcha.documentos[clase].length === 0)
            (partes.form.current?.elements.namedItem(clase) as HTMLInputElement).value = ''
        }
        return setTaken(taken + 1)
      }
      antes.current.campos.forEach(enMarcha.corrected)
      // What is refused is said first: a press that sends would say something else over it.
      if (antes.current.enviar && !isRefused.current) void enMarcha.send()
    }, [taken])
    return null
  },
  // They are the same for as long as the form lives.
  () => true,
)

/**
 * The choices that count, in their turn. Of a document with one file that is the last; what is refused at once changes
 * nothing, and is said until the next choice.
 */
function takenUp({ refusesAtOnce }: Forma, elecciones: readonly Eleccion[]): Eleccion[] {
  const isRefused = ({ clase, files }: Eleccion) =>
    refusesAtOnce && files.some((file) => refuseArchivo(clase, file) !== undefined)
  const isReplaced = ({ clase }: Eleccion, at: number) =>
    claseOf(clase).archivos === 1 && elecciones.slice(at + 1).some((one) => one.clase === clase && !isRefused(one))
  return elecciones
    .filter((one, at) => !isReplaced(one, at))
    .toSorted((a, b) => Number(isRefused(a)) - Number(isRefused(b)))
}
