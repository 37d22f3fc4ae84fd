import { findFileByPath } from '#app/cms/media/file-store.server.ts'
import { formFaultOf } from '#app/cms/schema/faults.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { ContentChange } from './diff.ts'

/** Lists the newest publications of an edition, newest first, with the email address of the publishing organiser, if one is known. */
export async function listPublications(db: Database, year: number, limit: number) {
  const rows = await db
    .selectFrom('publicaciones')
    .leftJoin('profiles', 'profiles.id', 'publicaciones.quien')
    .select([
      'publicaciones.id',
      'email',
      'origen',
      'de',
      'nota',
      'estado',
      'fallas',
      'huella',
      'publicaciones.created_at',
      'publicada_at',
    ])
    .select((eb) => eb.case().when('fallas', 'is not', null).then(eb.ref('valores')).end().as('faultyValues'))
    .where('edicion', '=', year)
    .orderBy('publicaciones.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ email, created_at, publicada_at, fallas, faultyValues, ...row }) => ({
    ...row,
    faults: (fallas ?? []).map((fault) => formFaultOf(fault, faultyValues ?? {})),
    authorEmail: email,
    at: publicada_at ?? created_at,
  }))
}

/**
 * Finds the SHA-256 of the pictures and files in changes, by path. An unknown file is absent.
 * @param knownChecksums by path, looked up before the database
 */
export async function findChecksums(
  db: Database,
  changes: readonly ContentChange[],
  ...knownChecksums: Record<string, string>[]
): Promise<Record<string, string>> {
  const paths = changes.flatMap(({ before, after }) =>
    [before, after].flatMap((value) => (!value || 'text' in value ? [] : 'photo' in value ? value.photo : value.file)),
  )
  const checksums = await Promise.all(
    [...new Set(paths)].map(async (path) => {
      const knownChecksum = knownChecksums.find((byPath) => Object.hasOwn(byPath, path))?.[path]
      return [path, knownChecksum ?? (await findFileByPath(db, path))?.sha256] as const
    }),
  )
  return Object.fromEntries(checksums.filter((entry): entry is [string, string] => entry[1] !== undefined))
}
