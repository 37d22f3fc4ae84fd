import { PRINCIPIO, sha256 } from '#app/voting/record/block-seal.ts'
import { isExact } from '#app/voting/record/file-lines.ts'
import { type Asiento, LECTURA, readArchivo, readAsiento } from './record-entries.ts'
import { MOTIVOS, objeta } from './record-entry-rules.ts'
import { enPuntos, ordenDe, ordenFinal } from './scoring.ts'
import { anotaAsiento, type Estado, estadoInicial, type Final, nombreDe } from './state.ts'

/** Counts the act of a final again, from its file alone; in a browser as under Node. */
export interface VerificacionDeFinal {
  estado: Estado
  asientos: Asiento[]
  /** Seal of the last entry: what the file says, and what is printed. */
  sello: string
  /** Spanish sentences; empty: the sheets give what the act says. */
  fallas: string[]
}

/** Places in the lot that an opening draws: by candidate, the smaller text goes first. */
export async function sorteoDe(
  { candidatas }: { candidatas: readonly { id: string }[] },
  sello: string,
): Promise<Map<string, string>> {
  return new Map(await Promise.all(candidatas.map(async ({ id }) => [id, await sha256(`${sello}\n${id}`)] as const)))
}

/** Whether a text is meant to be the act of a final: its first words say so. */
export const pareceDeFinal = (text: string): boolean => /^\uFEFF?\s*\{\s*"final"\s*:/.test(text)

/** @throws SyntaxError when the text is no act of a final */
export async function verifyFinal(text: string): Promise<VerificacionDeFinal> {
  const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
  const { final: portada, asientos: given } = readArchivo(value)
  const fallas: string[] = []
  if (!isExact(text.replace(/^\uFEFF/, ''), value))
    fallas.push('El archivo dice algo dos veces, o escribe un número o un texto de otra forma que este sitio.')
  if (portada.lectura !== LECTURA) fallas.push('La explicación de cómo leer el archivo no es la de este sitio.')
  const asientos = given.map(readAsiento)
  let anterior = PRINCIPIO
  let estado = estadoInicial()
  for (const [at, asiento] of asientos.entries()) {
    const say = (falla: string) => fallas.push(`Asiento ${at + 1} (${NOMBRES[asiento.clase]}): ${falla}`)
    if (asiento.numero !== at + 1) say(`lleva el número ${asiento.numero}.`)
    if (asiento.anterior !== anterior) say('no sigue al anterior: ese, o el orden, se cambió después de sellarse.')
    if (asiento.edicion !== asientos[0]!.edicion) say('es de otra edición.')
    const why = objeta(estado, asiento)
    if (why === 'orden') for (const falla of diferencias(estado.final!, asiento)) say(falla)
    else if (why) say(MOTIVOS[why])
    const sello = await sha256(JSON.stringify(given[at]))
    estado = anotaAsiento(
      estado,
      asiento,
      asiento.clase === 'final-abierta' ? await sorteoDe(asiento, sello) : undefined,
    )
    anterior = sello
  }
  if (anterior !== portada.sello) fallas.push('El último asiento no tiene el sello que el archivo dice.')
  if (!estado.final?.cierre) fallas.push('El acta no está cerrada: le falta el último asiento.')
  return { estado, asientos, sello: portada.sello, fallas }
}

const NOMBRES: Readonly<Record<Asiento['clase'], string>> = {
  'final-abierta': 'se abrió la final',
  'ronda-abierta': 'se abrió una ronda',
  hoja: 'hoja de un juez',
  'hoja-reabierta': 'se reabrió una hoja',
  telefono: 'cambió el teléfono de un juez',
  retiro: 'se retiró una candidata',
  'ronda-cerrada': 'se cerró una ronda',
  'final-anulada': 'se anuló lo anterior',
  cierre: 'se selló el acta',
}

/** Where the act says another order, or other points, than its sheets give. */
function diferencias(final: Final, asiento: Asiento): string[] {
  const said = asiento.clase === 'ronda-cerrada' || asiento.clase === 'cierre' ? asiento.orden : []
  const ronda = final.rondas.at(-1)
  const counted: { candidata: string; total: number; titulo?: string }[] =
    asiento.clase === 'cierre' ? ordenFinal(final) : ronda ? ordenDe(final, ronda).orden : []
  const found = counted.flatMap(({ candidata, total }, at) => {
    const other = said[at]
    const declared = said.find((one) => one.candidata === candidata)
    const quien = nombreDe(final, candidata)
    return [
      ...(declared && declared.total !== total
        ? [`el acta da a ${quien} ${enPuntos(declared.total)} puntos, y las hojas dan ${enPuntos(total)}.`]
        : []),
      ...(other?.candidata !== candidata
        ? [
            `en el lugar ${at + 1} el acta dice ${other ? nombreDe(final, other.candidata) : 'nadie'}, y las hojas dan a ${quien}.`,
          ]
        : []),
    ]
  })
  return found.length > 0 ? found : ['los títulos, o las rondas, no son los que dan las reglas.']
}
