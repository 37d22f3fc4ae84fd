import { sql } from 'kysely'
import { parseEmail } from '#app/accounts/schema.ts'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { normalizeText, typedText } from '#app/core/text/typed-text.ts'
import { isoDateOf } from '#app/core/time/mexico-dates.ts'
import { readMailAvailability } from '#app/mail/data.server.ts'
import { mailSenderOf } from '#app/mail/mutations.server.ts'
import { isNotBeingDeleted } from './data.server.ts'
import { queueFolioMail } from './submission/mails.server.ts'

/** An entrant's request: for the lost folio, or for the deletion of the entry. */
export type EntryRequestKind = 'folio' | 'borrado'

/** Days after which an unanswered request is deleted. */
const RETENTION_DAYS = 90
/** Maximum number of unanswered requests of the press that are kept, since no account is needed to send one. */
const MAX_PRESS_REQUESTS = 200
/** Longest name of a journalist or of an outlet. */
const MAX_NAME_CHARACTERS = 120

export const deleteOldRequests = (db: Database) =>
  sql`delete from peticiones where created_at < now() - make_interval(days => ${RETENTION_DAYS})`.execute(db)

/** Returns a name without case, accents and repeated blanks, by which two spellings are compared. */
const comparableName = (name: string) =>
  normalizeText(typedText(name), 'NFD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ').toLowerCase()

/**
 * Handles a request of a person who gives the name and the phone of an entry. A folio is mailed to the entry's own address, if
 * there is one and mail goes out, within the limits of `queueFolioMail`. Any other request becomes a line in the panel. A request
 * that matches no entry is not stored, and the caller cannot tell.
 */
export async function submitEntryRequest(
  services: Pick<Services, 'db' | 'settings' | 'keyed'>,
  { kind, name, phone }: { kind: EntryRequestKind; name: string; phone: string },
): Promise<void> {
  const { db } = services
  const entries = await db
    .selectFrom('inscripciones')
    .select(['id', 'tipo', 'folio', 'titular', 'correo'])
    .where(sql<boolean>`telefonos_buscables(celular) @@ mismo_telefono(${phone})`)
    .where(isNotBeingDeleted)
    .execute()
  const mailAvailability = await readMailAvailability(services)
  await db.transaction().execute(async (tx) => {
    await deleteOldRequests(tx)
    for (const { id, tipo, folio, titular, correo } of entries) {
      if (comparableName(titular) !== comparableName(name)) continue
      const isMailed =
        kind === 'folio' &&
        correo !== null &&
        mailAvailability === 'goes' &&
        (await queueFolioMail(tx, tipo, folio, id, correo, mailSenderOf(services), isoDateOf(new Date())))
      if (!isMailed)
        await tx
          .insertInto('peticiones')
          .values({ que: kind, inscripcion_id: id })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
    }
  })
}

interface PressRequest {
  name: string
  outlet: string
  email: string
}

/** Stores a request for an accreditation. A second request for the same address changes nothing. */
export async function submitPressRequest(
  db: Database,
  typedRequest: PressRequest,
): Promise<{ ok: true } | { ok: false; reason: 'address' | 'names' | 'full' }> {
  const email = parseEmail(typedRequest.email)
  if (!email) return { ok: false, reason: 'address' }
  const [name, outlet] = [typedText(typedRequest.name), typedText(typedRequest.outlet)]
  if ([name, outlet].some((text) => text === '' || [...text].length > MAX_NAME_CHARACTERS))
    return { ok: false, reason: 'names' }
  return db.transaction().execute(async (tx) => {
    await deleteOldRequests(tx)
    const pressRequests = await listPressRequests(tx)
    if (pressRequests.length >= MAX_PRESS_REQUESTS && pressRequests.every((request) => request.email !== email))
      return { ok: false, reason: 'full' }
    await tx
      .insertInto('peticiones')
      .values({ que: 'acreditacion', nombre: name, medio: outlet, correo: email })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return { ok: true }
  })
}

export async function listPressRequests(db: Database): Promise<(PressRequest & { id: number })[]> {
  const rows = await db
    .selectFrom('peticiones')
    .select(['id', 'nombre', 'medio', 'correo'])
    .where('que', '=', 'acreditacion')
    .orderBy('id')
    .execute()
  return rows.map(({ id, nombre, medio, correo }) => ({ id, name: nombre!, outlet: medio!, email: correo! }))
}

export interface EntryRequest {
  id: number
  kind: EntryRequestKind
  entryId: number
  entrant: string
  at: Date
}

/** Lists the requests about entries, without entries that are being deleted, the oldest first. */
export async function listEntryRequests(db: Database): Promise<EntryRequest[]> {
  const rows = await db
    .selectFrom('peticiones')
    .innerJoin('inscripciones', 'inscripciones.id', 'peticiones.inscripcion_id')
    .select(['peticiones.id', 'que', 'inscripcion_id', 'titular', 'peticiones.created_at'])
    .where(isNotBeingDeleted)
    .orderBy('peticiones.id')
    .execute()
  return rows.map(({ id, que, inscripcion_id, titular, created_at }) => ({
    id,
    kind: que as EntryRequestKind,
    entryId: inscripcion_id!,
    entrant: titular,
    at: created_at,
  }))
}

/**
 * Deletes a request that was answered or dismissed.
 * @param idOrEmail the request's id, or the email of its journalist
 * @returns the id of the entry that the request was about; null for a request of the press; undefined if there is no such request
 */
export async function deleteRequest(db: Database, idOrEmail: number | string): Promise<number | null | undefined> {
  const deletedRequest = await db
    .deleteFrom('peticiones')
    .where((eb) =>
      typeof idOrEmail === 'number' ? eb('id', '=', idOrEmail) : eb('correo', '=', parseEmail(idOrEmail) ?? ''),
    )
    .returning('inscripcion_id')
    .executeTakeFirst()
  return deletedRequest?.inscripcion_id
}

/** Deletes a request of the press without an accreditation. */
export const dismissPressRequest = (db: Database, email: string, actor: Actor): Promise<{ ok: true }> =>
  db.transaction().execute(async (tx) => {
    if ((await deleteRequest(tx, email)) !== undefined)
      await writeAuditLog(tx, actor, { que: 'acreditacion.descartada' })
    return { ok: true }
  })

/** Counts the unanswered requests: of entrants, whose entry is not being deleted, and of the press. */
export async function countRequests(db: Database): Promise<{ entryRequestCount: number; pressRequestCount: number }> {
  const { rows } = await sql<{ entryRequestCount: number; pressRequestCount: number }>`
    select count(inscripciones.id)::int as "entryRequestCount", count(peticiones.correo)::int as "pressRequestCount"
    from peticiones left join inscripciones on inscripciones.id = inscripcion_id and ${isNotBeingDeleted}`.execute(db)
  return rows[0]!
}
