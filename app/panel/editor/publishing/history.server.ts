import { findFileByPath } from '#app/cms/media/file-store.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Change } from './diff.ts'

/** Lists the publications of an edition, newest first, with the publisher's email. */
export async function listPublications(db: Database, year: number, limit: number) {
  const rows = await db
    .selectFrom('publicaciones')
    .leftJoin('profiles', 'profiles.id', 'publicaciones.quien')
    .select([
      ...(['publicaciones.id', 'email', 'origen', 'de', 'nota', 'estado', 'fallas', 'huella'] as const),
      ...(['publicaciones.created_at', 'publicada_at'] as const),
    ])
    .where('edicion', '=', year)
    .orderBy('publicaciones.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ email, created_at, publicada_at, ...row }) => ({
    ...row,
    authorEmail: email,
    at: publicada_at ?? created_at,
  }))
}

/** Finds the SHA-256 of the pictures and files that changes name, by path; a file that is unknown is absent. */
export async function checksumsOf(
  db: Database,
  changes: readonly Change[],
  ...knownChecksums: Record<string, string>[]
): Promise<Record<string, string>> {
  const paths = changes.flatMap(({ before, after }) =>
    [before, after].flatMap((value) => (!value || 'text' in value ? [] : 'photo' in value ? value.photo : value.file)),
  )
  const found = await Promise.all(
    [...new Set(paths)].map(async (path) => {
      const knownHash = knownChecksums.find((sums) => Object.hasOwn(sums, path))?.[path]
      return [path, knownHash ?? (await findFileByPath(db, path))?.sha256] as const
    }),
  )
  return Object.fromEntries(found.filter((one): one is [string, string] => one[1] !== undefined))
}
