import { archivoDe } from '#app/cms/media/file-store.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Cambio } from './diff.ts'

/** Publications of an edition, newest first, with who published them. */
export async function readUltimas(db: Database, anio: number, limit: number) {
  const rows = await db
    .selectFrom('publicaciones')
    .leftJoin('profiles', 'profiles.id', 'publicaciones.quien')
    .select([
      ...(['publicaciones.id', 'email', 'origen', 'de', 'nota', 'estado', 'fallas', 'huella'] as const),
      ...(['publicaciones.created_at', 'publicada_at'] as const),
    ])
    .where('edicion', '=', anio)
    .orderBy('publicaciones.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ email, created_at, publicada_at, ...row }) => ({
    ...row,
    quien: email,
    at: publicada_at ?? created_at,
  }))
}

/** sha256 of the pictures and files that a list of changes names, by their path in the edition. */
export async function sumasDe(
  db: Database,
  cambios: readonly Cambio[],
  ...conocidas: Record<string, string>[]
): Promise<Record<string, string>> {
  const rutas = cambios.flatMap(({ antes, ahora }) =>
    [antes, ahora].flatMap((dicho) => (!dicho || 'texto' in dicho ? [] : 'foto' in dicho ? dicho.foto : dicho.archivo)),
  )
  const found = await Promise.all(
    [...new Set(rutas)].map(async (ruta) => {
      const known = conocidas.find((sumas) => Object.hasOwn(sumas, ruta))?.[ruta]
      return [ruta, known ?? (await archivoDe(db, ruta))?.sha256] as const
    }),
  )
  return Object.fromEntries(found.filter((one): one is [string, string] => one[1] !== undefined))
}
