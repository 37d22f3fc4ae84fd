import * as v from 'valibot'
import { formatThousands } from '#app/core/text/thousands-separator.ts'
import type { FieldMetadata } from './field-descriptor.ts'

interface LabelOptions extends FieldMetadata {
  help?: string
  example?: string | number
  /** A text may have at most this many characters, a list this many items. */
  max?: number
}

/**
 * Adds a label and the data of its form field to a schema.
 * @param label the field's name in Spanish
 */
export function withLabel<Schema extends v.GenericSchema>(
  schema: Schema,
  label: string,
  { help, example, max, ...data }: LabelOptions = {},
): Schema {
  const actions = [
    v.title(label),
    ...(help === undefined ? [] : [v.description(help)]),
    ...(example === undefined ? [] : [v.examples([example])]),
    ...(Object.keys(data).length === 0 ? [] : [v.metadata(data)]),
    ...(max === undefined ? [] : [maxLengthCheck(max)]),
  ]
  // Only `maxLengthCheck` affects the validation.
  return v.pipe(schema, ...(actions as unknown as [v.TitleAction<unknown, string>])) as unknown as Schema
}

const maxLengthCheck = (max: number) =>
  v.maxLength<string, number, (issue: { input: string }) => string>(
    max,
    ({ input }) => `tiene ${formatThousands(input.length)} caracteres y caben ${formatThousands(max)}: acórtalo`,
  )
