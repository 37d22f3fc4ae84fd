import { sql } from 'kysely'
import { listAccounts } from '#app/accounts/data.server.ts'
import type { Database } from '#app/core/db/database.server.ts'

/** Effects of a restore: ended sessions, withheld mail, and the accounts that the restored database brings back. */
interface RestoreAftermath {
  endedSessionCount: number
  withheldMailCount: number
  /** Email addresses of the active accounts of organisers, judges and press, who have the backup's passwords again. */
  accountEmails: string[]
}

/**
 * Ends state that a restored database brings back: sessions, mailed links, pending sign-ins, sign-in codes, and queued mail,
 * which may have been sent since the backup. The result lists all active accounts but voters', since accounts that were
 * deactivated after the backup are active again.
 */
export async function endStaleState(db: Database): Promise<RestoreAftermath> {
  return db.transaction().execute(async (tx) => {
    const sessionDeletion = await tx.deleteFrom('sessions').executeTakeFirst()
    for (const table of ['enlaces', 'antesalas', 'codigos'] as const) await tx.deleteFrom(table).execute()
    const mailUpdate = await tx
      .updateTable('correos')
      .set({ failed_at: sql<Date>`now()`, last_error: 'restored' })
      .where('sent_at', 'is', null)
      .where('failed_at', 'is', null)
      .executeTakeFirst()
    const accounts = (await listAccounts(tx)).filter(({ deactivatedAt }) => deactivatedAt === null)
    return {
      endedSessionCount: Number(sessionDeletion.numDeletedRows),
      withheldMailCount: Number(mailUpdate.numUpdatedRows),
      accountEmails: accounts.map(({ email }) => email).toSorted(),
    }
  })
}

export function aftermathInWords({ endedSessionCount, withheldMailCount, accountEmails }: RestoreAftermath): string[] {
  return [
    `Se cerraron ${endedSessionCount} sesiones de entonces, y ${withheldMailCount} correos que esperaban salir quedaron sin enviar: pudieron salir después del respaldo.`,
    ...(accountEmails.length > 0
      ? [
          `Vuelven estas cuentas de la organización, el jurado y la prensa, con su contraseña de entonces: ${accountEmails.join(', ')}. Si después se dio de baja a alguna, repítelo en «Cuentas»; si alguna contraseña se cambió por sospecha, cámbiala otra vez.`,
        ]
      : []),
  ]
}
