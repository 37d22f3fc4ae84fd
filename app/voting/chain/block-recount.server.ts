import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { MIN_CAJA, PRINCIPIO } from '#app/voting/record/block-seal.ts'
import type { Cierre } from '#app/voting/record/schema.ts'
import { type Caja, isOwnCaja, listCajas } from './published-blocks.server.ts'
import { MAX_NAMED, type Trecho } from './segment-recount.server.ts'

export interface CajasRecontadas {
  cajas: readonly Caja[]
  /**
   * @param counted what came of holding them against their ballots
   * @param cierre the closing act, once it is sealed
   * @param before how far the links reached at the count before
   * @returns Spanish sentences, and how far they reach now, or did before a part was cut off
   */
  end(
    counted: Trecho['cajas'],
    cierre: Cierre | undefined,
    before: { cajas: number; ultima_caja: string | null } | undefined,
  ): Promise<{ fallas: string[]; reached: { cajas: number; ultima_caja: string | null } }>
}

/** Compares the links of the published chain with each other, and says what of them is not as it should be. */
export async function recountCajas(
  { db, keyed }: { db: Database } & Pick<Services, 'keyed'>,
  edicion: number,
  isClosing: boolean,
): Promise<CajasRecontadas> {
  const cajas = await listCajas(db, edicion)

  function broken(): string[] {
    let [anterior, hasta] = [PRINCIPIO, 0]
    for (const [place, caja] of cajas.entries()) {
      const isLinked = caja.numero === place + 1 && caja.anterior === anterior && caja.desde_lote === hasta + 1
      if (!isLinked || !isOwnCaja({ keyed }, caja)) return [`La cadena de cajas se rompe en la caja ${caja.numero}.`]
      ;[anterior, hasta] = [caja.sello, caja.hasta_lote]
    }
    return []
  }

  return {
    cajas,
    async end({ distintas, faltan, sueltas }, cierre, before) {
      const fallas = [
        ...broken(),
        ...distintas
          .slice(0, MAX_NAMED)
          .map((numero) => `La caja ${numero} se publicó con otras papeletas que las que hay.`),
      ]
      if (faltan.length > 0) fallas.push(`La caja ${faltan[0]} dice tener lotes que no hay.`)
      for (const { numero, papeletas } of cajas.slice(0, cierre || isClosing ? -1 : undefined))
        if (papeletas < MIN_CAJA) fallas.push(`La caja ${numero} se cerró con menos de ${MIN_CAJA} papeletas.`)
      const last = cajas.at(-1)
      const isAsSealed =
        cierre?.minimo === undefined
          ? cajas.length === 0
          : cajas.length === cierre.cajas && (last?.sello ?? PRINCIPIO) === cierre.ultimoSello && sueltas === 0
      if (cierre && !isAsSealed) fallas.push('Las cajas no son las que el acta de cierre sella.')
      const then = before && before.cajas > 0 ? before : undefined
      // Another process may have counted a link that was closed since this count began.
      const reached = then && (cajas[then.cajas - 1] ?? (await listCajas(db, edicion, then.cajas))[0])
      const isThere = !then || reached?.sello === then.ultima_caja
      if (!isThere)
        fallas.push(`En el recuento anterior la cadena publicada llegaba a la caja ${then.cajas}; ya no es la misma.`)
      return {
        fallas,
        // A part that was cut off is reported as missing at every later count, too.
        reached: isThere ? { cajas: cajas.length, ultima_caja: last?.sello ?? null } : then,
      }
    },
  }
}
