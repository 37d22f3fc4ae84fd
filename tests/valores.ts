import type { Campo, Valor } from '#app/inscripciones/campos.ts'

const CANDIDATES = ['Ejemplo', '1', '1.5', '20', 'ejemplo@correo.example']

/** Something that a field takes, whatever it is: so a new field needs no change in the tests that fill in whole forms. */
export function textoPara(campo: Campo): string {
  const { control } = campo
  const options = control.como === 'opciones' ? control.opciones : CANDIDATES
  const taken = options.find((text) => {
    const valor = campo.leer(text)
    return valor !== undefined && !campo.revisiones.some((revision) => revision.falla(valor))
  })
  if (taken === undefined) throw new Error(`tests/valores.ts has nothing that «${campo.nombre}» takes`)
  return taken
}

/** The same as it is stored. */
export const valorPara = (campo: Campo): Valor => campo.leer(textoPara(campo))!
