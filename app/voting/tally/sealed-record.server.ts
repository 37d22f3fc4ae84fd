import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { hashRecibo } from '#app/voting/chain/block-seal.server.ts'
import { type Eleccion, readActaDeMuestra } from '#app/voting/election/data.server.ts'
import { isNotClosed } from '#app/voting/election/rules.ts'
import { readPortada } from '#app/voting/record/schema.ts'
import { readActa } from './data.server.ts'

/** The sealed closing act, as visitors see it. */
export interface Sellada {
  sello: string
  at: Date
  /** The act as it was sealed, JSON. */
  contenido: string
  /** The published file, where the act came with the edition's content and not out of the database. */
  muestra?: { file: string; texto: string }
}

/** The closing act of an edition; the one that comes with it where nobody has voted here. */
export async function readSellada(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  eleccion: Eleccion,
): Promise<Sellada | undefined> {
  const sealed = await readActa(db, eleccion.edicion, 'cierre')
  if (sealed) return sealed
  if (isNotClosed(eleccion.cierre, clock.now())) return undefined
  const muestra = await readActaDeMuestra(db, eleccion)
  if (!muestra) return undefined
  const { portada, sealed: said } = readPortada(JSON.parse(muestra.texto).portada, () => {})
  return { sello: portada.sello, at: new Date(portada.acta.levantada), contenido: said.acta, muestra }
}

/** Like `findRecibo`, in the file that came with the edition. @param recibo without hyphens */
export async function findEnMuestra({ texto }: NonNullable<Sellada['muestra']>, recibo: string) {
  const { candidatas } = await loadEdicion()
  const wanted = `${hashRecibo(recibo)} `
  const { portada, cajas } = JSON.parse(texto) as {
    portada: { nombres: string[] }
    cajas: { papeletas: string[] }[]
  }
  const found = cajas.flatMap(({ papeletas }) => papeletas).find((papeleta) => papeleta.startsWith(wanted))
  const nombre = found && portada.nombres[Number(found.slice(wanted.length))]
  if (nombre === undefined) return undefined
  return {
    candidata: candidatas.find((una) => una.nombre === nombre)?.nombre ?? nombre,
    anulado: null,
    retirada: false,
  }
}
