import { cleanFileName, hasForbiddenCharacter } from '#app/inscripciones/archivos.ts'
import { Button } from '#app/ui/button.tsx'

/** Takes files whose names alone keep them out, under names that do not. */
export function Renombrar({ files, onRename }: { files: File[]; onRename: (files: File[]) => void }) {
  const names = files.filter(({ name }) => hasForbiddenCharacter(name)).map(({ name }) => `«${cleanFileName(name)}»`)
  return (
    <Button look="outline" onClick={() => onRename(files.map(renamed))}>
      Usarlo como {names.join(' y ')}
    </Button>
  )
}

const renamed = (file: File) =>
  hasForbiddenCharacter(file.name)
    ? new File([file], cleanFileName(file.name), { type: file.type, lastModified: file.lastModified })
    : file
