import type { Field, FieldValue } from '#app/entries/definitions/field.ts'

const CANDIDATES = ['Ejemplo', '1', '1.5', '20', 'ejemplo@correo.example']

/** Returns a text that the field accepts, so that tests that fill in whole forms need no change for a new field. */
export function textFor(field: Field): string {
  const { control } = field
  const options = control.kind === 'select' ? control.options : control.kind === 'checkbox' ? ['No'] : CANDIDATES
  const taken = options.find((text) => {
    const valor = field.parse(text)
    return valor !== undefined && !field.checks.some((revision) => revision.fails(valor))
  })
  if (taken === undefined)
    throw new Error(`tests/support/entries/field-values.ts has nothing that «${field.name}» takes`)
  return taken
}

/** Returns the value of `textFor`, as it is stored. */
export const valueFor = (field: Field): FieldValue => field.parse(textFor(field))!
