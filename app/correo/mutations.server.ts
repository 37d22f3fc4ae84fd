import { sql } from 'kysely'
import { type Ficha, loadFicha } from '#app/contenido/contenido.server.ts'
import type { Database } from '#app/platform/database.server.ts'
import { type AddressFault, checkAddress } from '#app/platform/mail-address.ts'
import { componerCorreo } from './plantilla.server.tsx'
import type { CorreoNuevo } from './schema.ts'

const DAY_MS = 24 * 60 * 60_000
/** RFC 5321 §4.5.4.1: a sender gives up after four to five days. */
const KEPT_TRYING_MS = 5 * DAY_MS

export type Encolado =
  /** `repetido`: it was queued before under this key, and stays as it is. */
  { ok: true; id: number; repetido: boolean } | { ok: false; reason: AddressFault }

/**
 * Queues one message to one person; a running site carries it within a second.
 * @param db the database, or the caller's transaction: then there is no message unless that commits
 */
export async function encolarCorreo(db: Database, correo: CorreoNuevo): Promise<Encolado> {
  const checked = checkAddress(correo.to)
  if (!checked.ok) return checked
  const { subject, text, html } = composed(correo, await loadFicha())
  const isCode = correo.kind === 'codigo'
  // A code that came too late would only mislead.
  const lifeMs = isCode ? correo.minutos * 60_000 : KEPT_TRYING_MS
  const made = await db
    .insertInto('correos')
    .values({
      idempotency_key: correo.idempotencyKey,
      kind: correo.kind,
      priority: isCode ? 0 : 1,
      recipient: checked.address,
      subject,
      body_text: text,
      body_html: html,
      expires_at: sql<Date>`now() + ${lifeMs} * interval '1 ms'`,
    })
    .onConflict((conflict) => conflict.column('idempotency_key').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (made) return { ok: true, id: made.id, repetido: false }
  const { id } = await db
    .selectFrom('correos')
    .select('id')
    .where('idempotency_key', '=', correo.idempotencyKey)
    .executeTakeFirstOrThrow()
  return { ok: true, id, repetido: true }
}

type Compuesto = ReturnType<typeof componerCorreo>

/** Stands in the words of a code until they are somebody's. */
const CODIGO_AJENO = { digits: '000000', read: '000 000' }
const codes = new WeakMap<Ficha, Map<string, Compuesto>>()

/** A town asks for its codes within minutes: they differ by their digits alone, and the rest is composed once. */
function composed(correo: CorreoNuevo, ficha: Ficha): Compuesto {
  if (correo.kind !== 'codigo') return componerCorreo(correo, correo.sitio, ficha)
  const kept = codes.get(ficha) ?? new Map<string, Compuesto>()
  codes.set(ficha, kept)
  const key = `${correo.minutos} ${correo.sitio}`
  const words = kept.get(key) ?? componerCorreo({ ...correo, codigo: CODIGO_AJENO.digits }, correo.sitio, ficha)
  kept.set(key, words)
  const read = `${correo.codigo.slice(0, 3)} ${correo.codigo.slice(3)}`
  const own = (text: string) => text.replaceAll(CODIGO_AJENO.read, read)
  return { subject: own(words.subject), text: own(words.text), html: own(words.html) }
}

/** Stands in the words that all voters of a batch are sent, where each has the own receipt. */
const RECIBO_AJENO = 'XXXX-XXXX-XXXX'

/**
 * Queues the receipts of many voters at once; each only once, however often it is asked for.
 * @param recibos `clave`: the message's name; `recibo`: as people read it
 */
export async function encolarRecibos(
  db: Database,
  sitio: string,
  recibos: { clave: string; to: string; recibo: string }[],
): Promise<void> {
  const words = componerCorreo({ kind: 'recibo', recibo: RECIBO_AJENO }, sitio, await loadFicha())
  const rows = recibos.flatMap(({ clave, to, recibo }) => {
    const checked = checkAddress(to)
    return checked.ok ? [{ clave, to: checked.address, recibo }] : []
  })
  if (rows.length === 0) return
  await sql`
    insert into correos (idempotency_key, kind, priority, recipient, subject, body_text, body_html, expires_at)
    select clave, 'recibo', 1, correo, ${words.subject}, replace(${words.text}, ${RECIBO_AJENO}, recibo),
      replace(${words.html}, ${RECIBO_AJENO}, recibo), now() + ${KEPT_TRYING_MS} * interval '1 ms'
    from unnest(${rows.map(({ clave }) => clave)}::text[], ${rows.map(({ to }) => to)}::text[],
      ${rows.map(({ recibo }) => recibo)}::text[]) as r (clave, correo, recibo)
    on conflict (idempotency_key) do nothing`.execute(db)
}
