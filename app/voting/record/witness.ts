import { LETRAS_RECIBO } from '#app/voting/election/receipt.ts'
import { cuantos } from '#app/voting/election/tally-rules.ts'
import { type CajaDicha, sha256 } from './block-seal.ts'
import { isExact } from './file-lines.ts'
import { type Cierre, readSellos } from './schema.ts'

/** What a voter or a newspaper kept while the vote was open: a mail with a receipt, or a saved sellos.json. */
export interface Testigo {
  /** Of its file. */
  nombre: string
  /** Unknown of a mail. */
  edicion: number | undefined
  cajas: CajaDicha[]
  /** Public keys that it names. */
  publicKeys: string[]
  /** As they were shown, with hyphens, each with its hash. */
  recibos: { dicho: string; huella: string }[]
}

/** What became of a witness: Spanish sentences. */
export interface TestigoComprobado {
  nombre: string
  /** What fits. */
  dichos: string[]
  /** What does not; empty: it fits. */
  fallas: string[]
  /** Whether it shows that the file is the published one: a link that it names is there as it was published. */
  isProof: boolean
}

/** A link as mails say it, a name and its value: `readTestigo` understands that very wording. */
export const dichoDeCaja = ({ numero, papeletas, sello }: CajaDicha): { dato: string; valor: string } => ({
  dato: `Caja ${numero}, con ${cuantos(papeletas, 'voto')}. Sello:`,
  valor: sello,
})

// A seal may have been broken over lines by whatever program saved the mail.
const CAJA = /caja (\d{1,9}), con ([\d,]{1,15}) votos?\. sello:\s?((?:[0-9a-f]\s?){63}[0-9a-f])(?![0-9a-f])/gi
const LLAVE = /llave del sitio:\s?((?:[\w-]\s?){42}[\w-])(?![\w-])/gi
const RECIBO = new RegExp(`(?<![\\w-])[${LETRAS_RECIBO}]{4}(?:-[${LETRAS_RECIBO}]{4}){2}(?![\\w-])`, 'g')

export type MotivoDeTestigo = 'ilegible' | 'nada' | 'repite'
/** Why a file is no witness. */
export const MENSAJES_DE_TESTIGO: Record<MotivoDeTestigo, string> = {
  ilegible: 'no es un correo guardado ni un sellos.json. Guarda el correo completo, con todo y encabezados (.eml).',
  nada: 'no tiene ningún recibo y no nombra ninguna caja: no hay qué comprobar.',
  repite: 'dice algo dos veces o de otra forma que este sitio: no es un sellos.json tal como se publica.',
}

/** Reads what somebody kept. @param bytes of the file, whatever its name */
export async function readTestigo(
  nombre: string,
  bytes: Uint8Array,
): Promise<{ ok: true; testigo: Testigo } | { ok: false; reason: MotivoDeTestigo }> {
  const text = new TextDecoder().decode(bytes)
  if (/^\s*\{/.test(text)) return readSaved(nombre, text)
  const words = await wordsOf(bytes)
  if (words === undefined) return { ok: false, reason: 'ilegible' }
  const cajas = [...words.matchAll(CAJA)].map(([, numero, papeletas, sello]) => ({
    numero: Number(numero),
    papeletas: Number(papeletas!.replaceAll(',', '')),
    sello: sello!.replace(/\s/g, '').toLowerCase(),
  }))
  const dichos = [...new Set([...words.matchAll(RECIBO)].map(([dicho]) => dicho))]
  if (cajas.length === 0 && dichos.length === 0) return { ok: false, reason: 'nada' }
  const publicKeys = [...new Set([...words.matchAll(LLAVE)].map(([, key]) => key!.replace(/\s/g, '')))]
  const recibos = await Promise.all(dichos.map(async (dicho) => ({ dicho, huella: await sha256(dicho) })))
  return { ok: true, testigo: { nombre, edicion: undefined, cajas, publicKeys, recibos } }
}

function readSaved(nombre: string, text: string): Awaited<ReturnType<typeof readTestigo>> {
  try {
    const value: unknown = JSON.parse(text)
    if (!isExact(text, value)) return { ok: false, reason: 'repite' }
    const { edicion, cajas, llave } = readSellos(value)
    if (cajas.length === 0) return { ok: false, reason: 'nada' }
    return {
      ok: true,
      testigo: { nombre, edicion, cajas, publicKeys: llave === undefined ? [] : [llave], recibos: [] },
    }
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, reason: 'ilegible' }
    throw error
  }
}

