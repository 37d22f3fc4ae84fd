import type { DocumentKind } from '#app/entries/definitions/document-kinds.ts'
import { cleanFileName, hasForbiddenCharacter } from '#app/entries/document-viewing/file-rules.ts'
import type { Documents } from '#app/entries/form-state/initial-state.ts'
import { Button } from '#app/ui/components/button.tsx'

interface RenameProps {
  /** Id of the file input. */
  control: string
  files: File[]
  onRename(files: File[]): void
}

/** Button that accepts files refused only for their names, under cleaned names. */
export function Rename({ control, files, onRename }: RenameProps) {
  const names = files.filter(({ name }) => hasForbiddenCharacter(name)).map(({ name }) => `«${cleanFileName(name)}»`)
  return (
    <Button
      look="outline"
      onClick={() => {
        onRename(files.map(renamed))
        // The button disappears with its message, so the focus moves to the input.
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

interface MisnamedFilesProps {
  kinds: readonly DocumentKind[]
  documents: Documents
  onRename(kind: DocumentKind, files: File[]): void
}

/** The rename button of a whole form: for its first document that has a file with a forbidden name. */
export function MisnamedFiles({ kinds, documents, onRename }: MisnamedFilesProps) {
  const first = kinds
    .map((kind) => ({ kind, files: documents[kind].map(({ file }) => file) }))
    .find(({ files }) => files.some(({ name }) => hasForbiddenCharacter(name)))
  return first && <Rename control={first.kind} files={first.files} onRename={(files) => onRename(first.kind, files)} />
}
