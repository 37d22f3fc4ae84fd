import * as v from 'valibot'
import { type EditionCard, loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import { readLatestPublication } from '#app/cms/publishing/publications.server.ts'
import { valueAt } from '#app/cms/schema/field-path.ts'
import { readEdition } from '#app/cms/schema/read-content.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { endOfDay } from '#app/core/time/mexico-dates.ts'
import { type EditionSettings, PRIVACY_DAYS, SETTINGS, type SettingName } from './schema.ts'

/**
 * Reads the displayed edition's settings: from the table `ajustes`, or else from the content. Callers read them anew at each use, so
 * that a change is in force at once, in every process; only the phase in documents follows later (`Phases`).
 */
export async function readEditionSettings(db: Database): Promise<EditionSettings> {
  const card = await loadEditionCard()
  const rows = await db.selectFrom('ajustes').select(['nombre', 'valor']).where('edicion', '=', card.anio).execute()
  return settingsOf(card, rows)
}

export function settingsOf(card: EditionCard, rows: readonly { nombre: string; valor: unknown }[]): EditionSettings {
  const valueByName = new Map(rows.map(({ nombre, valor }) => [nombre, valor]))
  const settings: Record<string, unknown> = settingsOfContent(card)
  for (const name of Object.keys(SETTINGS)) {
    // A missing or invalid value, such as one of an older version, is ignored.
    const parseResult = v.safeParse(SETTINGS[name as SettingName], valueByName.get(name))
    if (parseResult.success) settings[name] = parseResult.output
  }
  return settings as EditionSettings
}

const settingsOfContent = ({ fechas, prensa }: EditionCard): EditionSettings => ({
  'registro.candidatas': fechas.registro.candidatas,
  'registro.trajes': fechas.registro.trajes,
  'prensa.publica': prensa.publica,
  'privacidad.dias': PRIVACY_DAYS,
  'correo.cuota': undefined,
  'votacion.ganadora': undefined,
})

/**
 * Lists the version, author and time of each setting's last change; a setting that was never set is left out. `isSet` is false if
 * the content's value applies again, `author` null for an unknown or deleted account.
 */
export async function listSettings(
  db: Database,
  edition: number,
): Promise<Partial<Record<SettingName, { version: number; isSet: boolean; author: string | null; at: Date }>>> {
  const rows = await db
    .selectFrom('ajustes')
    .leftJoin('profiles', 'profiles.id', 'ajustes.quien')
    .select(['nombre', 'valor', 'version', 'email', 'ajustes.updated_at'])
    .where('edicion', '=', edition)
    .execute()
  return Object.fromEntries(
    rows.map(({ nombre, valor, version, email, updated_at }) => [
      nombre,
      { version, isSet: valor !== null, author: email, at: updated_at },
    ]),
  )
}

/** Returns the moment of an edition's final, or else the end of its year, and the retention of its personal data in days. */
export async function retentionOf(db: Database, edition: number): Promise<{ final: Date; days: number }> {
  const card = await loadEditionCard()
  if (edition === card.anio) {
    const { 'privacidad.dias': days } = await readEditionSettings(db)
    return { final: new Date(card.fechas.coronacion), days }
  }
  const storedSetting = await db
    .selectFrom('ajustes')
    .select('valor')
    .where('edicion', '=', edition)
    .where('nombre', '=', 'privacidad.dias')
    .executeTakeFirst()
  const parseResult = v.safeParse(SETTINGS['privacidad.dias'], storedSetting?.valor)
  return {
    final: (await readPublishedFinal(db, edition)) ?? endOfDay(`${edition}-12-31`)!,
    days: parseResult.success ? parseResult.output : PRIVACY_DAYS,
  }
}

/** Returns the final's moment as an edition's publication in force or, before the first, its folder in content/ states it, if it does. */
async function readPublishedFinal(db: Database, edition: number): Promise<Date | undefined> {
  const publication = await readLatestPublication(db, edition)
  const content = publication?.valores['edicion.yaml'] ?? (await readEdition('.', edition)).documents['edicion.yaml']
  const final = new Date(String(valueAt(content, ['fechas', 'coronacion'])))
  return Number.isNaN(final.getTime()) ? undefined : final
}
