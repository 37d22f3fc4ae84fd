import { sql } from 'kysely'
import { StartError } from '#app/core/process/start-error.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { readSmallObject } from '#app/core/storage/read-small-object.server.ts'
import { formatLongDateTimeWithZone } from '#app/core/time/mexico-dates.ts'
import type { Database } from './database.server.ts'

// A move leaves the old place as it was. A mark keeps a site with a forgotten setting from starting on the old place, whose new
// data would never reach the new place. The database and the files may be at different places, so each has its own mark.

/** Bucket and path of the mark in a storage. */
const MARK_OBJECT = ['mudado', 'adonde.json'] as const
const MAX_MARK_BYTES = 4_096

/** Marks a database as moved. @param destinationName readable name of the new place, without secrets */
export async function markDatabaseMoved(db: Database, destinationName: string): Promise<void> {
  await sql`insert into mudado (adonde) values (${destinationName})
    on conflict (unica) do update set adonde = excluded.adonde, at = clock_timestamp()`.execute(db)
}

/** Marks a storage as moved. @param destinationName readable name of the new place, without secrets */
export async function markStorageMoved(storage: ObjectStorage, destinationName: string): Promise<void> {
  const mark = Buffer.from(JSON.stringify({ adonde: destinationName, at: new Date() }))
  // An earlier mark is removed first, since objects are never overwritten.
  await unmarkStorage(storage)
  await storage.putBytes(...MARK_OBJECT, mark, { contentType: 'application/json', cacheControlSeconds: 0 })
}

export const unmarkStorage = (storage: ObjectStorage): Promise<void> => storage.remove(...MARK_OBJECT)

export async function unmarkDatabase(db: Database): Promise<void> {
  await db.deleteFrom('mudado').execute()
}

/** @throws StartError if the database or the storage was moved elsewhere */
export async function assertNotMoved(db: Database, storage: ObjectStorage): Promise<void> {
  const databaseMark = await db.selectFrom('mudado').select(['adonde', 'at']).executeTakeFirst()
  if (databaseMark) throw new StartError(movedMessage('Esta base de datos se mudó', databaseMark))
  const storageMark = await readSmallObject(storage, ...MARK_OBJECT, MAX_MARK_BYTES)
  if (storageMark)
    throw new StartError(
      movedMessage('Los archivos de este lugar se mudaron', JSON.parse(Buffer.from(storageMark).toString())),
    )
}

const movedMessage = (subject: string, { adonde, at }: { adonde: string; at: Date | string }) =>
  `${subject} a ${adonde} el ${formatLongDateTimeWithZone(new Date(at))}: lo que llegara aquí no estaría allá. Pon en los ajustes lo que dijo la mudanza. Para trabajar otra vez con este lugar, sin lo que llegó al otro: npm run mudanza -- --quedarse.`
