import type { FileType } from '#app/cms/media/file-rules.ts'

/** A FileDescriptor says what the place of a field's file requires. */
export interface FileDescriptor {
  /** Accessible labels use this name; the form renders the visible label. */
  label: string
  /** The screens need a picture of this many pixels in width. */
  minWidth?: number
  /** A picture's frame has this aspect ratio (width / height) on each screen. */
  aspectRatios?: { phone: number; desktop: number }
  /** These types are accepted; absent: all types of the field's kind. */
  types?: readonly FileType[]
}

export interface FileFieldProps<Value> {
  /** The form's label refers to the input with this id. */
  id: string
  value: Value
  onChange(value: Value): void
  descriptor: FileDescriptor
  describedBy?: string | undefined
  invalid?: boolean | undefined
}

/** The content schema stores a photograph so. */
export interface PhotoValue {
  /** The path in the edition is '' where no photograph was chosen. */
  foto: string
  alt: string
  /** The focal point has x and y in percent. */
  foco: [number, number]
}
