import type { Database } from '#app/platform/database.server.ts'
import { mailboxOf } from '#app/platform/mailbox.ts'
import { addNiveles, readNiveles } from './intentos.server.ts'
import { isProbada, OLVIDO_SIN_USAR, OLVIDO_USADOS, type Vecindad } from './rules.ts'

/** What a request for a code is judged by. */
interface Pedido {
  correo: string
  /** Keyed hash of the network's neighbourhood. */
  vecindad: string
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

  async function read(db: Database, pedidos: readonly Pedido[]) {
    const niveles = pedidos.map(({ vecindad }) => nivelOf(vecindad))
    const abiertos = await readNiveles(db, niveles, OLVIDO_SIN_USAR)
    const dominios = pedidos.map(({ correo }) => dominioOf(correo))
    const usados = await readNiveles(db, [...niveles.map(usadosOf), ...dominios], OLVIDO_USADOS)
    const vecindadOf = ({ vecindad }: Pedido): Vecindad => ({
      abiertos: abiertos.get(nivelOf(vecindad)) ?? 0,
      usados: usados.get(usadosOf(nivelOf(vecindad))) ?? 0,
    })
    return {
      vecindadOf,
      /** Whether no code has been used yet where this one is asked for, or where it goes. */
      isAjeno: (one: Pedido) => !isProbada(vecindadOf(one)) || !(usados.get(dominioOf(one.correo)) ?? 0),
    }
  }

  return {
    /** The name of the count of codes that a neighbourhood has open. */
    nivelOf,
    read,
    async readOne(db: Database, vecindad: string): Promise<Vecindad> {
      const one = { vecindad, correo: '' }
      return (await read(db, [one])).vecindadOf(one)
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
