import { sql } from 'kysely'
import { listCuentas } from '#app/accounts/data.server.ts'
import type { Database } from '#app/core/db/database.server.ts'

/** What a restored database was made to forget, and who may enter it. */
interface Cerrado {
  sesiones: number
  correos: number
  /** Addresses of those whose account opens the panel or the press room, with the password of then. */
  cuentas: string[]
}

/**
 * Ends what an older database would begin again: sessions, mailed links and codes of then, and mail that was waiting, which
 * may have gone out since. Accounts that were withdrawn since are back: they are named.
 */
export async function cierraLoDeAntes(db: Database): Promise<Cerrado> {
  return db.transaction().execute(async (tx) => {
    const sesiones = await tx.deleteFrom('sessions').executeTakeFirst()
    for (const tabla of ['enlaces', 'antesalas', 'codigos'] as const) await tx.deleteFrom(tabla).execute()
    const correos = await tx
      .updateTable('correos')
      .set({ failed_at: sql<Date>`now()`, last_error: 'restored' })
      .where('sent_at', 'is', null)
      .where('failed_at', 'is', null)
      .executeTakeFirst()
    const cuentas = (await listCuentas(tx)).filter(({ bajaAt }) => bajaAt === null)
    return {
      sesiones: Number(sesiones.numDeletedRows),
      correos: Number(correos.numUpdatedRows),
      cuentas: cuentas.map(({ correo }) => correo).toSorted(),
    }
  })
}

/** The same, for whoever restores. */
export function cerradoEnPalabras({ sesiones, correos, cuentas }: Cerrado): string[] {
  return [
    `Se cerraron ${sesiones} sesiones de entonces, y ${correos} correos que esperaban salir quedaron sin enviar: pudieron salir después del respaldo.`,
    ...(cuentas.length > 0
      ? [
          `Vuelven estas cuentas de la organización, el jurado y la prensa, con su contraseña de entonces: ${cuentas.join(', ')}. Si después se dio de baja a alguna, repítelo en «Cuentas»; si alguna contraseña se cambió por sospecha, cámbiala otra vez.`,
        ]
      : []),
  ]
}
