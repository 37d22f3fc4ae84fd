import type { ClaseDocumento } from '#app/entries/definitions/document-kinds.ts'
import { cleanFileName, hasForbiddenCharacter } from '#app/entries/documents/file-rules.ts'
import type { Documentos } from '#app/entries/form-state/initial-state.ts'
import { Button } from '#app/ui/primitives/button.tsx'

interface RenombrarProps {
  /** Id of the control that they were chosen with. */
  control: string
  files: File[]
  onRename(files: File[]): void
}

/** Takes files whose names alone keep them out, under names that do not. */
export function Renombrar({ control, files, onRename }: RenombrarProps) {
  const names = files.filter(({ name }) => hasForbiddenCharacter(name)).map(({ name }) => `«${cleanFileName(name)}»`)
  return (
    <Button
      look="outline"
      onClick={() => {
        onRename(files.map(renamed))
        // The button goes away with its message.
        document.getElementById(control)?.focus()
      }}
    >
      Usarlo como {names.join(' y ')}
    </Button>
  )
}

const renamed = (file: File) =>
  hasForbiddenCharacter(file.name)
    ? new File([file], cleanFileName(file.name), { type: file.type, lastModified: file.lastModified })
    : file

interface MalNombradosProps {
  clases: readonly ClaseDocumento[]
  documentos: Documentos
  onRename(clase: ClaseDocumento, files: File[]): void
}

/** The same for a whole form: for the first row of which a file has such a name. */
export function MalNombrados({ clases, documentos, onRename }: MalNombradosProps) {
  const first = clases
    .map((clase) => ({ clase, files: documentos[clase].map(({ file }) => file) }))
    .find(({ files }) => files.some(({ name }) => hasForbiddenCharacter(name)))
  return (
    first && <Renombrar control={first.clase} files={first.files} onRename={(files) => onRename(first.clase, files)} />
  )
}
