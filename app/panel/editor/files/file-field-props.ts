import type { FileType } from '#app/cms/media/file-rules.ts'

/** What a field of a file is told of the place where it is shown. */
export interface FileDescriptor {
  /** As the form calls it: stands in the accessible names; what stands above the field is the form's. */
  etiqueta: string
  /** Pixels that the screen needs across, for pictures. */
  minimoAncho?: number
  /** Width by height of the frame on the screens, for pictures. */
  proporciones?: { telefono: number; escritorio: number }
  /** What alone is taken here; without it, all that the field knows. */
  tipos?: readonly FileType[]
}

/** What every field of a file is given. */
export interface FileFieldProps<Valor> {
  /** Of the input that a label outside names. */
  id: string
  valor: Valor
  onCambio(valor: Valor): void
  descriptor: FileDescriptor
  /** Ids of what describes the field. */
  describedBy?: string | undefined
  invalid?: boolean | undefined
}

/** A photograph of a document, as its schema has it. */
export interface PhotoValue {
  /** Path in the edition; empty where none was chosen. */
  foto: string
  alt: string
  /** x, y in percent. */
  foco: [number, number]
}
