import type { FileType } from '#app/cms/media/file-rules.ts'

/** Requirements of the place where a field's file is shown. */
export interface FileDescriptor {
  /** Name for accessible labels; the form renders the visible label. */
  label: string
  /** Width in pixels that the screens need, for pictures. */
  minimoAncho?: number
  /** Aspect ratio (width / height) of the frame on each screen, for pictures. */
  proporciones?: { telefono: number; escritorio: number }
  /** Accepted types; absent: all types of the field's kind. */
  types?: readonly FileType[]
}

export interface FileFieldProps<Value> {
  /** Id of the input that the form's label refers to. */
  id: string
  value: Value
  onChange(valor: Value): void
  descriptor: FileDescriptor
  /** Ids for `aria-describedby`. */
  describedBy?: string | undefined
  invalid?: boolean | undefined
}

/** A photograph as the content schema stores it. */
export interface PhotoValue {
  /** Path in the edition; empty where none was chosen. */
  foto: string
  alt: string
  /** Focal point: x, y in percent. */
  foco: [number, number]
}
