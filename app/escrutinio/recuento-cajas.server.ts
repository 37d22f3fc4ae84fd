import type { Database } from '#app/platform/database.server.ts'
import type { Services } from '#app/platform/services.server.ts'
import type { Cierre } from './actas.ts'
import { sealOf, sorted } from './cadena.server.ts'
import { MIN_CAJA, type Papeleta, PRINCIPIO } from './cadena.ts'
import { isOwnCaja, listCajas } from './cajas.server.ts'

/** How many faults of a kind are named one by one. */
const MAX_NAMED = 5

export interface CajasRecontadas {
  /** Whether there is any link. */
  any: boolean
  /** Takes the ballots of the next batch, in the chain's order. */
  add(lote: number, papeletas: readonly Papeleta[]): void
  /**
   * @param cierre the closing act, once it is sealed
   * @param before how far the links reached at the count before
   * @returns Spanish sentences, and how far they reach now, or did before a part was cut off
   */
  end(
    cierre: Cierre | undefined,
    before: { cajas: number; ultima_caja: string | null } | undefined,
  ): Promise<{ fallas: string[]; reached: { cajas: number; ultima_caja: string | null } }>
}

/** Compares the links of the published chain with each other and with the ballots of their batches. */
export async function recountCajas(
  { db, keyed }: { db: Database } & Pick<Services, 'keyed'>,
  edicion: number,
  isClosing: boolean,
): Promise<CajasRecontadas> {
  const cajas = await listCajas(db, edicion)
  const changed: string[] = []
  let at = 0
  let open: Papeleta[] = []
  let waiting = 0

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
    any: cajas.length > 0,
    add(lote, papeletas) {
      open.push(...papeletas)
      waiting += papeletas.length
      const caja = cajas[at]
      if (!caja || lote < caja.hasta_lote) return
      const isWhole = open.length === caja.papeletas && sealOf(caja.numero, caja.anterior, sorted(open)) === caja.sello
      if (!isWhole) changed.push(`La caja ${caja.numero} se publicó con otras papeletas que las que hay.`)
      at++
      open = []
      waiting = 0
    },
    async end(cierre, before) {
      const fallas = [...broken(), ...changed.slice(0, MAX_NAMED)]
      if (at < cajas.length) fallas.push(`La caja ${cajas[at]!.numero} dice tener lotes que no hay.`)
      for (const { numero, papeletas } of cajas.slice(0, cierre || isClosing ? -1 : undefined))
        if (papeletas < MIN_CAJA) fallas.push(`La caja ${numero} se cerró con menos de ${MIN_CAJA} papeletas.`)
      const last = cajas.at(-1)
      const isAsSealed =
        cierre?.minimo === undefined
          ? cajas.length === 0
          : cajas.length === cierre.cajas && (last?.sello ?? PRINCIPIO) === cierre.ultimoSello && waiting === 0
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
