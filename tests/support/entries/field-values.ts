import type { Field, Valor } from '#app/entries/definitions/field.ts'

const CANDIDATES = ['Ejemplo', '1', '1.5', '20', 'ejemplo@correo.example']

/** A text that the field accepts, so that tests that fill in whole forms need no change for a new field. */
export function textFor(field: Field): string {
  const { control } = field
  const options = control.como === 'opciones' ? control.opciones : control.como === 'casilla' ? ['No'] : CANDIDATES
  const taken = options.find((text) => {
    const valor = field.leer(text)
    return valor !== undefined && !field.revisiones.some((revision) => revision.falla(valor))
  })
  if (taken === undefined)
    throw new Error(`tests/support/entries/field-values.ts has nothing that «${field.nombre}» takes`)
  return taken
}

/** The value of `textFor`, as it is stored. */
export const valorPara = (field: Field): Valor => field.leer(textFor(field))!
