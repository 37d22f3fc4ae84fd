import { sql } from 'kysely'
import * as v from 'valibot'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { type EditionSettings, SETTINGS, type SettingName } from './schema.ts'

export type SettingResult =
  | { ok: true }
  /** The value does not fit the setting's schema; `message` says why, in Spanish. */
  | { ok: false; reason: 'valor'; message: string }
  /** The setting was changed meanwhile. `author` is the email address of the account that did; null if unknown or deleted. */
  | { ok: false; reason: 'version'; author: string | null }

interface NewSettingValue<Name extends SettingName> {
  name: Name
  /** With an undefined `value`, the content's value applies again. */
  value: EditionSettings[Name] | undefined
  /** The row's version that the author saw; 0 without a row. */
  version: number
  /** The value as a Spanish text for the log, where the value alone does not explain itself. */
  summary?: string
}

/**
 * Sets one setting of an edition. The change is in force as `readEditionSettings` says.
 * @param now the site's clock
 */
export function changeSetting<Name extends SettingName>(
  db: Database,
  edition: number,
  { name, value, version, summary }: NewSettingValue<Name>,
  actor: Actor,
  now: Date,
): Promise<SettingResult> {
  const parseResult = value === undefined ? undefined : v.safeParse(SETTINGS[name], value)
  if (parseResult && !parseResult.success)
    return Promise.resolve({ ok: false, reason: 'valor', message: parseResult.issues[0].message })
  return db.transaction().execute(async (tx) => {
    // A reset keeps the row without a value, so that a version in an open form is never given out again.
    const columns = { valor: JSON.stringify(parseResult?.output ?? null), quien: actor.quien, updated_at: now }
    const writeResult =
      version === 0
        ? await tx
            .insertInto('ajustes')
            .values({ edicion: edition, nombre: name, ...columns })
            .onConflict((conflict) => conflict.doNothing())
            .executeTakeFirst()
        : await tx
            .updateTable('ajustes')
            .set({ ...columns, version: sql`version + 1` })
            .where('edicion', '=', edition)
            .where('nombre', '=', name)
            .where('version', '=', version)
            .executeTakeFirst()
    const changedRowCount =
      'numUpdatedRows' in writeResult ? writeResult.numUpdatedRows : (writeResult.numInsertedOrUpdatedRows ?? 0n)
    if (changedRowCount === 0n) {
      const storedRow = await tx
        .selectFrom('ajustes')
        .leftJoin('profiles', 'profiles.id', 'ajustes.quien')
        .select('email')
        .where('edicion', '=', edition)
        .where('nombre', '=', name)
        .executeTakeFirst()
      return { ok: false, reason: 'version', author: storedRow?.email ?? null }
    }
    await writeAuditLog(tx, actor, {
      que: `ajuste.${name}`,
      edicion: edition,
      ...(summary === undefined ? { valor: parseResult?.output } : { sobre: summary }),
    })
    return { ok: true }
  })
}
