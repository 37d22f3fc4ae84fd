import { sql } from 'kysely'
import { listAccounts } from '#app/accounts/data.server.ts'
import type { Database } from '#app/core/db/database.server.ts'

/** What a restored database was made to forget, and who may enter it. */
interface EndedState {
  sesiones: number
  correos: number
  /** Addresses of those whose account opens the panel or the press room, with the password of then. */
  cuentas: string[]
}

/**
 * Ends what an older database would begin again: sessions, mailed links and codes of then, and mail that was waiting, which
 * may have gone out since. Accounts that were withdrawn since are back: they are named.
 */
export async function endStaleState(db: Database): Promise<EndedState> {
  return db.transaction().execute(async (tx) => {
    const sessions = await tx.deleteFrom('sessions').executeTakeFirst()
    for (const tabla of ['enlaces', 'antesalas', 'codigos'] as const) await tx.deleteFrom(tabla).execute()
    const mails = await tx
      .updateTable('correos')
      .set({ failed_at: sql<Date>`now()`, last_error: 'restored' })
      .where('sent_at', 'is', null)
      .where('failed_at', 'is', null)
      .executeTakeFirst()
    const accounts = (await listAccounts(tx)).filter(({ bajaAt }) => bajaAt === null)
    return {
      sesiones: Number(sessions.numDeletedRows),
      correos: Number(mails.numUpdatedRows),
      cuentas: accounts.map(({ correo }) => correo).toSorted(),
    }
  })
}

/** The same, for whoever restores. */
export function endedStateInWords({ sesiones, correos, cuentas }: EndedState): string[] {
  return [
    `Se cerraron ${sesiones} sesiones de entonces, y ${correos} correos que esperaban salir quedaron sin enviar: pudieron salir después del respaldo.`,
    ...(cuentas.length > 0
      ? [
          `Vuelven estas cuentas de la organización, el jurado y la prensa, con su contraseña de entonces: ${cuentas.join(', ')}. Si después se dio de baja a alguna, repítelo en «Cuentas»; si alguna contraseña se cambió por sospecha, cámbiala otra vez.`,
        ]
      : []),
  ]
}