/** What a mail says, in each of its forms; undefined: it is none. */
async function wordsOf(bytes: Uint8Array): Promise<string | undefined> {
  // The reader of mails is fetched with the first one.
  const { default: PostalMime } = await import('postal-mime')
  const mail = await PostalMime.parse(bytes).catch(() => undefined)
  const html = mail?.html?.replace(/<[^>]*>/g, ' ')
  const words = [mail?.text, html]
    .filter(Boolean)
    .join('\n')
    .replace(/[\s\u200b\u200c\u00a0]+/g, ' ')
  return words.trim() === '' ? undefined : words
}

/** Compares what people kept with an act, while that is counted. */
export function compareTestigos(testigos: readonly Testigo[]) {
  const wanted = new Set(testigos.flatMap(({ cajas }) => cajas.map(({ numero }) => numero)))
  const hashes = new Set(testigos.flatMap(({ recibos }) => recibos.map(({ huella }) => huella)))
  const cajas = new Map<number, CajaDicha>()
  /** Hash of a receipt → number of its link. */
  const places = new Map<string, number>()
  const gone = new Map<string, string>()

  function check({ nombre, edicion, ...kept }: Testigo, acta: Cierre): TestigoComprobado {
    const dichos: string[] = []
    const fallas: string[] = []
    if (edicion !== undefined && edicion !== acta.edicion)
      fallas.push(`Es de la votación de ${edicion}, y el acta es de la de ${acta.edicion}.`)
    const fitting: number[] = []
    for (const said of new Map(kept.cajas.map((caja) => [JSON.stringify(caja), caja])).values()) {
      const found = cajas.get(said.numero)
      if (!found) fallas.push(`Nombra la caja ${said.numero}, que no está en el acta.`)
      else if (found.sello !== said.sello) fallas.push(`La caja ${said.numero} tiene otro sello en el acta.`)
      else if (found.papeletas !== said.papeletas)
        fallas.push(
          `La caja ${said.numero} se publicó con ${cuantos(said.papeletas, 'voto')} y en el acta tiene ${cuantos(found.papeletas, 'voto')}.`,
        )
      else fitting.push(said.numero)
    }
    if (fitting.length === 1)
      dichos.push(`La caja ${fitting[0]} está en el acta como se publicó: número, votos y sello.`)
    else if (fitting.length > 1)
      dichos.push(`${fitting.length} cajas están en el acta como se publicaron: número, votos y sello.`)
    if (kept.cajas.length === 0) dichos.push('No nombra ninguna caja: se escribió antes de cerrarse la primera.')
    for (const { dicho, huella } of kept.recibos) {
      const caja = places.get(huella)
      const motivo = gone.get(huella)
      if (caja === undefined) fallas.push(`El recibo ${dicho} no está en el acta.`)
      else if (motivo !== undefined)
        dichos.push(`El recibo ${dicho} está en la caja ${caja}, y su voto fue anulado: ${motivo}`)
      else dichos.push(`El recibo ${dicho} está en la caja ${caja}, y su voto cuenta.`)
    }
    return { nombre, dichos, fallas, isProof: fitting.length > 0 && fallas.length === 0 }
  }

  return {
    caja(caja: CajaDicha): void {
      if (wanted.has(caja.numero)) cajas.set(caja.numero, caja)
    },
    papeleta(huella: string, caja: number): void {
      if (hashes.size > 0 && hashes.has(huella)) places.set(huella, caja)
    },
    anulada(huella: string, motivo: string): void {
      if (hashes.has(huella)) gone.set(huella, motivo)
    },
    end: (acta: Cierre): TestigoComprobado[] => testigos.map((testigo) => check(testigo, acta)),
  }
}
