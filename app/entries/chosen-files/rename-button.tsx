import type { DocumentKind } from '#app/entries/definitions/document-kinds.ts'
import { cleanFileName, hasForbiddenCharacter } from '#app/entries/document-viewing/file-rules.ts'
import type { ChosenDocuments } from '#app/entries/form-state/initial-state.ts'
import { Button } from '#app/ui/components/button.tsx'

interface RenameButtonProps {
  /** Id of the file input that takes the focus after the press. */
  inputId: string
  files: File[]
  onRename(files: File[]): void
}

/** Shows a button that chooses files again under cleaned names, after a choice in which a name was refused. */
export function RenameButton({ inputId, files, onRename }: RenameButtonProps) {
  const names = files.filter(({ name }) => hasForbiddenCharacter(name)).map(({ name }) => `«${cleanFileName(name)}»`)
  return (
    <Button
      look="outline"
      onClick={() => {
        onRename(files.map(withCleanName))
        // The button disappears with its message, so the focus moves to the input.
        document.getElementById(inputId)?.focus()
      }}
    >
      Usarlo como {names.join(' y ')}
    </Button>
  )
}

const withCleanName = (file: File) =>
  hasForbiddenCharacter(file.name)
    ? new File([file], cleanFileName(file.name), { type: file.type, lastModified: file.lastModified })
    : file

interface MisnamedFilesProps {
  kinds: readonly DocumentKind[]
  documents: ChosenDocuments
  onRename(kind: DocumentKind, files: File[]): void
}

/** Shows one rename button for a whole form, for its first document that has a file with a forbidden name. */
export function FormRenameButton({ kinds, documents, onRename }: MisnamedFilesProps) {
  const misnamedDocument = kinds
    .map((kind) => ({ kind, files: documents[kind].map(({ file }) => file) }))
    .find(({ files }) => files.some(({ name }) => hasForbiddenCharacter(name)))
  if (!misnamedDocument) return null
  const { kind, files } = misnamedDocument
  return <RenameButton inputId={kind} files={files} onRename={(renamedFiles) => onRename(kind, renamedFiles)} />
}
