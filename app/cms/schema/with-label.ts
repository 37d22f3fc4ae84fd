import * as v from 'valibot'
import { formatThousands } from '#app/core/text/thousands-separator.ts'
import type { FieldMetadata } from './field-descriptor.ts'

interface LabelOptions extends FieldMetadata {
  help?: string
  example?: string | number
  /** Maximum number of characters of a text, or of items of a list. */
  max?: number
}

/**
 * Adds to a schema the label and the metadata from which the editor builds its form field, and a check of `max`.
 * @param label the field's name in Spanish
 */
export function withLabel<Schema extends v.GenericSchema>(
  schema: Schema,
  label: string,
  { help, example, max, ...metadata }: LabelOptions = {},
): Schema {
  const actions = [
    v.title(label),
    ...(help === undefined ? [] : [v.description(help)]),
    ...(example === undefined ? [] : [v.examples([example])]),
    ...(Object.keys(metadata).length === 0 ? [] : [v.metadata(metadata)]),
    ...(max === undefined ? [] : [maxLengthCheck(max)]),
  ]
  // The casts are safe: all actions but `maxLengthCheck` are metadata, and it does not change the type.
  return v.pipe(schema, ...(actions as unknown as [v.TitleAction<unknown, string>])) as unknown as Schema
}

const maxLengthCheck = (max: number) =>
  v.maxLength<string, number, (issue: { input: string }) => string>(
    max,
    ({ input }) => `tiene ${formatThousands(input.length)} caracteres y caben ${formatThousands(max)}: acórtalo`,
  )
