import { isProbada, OLVIDO_SIN_USAR, OLVIDO_USADOS, type Vecindad } from '#app/accounts/rules.ts'
import { addNiveles, readNiveles } from '#app/accounts/throttling/rate-limit.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { mailboxOf } from '#app/core/text/canonical-mailbox.ts'

/** What a request for a code is judged by. */
interface Pedido {
  correo: string
  /** Keyed hash of the network's neighbourhood. */
  vecindad: string
}

interface Juzgado {
  vecindad: Vecindad
  /** Whether no code has been used yet where this one is asked for, or where it goes. */
  esAjeno: boolean
}

/**
 * Where codes are used that were asked for: neighbourhoods, and domains of mailboxes. Codes for strangers leave both
 * without a used one.
 * @param rastroOf names a count
 */
export function createVecindades(rastroOf: (...parts: string[]) => string) {
  const nivelOf = (vecindad: string) => rastroOf('sin-usar', vecindad)
  const usadosOf = (nivel: string) => rastroOf('usados', nivel)
  const dominioOf = (correo: string) => rastroOf('dominio', mailboxOf(correo).split('@').at(-1)!)

  /** What requests are judged by, each by its address: none is there twice. */
  async function read(db: Database, pedidos: readonly Pedido[]): Promise<Map<string, Juzgado>> {
    const named = pedidos.map(({ correo, vecindad }) => {
      const nivel = nivelOf(vecindad)
      return { correo, nivel, usados: usadosOf(nivel), dominio: dominioOf(correo) }
    })
    const abiertos = await readNiveles(
      db,
      named.map(({ nivel }) => nivel),
      OLVIDO_SIN_USAR,
    )
    const used = await readNiveles(
      db,
      named.flatMap(({ usados, dominio }) => [usados, dominio]),
      OLVIDO_USADOS,
    )
    return new Map(
      named.map(({ correo, nivel, usados, dominio }) => {
        const vecindad = { abiertos: abiertos.get(nivel) ?? 0, usados: used.get(usados) ?? 0 }
        return [correo, { vecindad, esAjeno: !isProbada(vecindad) || (used.get(dominio) ?? 0) === 0 }]
      }),
    )
  }

  return {
    /** The name of the count of codes that a neighbourhood has open. */
    nivelOf,
    read,
    async readOne(db: Database, vecindad: string): Promise<Vecindad> {
      const correo = ''
      return (await read(db, [{ vecindad, correo }])).get(correo)!.vecindad
    },
    /** Counts codes that were used. @param aciertos `nivel`: as `nivelOf` named it when the code was asked for */
    addUsados: (tx: Database, aciertos: readonly { nivel: string; correo: string }[]) =>
      addNiveles(
        tx,
        aciertos.flatMap(({ nivel, correo }) => [usadosOf(nivel), dominioOf(correo)]),
        OLVIDO_USADOS,
      ),
  }
}
