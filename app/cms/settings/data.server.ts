import * as v from 'valibot'
import { type Ficha, loadFicha } from '#app/cms/editions/displayed-edition.server.ts'
import { readEdicion } from '#app/cms/schema/read-content.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { finDelDia } from '#app/core/time/mexico-dates.ts'
import { AJUSTES, type Ajustes, DIAS_PRIVACIDAD, type NombreDeAjuste } from './schema.ts'

/**
 * The current edition's settings: what the organisers set from their panel, else what the content says. Read for each
 * request, so that a change is in force at once, in every process.
 */
export async function readAjustes(db: Database): Promise<Ajustes> {
  const ficha = await loadFicha()
  const rows = await db.selectFrom('ajustes').select(['nombre', 'valor']).where('edicion', '=', ficha.anio).execute()
  const set = new Map(rows.map(({ nombre, valor }) => [nombre, valor]))
  const settings: Record<string, unknown> = ajustesDelContenido(ficha)
  for (const nombre of Object.keys(AJUSTES)) {
    // A value of another shape (an older version's, say) counts as none.
    const parsed = v.safeParse(AJUSTES[nombre as NombreDeAjuste], set.get(nombre))
    if (parsed.success) settings[nombre] = parsed.output
  }
  return settings as Ajustes
}

/** The settings that hold as long as the organisers set nothing. */
const ajustesDelContenido = ({ fechas, prensa }: Ficha): Ajustes => ({
  'registro.candidatas': fechas.registro.candidatas,
  'registro.trajes': fechas.registro.trajes,
  'prensa.publica': prensa.publica,
  'privacidad.dias': DIAS_PRIVACIDAD,
  'correo.cuota': undefined,
  'votacion.ganadora': undefined,
})

/**
 * Who set each setting, and when; a setting that was never set is left out. `isSet` false: the content's value holds
 * again.
 */
export async function listAjustes(
  db: Database,
  edicion: number,
): Promise<Partial<Record<NombreDeAjuste, { version: number; isSet: boolean; quien: string | null; at: Date }>>> {
  const rows = await db
    .selectFrom('ajustes')
    .leftJoin('profiles', 'profiles.id', 'ajustes.quien')
    .select(['nombre', 'valor', 'version', 'email', 'ajustes.updated_at'])
    .where('edicion', '=', edicion)
    .execute()
  return Object.fromEntries(
    rows.map(({ nombre, valor, version, email, updated_at }) => [
      nombre,
      { version, isSet: valor !== null, quien: email, at: updated_at },
    ]),
  )
}

/** The final of an edition, and how many days after it what people handed over is kept. */
export async function plazoDe(db: Database, edicion: number): Promise<{ final: Date; dias: number }> {
  const ficha = await loadFicha()
  if (edicion === ficha.anio) {
    const { 'privacidad.dias': dias } = await readAjustes(db)
    return { final: new Date(ficha.fechas.coronacion), dias }
  }
  const set = await db
    .selectFrom('ajustes')
    .select('valor')
    .where('edicion', '=', edicion)
    .where('nombre', '=', 'privacidad.dias')
    .executeTakeFirst()
  const parsed = v.safeParse(AJUSTES['privacidad.dias'], set?.valor)
  // Of an edition whose content is gone, only the year is known.
  const content = (await readEdicion('.', edicion)).archivos['edicion.yaml']
  return {
    final: content ? new Date(content.fechas.coronacion) : finDelDia(`${edicion}-12-31`)!,
    dias: parsed.success ? parsed.output : DIAS_PRIVACIDAD,
  }
}
