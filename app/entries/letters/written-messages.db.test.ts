import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '#app/accounts/people/mutations.server.ts'
import { DAY_MS, HOUR_MS } from '#app/core/time/durations.ts'
import { findByFolio } from '#app/entries/folio.server.ts'
import { deleteEntry } from '#app/entries/retention/deletion.server.ts'
import { seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { decryptMail } from '#tests/support/mail/decrypted-mail.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { cancelAppointment, findAppointment, readAppointment, remindOfAppointments } from './appointments.server.ts'
import { listMessages, listSendings, sendMessage, sendMessageIn } from './written-messages.server.ts'

let site: TestSite
const actor = { quien: 'nadie', desde: 'prueba' }
beforeAll(async () => {
  site = await openTestSite()
  await createAccount(site.services.db, { email: 'eva@comite.example', role: 'admin' }, actor)
  actor.quien = (await site.services.db.selectFrom('profiles').select('id').executeTakeFirstOrThrow()).id
})
afterAll(() => site.close())

const db = () => site.services.db
const mailsOf = (id: number) => db().selectFrom('correos').selectAll().where('inscripcion_id', '=', id).execute()
const MESSAGE = {
  asunto: 'Hola, {nombre}',
  texto: 'Te falta tu acta.\nTu folio es {folio}.',
  appointment: undefined,
}

test('everybody chosen is told once: by mail or, without an address, by telephone with the same words ready', async () => {
  const ana = await seedEntry(site.services, { titular: 'Ana Colorín Nardo', correo: 'ana@ejemplo.mx' })
  const iris = await seedEntry(site.services, {
    titular: 'Iris Lirio Rosa',
    celular: '33 1234 5678',
    mayUseWhatsApp: true,
  })
  const sendingId = randomUUID()
  const send = () => sendMessage(site.services, { ...MESSAGE, sendingId, entryIds: [ana, iris] }, actor)
  await Promise.all([send(), send()])
  const [email, ...more] = await mailsOf(ana)
  expect(more).toEqual([])
  const { subject, text } = decryptMail(email!)
  expect(subject).toBe('Hola, Ana')
  expect(text).toContain('Te falta tu acta.')
  expect(await mailsOf(iris)).toEqual([])

  const [one, other] = (await listMessages(db(), { sendingId })).toSorted((a, b) => a.entryId - b.entryId)
  expect(one).toMatchObject({ titular: 'Ana Colorín Nardo', mail: { suerte: 'espera' }, author: 'eva@comite.example' })
  expect(other).toMatchObject({ asunto: 'Hola, Iris', mail: undefined, tel: 'tel:+523312345678' })
  expect(other!.texto).toMatch(/^Te falta tu acta\.\n\nTu folio es .{14}\.$/)
  expect(other!.whatsapp).toBe(`https://wa.me/523312345678?text=${encodeURIComponent(other!.texto)}`)
  // The entry's own history says it too, and the list of messages names the sending once.
  expect(await listMessages(db(), { entryId: iris })).toEqual([other])
  const { edicion } = await db()
    .selectFrom('inscripciones')
    .select('edicion')
    .where('id', '=', ana)
    .executeTakeFirstOrThrow()
  expect(await listSendings(db(), edicion)).toMatchObject([{ sendingId, entryCount: 2 }])

  // The words go with the entry.
  await deleteEntry(site.services, iris, 'solicitud', actor)
  await deleteEntry(site.services, ana, 'solicitud', actor)
  expect(await listMessages(db(), { sendingId })).toEqual([])
  expect(await db().selectFrom('mensajes_escritos').selectAll().execute()).toEqual([])
})

test('a person without permission for WhatsApp has her telephone alone', async () => {
  const id = await seedEntry(site.services, { celular: '33 1234 5678' })
  await sendMessage(site.services, { ...MESSAGE, sendingId: randomUUID(), entryIds: [id] }, actor)
  const [message] = await listMessages(db(), { entryId: id })
  expect(message).toMatchObject({ tel: 'tel:+523312345678', whatsapp: undefined })
})

test('an appointment stands in the letter, with the folio and in a calendar file, and is reminded of once, the day before', async () => {
  const id = await seedEntry(site.services, { correo: 'ana@ejemplo.mx' })
  const { folio } = await db()
    .selectFrom('inscripciones')
    .select('folio')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const now = site.services.clock.now()
  const clockAt = (ms: number) => ({ ...site.services, clock: { now: () => new Date(ms) } })
  const invite = (daysAhead: number, place: string) => {
    const appointment = { at: new Date(now.getTime() + daysAhead * DAY_MS), place }
    return sendMessage(site.services, { ...MESSAGE, appointment, sendingId: randomUUID(), entryIds: [id] }, actor)
  }
  await invite(2, 'Presidencia')
  // A later message moves the appointment.
  await invite(3, 'Casa de la Cultura')
  const messages = await listMessages(db(), { entryId: id })
  expect(messages.map(({ appointment }) => appointment?.place)).toEqual(['Casa de la Cultura', 'Presidencia'])
  const [, email] = await mailsOf(id)
  expect(decryptMail(email!).text).toMatch(/Tienes una cita el .*\. Lugar: Casa de la Cultura\./)
  const code = /\/cita\/(.{36})\.ics/.exec(decryptMail(email!).text)![1]!
  expect(await findAppointment(db(), code, now)).toMatchObject({ place: 'Casa de la Cultura' })
  const seen = async (at: Date) => (await findByFolio(db(), folio, at))?.view.cita
  expect(await seen(now)).toEqual({
    texto: expect.stringMatching(/^Tienes una cita el .* Lugar: Casa de la Cultura\.$/),
    calendario: `/cita/${code}.ics`,
  })
  expect(await seen(new Date(now.getTime() + 4 * DAY_MS))).toBeUndefined()

  await remindOfAppointments(clockAt(now.getTime() + 2 * DAY_MS - HOUR_MS))
  expect(await mailsOf(id)).toHaveLength(2)
  const theDayBefore = clockAt(now.getTime() + 2 * DAY_MS + HOUR_MS)
  await Promise.all([remindOfAppointments(theDayBefore), remindOfAppointments(theDayBefore)])
  await remindOfAppointments(theDayBefore)
  const [, , reminder, ...more] = await mailsOf(id)
  expect(more).toEqual([])
  expect(decryptMail(reminder!).text).toContain('Lugar: Casa de la Cultura.')
})

test('a cancelled appointment is gone from the folio and the calendar, is told once by mail, and is not reminded of', async () => {
  const id = await seedEntry(site.services, { titular: 'Ana Colorín Nardo', correo: 'ana@ejemplo.mx' })
  const now = site.services.clock.now()
  const inDays = (days: number) => new Date(now.getTime() + days * DAY_MS)
  const invite = (days: number, place: string) => {
    const appointment = { at: inDays(days), place }
    return sendMessage(site.services, { ...MESSAGE, appointment, sendingId: randomUUID(), entryIds: [id] }, actor)
  }
  await invite(2, 'Presidencia')
  await invite(3, 'Casa de la Cultura')
  const { code } = (await readAppointment(db(), id, now))!
  const cancel = (seenCode: string) => cancelAppointment(site.services, { entryId: id, code: seenCode }, actor)
  // A screen that shows an appointment of before cancels nothing.
  expect(await cancel(randomUUID())).toBe(false)
  expect((await Promise.all([cancel(code), cancel(code)])).toSorted()).toEqual([false, true])
  expect(await cancel(code)).toBe(false)

  const { folio } = await db()
    .selectFrom('inscripciones')
    .select('folio')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect((await findByFolio(db(), folio, now))?.view.cita).toBeUndefined()
  expect(await findAppointment(db(), code, now)).toBeUndefined()
  const [, , letter, ...more] = await mailsOf(id)
  expect(more).toEqual([])
  expect(decryptMail(letter!).text).toMatch(/Hola, Ana\. Se canceló tu cita, la que era el .* en: Casa de la Cultura\./)
  expect((await listMessages(db(), { entryId: id }))[0]).toMatchObject({ asunto: 'Tu cita se canceló' })
  const events = await db().selectFrom('bitacora').select('que').where('inscripcion', '=', id).orderBy('id').execute()
  expect(events.at(-1)).toEqual({ que: 'mensaje.cita-cancelada' })

  const theDayBefore = { ...site.services, clock: { now: () => new Date(inDays(2).getTime() + HOUR_MS) } }
  await remindOfAppointments(theDayBefore)
  expect(await mailsOf(id)).toHaveLength(3)
  // Another appointment may follow.
  await invite(4, 'Kiosco')
  expect((await findByFolio(db(), folio, now))?.view.cita?.texto).toContain('Kiosco')
})

test('an appointment that another organiser moves at the same moment is not cancelled', async () => {
  const id = await seedEntry(site.services, { correo: 'ana@ejemplo.mx' })
  const now = site.services.clock.now()
  const appointment = (place: string) => ({ at: new Date(now.getTime() + DAY_MS), place })
  const invitation = { ...MESSAGE, appointment: appointment('Kiosco'), sendingId: randomUUID(), entryIds: [id] }
  await sendMessage(site.services, invitation, actor)
  const { code } = (await readAppointment(db(), id, now))!
  const move = { ...invitation, appointment: appointment('Presidencia'), sendingId: randomUUID() }
  const { cancelling } = await db()
    .transaction()
    .execute(async (tx) => {
      await sendMessageIn(tx, site.services, move, actor, 'mensaje.escrito')
      const cancelling = cancelAppointment(site.services, { entryId: id, code }, actor)
      const countWaiting = async () =>
        (await site.database.pool.query(`select from pg_locks where not granted`)).rowCount
      await expect.poll(countWaiting).toBeGreaterThan(0)
      // In an object, so that the transaction does not wait for it.
      return { cancelling }
    })
  expect(await cancelling).toBe(false)
  expect((await readAppointment(db(), id, now))?.place).toBe('Presidencia')
  expect(await mailsOf(id)).toHaveLength(2)
})

test('a reminder that fails does not keep the others from going out', async () => {
  const now = site.services.clock.now()
  const appointment = { at: new Date(now.getTime() + 10 * DAY_MS), place: 'Kiosco' }
  const [broken, ana] = [
    await seedEntry(site.services, { correo: 'rota@ejemplo.mx' }),
    await seedEntry(site.services, { correo: 'ana@ejemplo.mx' }),
  ]
  await sendMessage(site.services, { ...MESSAGE, appointment, sendingId: randomUUID(), entryIds: [broken, ana] }, actor)
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'broken'; end $$`.execute(db())
  await sql`create trigger refuse before update on mensajes_escritos for each row
    when (new.inscripcion_id = ${sql.raw(String(broken))}) execute function refuse()`.execute(db())
  const theDayBefore = { now: () => new Date(appointment.at.getTime() - HOUR_MS) }
  await remindOfAppointments({ ...site.services, clock: theDayBefore })
  expect(await mailsOf(ana)).toHaveLength(2)
  expect(await mailsOf(broken)).toHaveLength(1)
})
