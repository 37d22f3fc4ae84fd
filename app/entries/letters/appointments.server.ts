import { sql } from 'kysely'
import type { Actor } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { isNotBeingDeleted } from '#app/entries/data.server.ts'
import { mailSenderOf, queueMail } from '#app/mail/mutations.server.ts'
import { cancellationMessage, reminderLetter } from './rules.ts'
import type { Appointment } from './schema.ts'
import { sendMessageIn } from './written-messages.server.ts'

/** Builds the query for coming appointments. Only the appointment that was made last for an entry counts. */
const selectAppointments = (db: Database, now: Date) =>
  db
    .selectFrom('mensajes_escritos as message')
    .innerJoin('inscripciones', 'inscripciones.id', 'message.inscripcion_id')
    .select(['message.id', 'inscripcion_id', 'folio', 'correo', 'cita_lugar', 'cita_codigo', 'recordada_at'])
    .select(sql<Date>`cita_at`.as('cita_at'))
    .where('cita_at', '>', now)
    .where(isNotBeingDeleted)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('mensajes_escritos as newer')
            .select('newer.id')
            .whereRef('newer.inscripcion_id', '=', 'message.inscripcion_id')
            .whereRef('newer.id', '>', 'message.id')
            .where('newer.cita_at', 'is not', null),
        ),
      ),
    )

const toAppointment = (row: { cita_at: Date; cita_lugar: string | null; cita_codigo: string | null }): Appointment => ({
  at: row.cita_at,
  place: row.cita_lugar!,
  code: row.cita_codigo!,
})

export async function readAppointment(db: Database, entryId: number, now: Date): Promise<Appointment | undefined> {
  const row = await selectAppointments(db, now).where('inscripcion_id', '=', entryId).executeTakeFirst()
  return row && toAppointment(row)
}

/** Finds the coming appointment whose calendar file has the code in its URL; undefined if there is none. */
export async function findAppointment(db: Database, code: string, now: Date): Promise<Appointment | undefined> {
  const row = await selectAppointments(db, now).where('cita_codigo', '=', code).executeTakeFirst()
  return row && toAppointment(row)
}

/**
 * Cancels an entry's coming appointment, and tells the entrant by a message.
 * @param code of the appointment that the organiser saw
 * @returns false if the entry has another appointment meanwhile, or none
 */
export function cancelAppointment(
  services: Pick<Services, 'db' | 'settings' | 'keyed' | 'clock'>,
  { entryId, code }: { entryId: number; code: string },
  actor: Actor,
): Promise<boolean> {
  return services.db.transaction().execute(async (tx) => {
    // Another organiser may just be sending another appointment, or cancelling this one, and locks the row as well.
    await tx.selectFrom('inscripciones').select('id').where('id', '=', entryId).forUpdate().execute()
    const now = services.clock.now()
    const appointment = await readAppointment(tx, entryId, now)
    if (appointment?.code !== code) return false
    // All coming appointments of the entry go, since the one made before this would count next.
    await tx
      .updateTable('mensajes_escritos')
      .set({ cita_at: null, cita_lugar: null, cita_codigo: null })
      .where('inscripcion_id', '=', entryId)
      .where('cita_at', '>', now)
      .execute()
    const message = { ...cancellationMessage(appointment), appointment: undefined }
    const sending = { ...message, sendingId: code, entryIds: [entryId] }
    await sendMessageIn(tx, services, sending, actor, 'mensaje.cita-cancelada')
    return true
  })
}

/**
 * Queues one reminder for each appointment of the next 24 hours, if the entrant gave an email and the appointment was made more than
 * a day before it takes place.
 */
export async function remindOfAppointments(
  services: Pick<Services, 'db' | 'settings' | 'keyed' | 'clock' | 'log'>,
): Promise<void> {
  const { db, clock, log } = services
  const now = clock.now()
  const dueAppointments = await selectAppointments(db, now)
    .where('recordada_at', 'is', null)
    .where('correo', 'is not', null)
    .where(sql<boolean>`cita_at <= ${now}::timestamptz + interval '1 day' and message.at < cita_at - interval '1 day'`)
    .execute()
  for (const row of dueAppointments)
    await db
      .transaction()
      .execute(async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('mensajes_escritos')
          .set({ recordada_at: now })
          .where('id', '=', row.id)
          // Meanwhile the appointment may have been cancelled, or another process may have sent the reminder.
          .where('cita_at', 'is not', null)
          .where('recordada_at', 'is', null)
          .executeTakeFirst()
        if (numUpdatedRows === 0n) return
        const queueResult = await queueMail(tx, {
          ...reminderLetter(toAppointment(row), row.folio),
          to: row.correo!,
          sender: mailSenderOf(services),
          entryId: row.inscripcion_id,
          idempotencyKey: `recordatorio:${row.id}`,
        })
        if (!queueResult.ok) log.warn({ id: row.id }, 'an appointment has no reminder, since its address takes no mail')
      })
      // One reminder that fails must not keep the others from going out; the next run tries it again.
      .catch((error: unknown) => log.error({ id: row.id, err: error }, 'appointment reminder failed'))
}
