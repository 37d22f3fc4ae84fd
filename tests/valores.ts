import type { Campo, Valor } from '#app/entries/definitions/field.ts'

const CANDIDATES = ['Ejemplo', '1', '1.5', '20', 'ejemplo@correo.example']

/**
 * A text that a field accepts, whatever field it is, so that tests that fill in whole forms need no change for a new
 * one.
 */
export function textoPara(campo: Campo): string {
  const { control } = campo
  const options = control.como === 'opciones' ? control.opciones : control.como === 'casilla' ? ['No'] : CANDIDATES
  const taken = options.find((text) => {
    const valor = campo.leer(text)
    return valor !== undefined && !campo.revisiones.some((revision) => revision.falla(valor))
  })
  if (taken === undefined) throw new Error(`tests/valores.ts has nothing that «${campo.nombre}» takes`)
  return taken
}

/** The value of `textoPara`, as it is stored. */
export const valorPara = (campo: Campo): Valor => campo.leer(textoPara(campo))!
