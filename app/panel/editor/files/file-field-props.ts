import type { FileType } from '#app/cms/media/file-rules.ts'

export interface FileDescriptor {
  /** The field's name in accessible labels; the form renders the visible label. */
  label: string
  isOptional?: boolean
  /** Width in pixels that the screens need of a picture. */
  minWidth?: number
  /** Aspect ratio (width / height) of the picture's frame on a phone and on a computer. */
  aspectRatios?: { phone: number; desktop: number }
  /** Accepted types, by default all types of the field's kind. */
  types?: readonly FileType[]
}

export interface FileFieldProps<Value> {
  /** Id of the input, to which the form's label refers. */
  id: string
  value: Value
  onChange(value: Value): void
  descriptor: FileDescriptor
  describedBy?: string | undefined
  isInvalid?: boolean | undefined
}

export const isAltMissing = ({ foto, alt }: PhotoValue): boolean => foto !== '' && alt.trim() === ''

/** A photograph in the content's stored form. */
export interface PhotoValue {
  /** Path in the edition; '' if no photograph was chosen. */
  foto: string
  alt: string
  /** Focal point: x and y in percent. */
  foco: [number, number]
}
