import type { Field, FieldValue } from '#app/entries/definitions/field.ts'

const SAMPLE_TEXTS = ['Ejemplo', '1', '1.5', '20', 'ejemplo@correo.example']

/** Returns a text that the field accepts. So tests that fill in whole forms need no change for a new field. */
export function textFor(field: Field): string {
  const { control } = field
  const options = control.kind === 'select' ? control.options : control.kind === 'checkbox' ? ['No'] : SAMPLE_TEXTS
  const acceptedText = options.find((text) => {
    const value = field.parse(text)
    return value !== undefined && !field.checks.some((check) => check.fails(value))
  })
  if (acceptedText === undefined)
    throw new Error(`tests/support/entries/field-values.ts has nothing that «${field.name}» takes`)
  return acceptedText
}

/** Returns the value of `textFor`, as it is stored. */
export const valueFor = (field: Field): FieldValue => field.parse(textFor(field))!
