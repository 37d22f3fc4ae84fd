import { randomInt, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { encolarCorreo, encolarIguales } from '#app/correo/mutations.server.ts'
import { gather } from '#app/platform/batches.server.ts'
import type { Services } from '#app/platform/services.server.ts'
import { countLimites, countRitmos } from './intentos.server.ts'
import { CODIGO_MINUTES, LIMITES } from './rules.ts'

/** A request for a one-time code. */
export interface PedidoDeCodigo {
  correo: string
  /** Keyed hashes under which the network and the address are counted. */
  red: string
  cuenta: string
}

interface Codigo {
  correo: string
  codigo: string
}

const TRANSACTIONS = 1
const MAX_PEDIDOS = 250
/** Stands in the message where each voter has the own code, as people read it. */
const AJENO = '000 000'

/**
 * Counts requests for codes, makes the codes and queues their messages. A town asks within minutes: those that come in
 * while others are being written down go together into the next transaction.
 * @param hashCodigo how a code is kept: whoever reads the table cannot try all million without its key
 * @returns seconds to wait, and nothing was sent; 0: a message is on its way, once this is on disk
 */
export function createPedidos(
  { db, settings }: Pick<Services, 'db' | 'settings'>,
  hashCodigo: (codigo: string) => string,
): (pedido: PedidoDeCodigo) => Promise<number> {
  const sitio = settings.publicUrl

  // In the form in which better-auth's email-otp looks for it: the hash, and how often it was tried.
  async function putInForce(tx: Services['db'], codigos: Codigo[]): Promise<void> {
    await sql`
      insert into verifications (id, identifier, value, expires_at)
      select id, 'sign-in-otp-' || correo, hash || ':0', now() + make_interval(mins => ${CODIGO_MINUTES})
      from unnest(${codigos.map(() => randomUUID())}::text[], ${codigos.map(({ correo }) => correo)}::text[],
        ${codigos.map(({ codigo }) => hashCodigo(codigo))}::text[]) as c (id, correo, hash)
      order by correo
      on conflict (identifier) do update
        set value = excluded.value, expires_at = excluded.expires_at, created_at = now(), updated_at = now()`.execute(
      tx,
    )
  }

  async function send(tx: Services['db'], correos: string[]): Promise<void> {
    const { rows } = await sql<{ email: string }>`
      select email from profiles where email = any(${correos}::text[]) and role is not null`.execute(tx)
    const conClave = new Set(rows.map(({ email }) => email))
    for (const to of conClave)
      await encolarCorreo(tx, { kind: 'puerta', to, sitio, idempotencyKey: `puerta:${randomUUID()}` })
    const codigos = correos
      .filter((correo) => !conClave.has(correo))
      // Every digit as likely as the next.
      .map((correo) => ({ correo, codigo: String(randomInt(1_000_000)).padStart(6, '0') }))
    if (codigos.length === 0) return
    await putInForce(tx, codigos)
    await encolarIguales(
      tx,
      { kind: 'codigo', codigo: AJENO.replace(' ', ''), minutos: CODIGO_MINUTES },
      sitio,
      AJENO,
      codigos.map(({ correo, codigo }) => ({
        clave: `codigo:${randomUUID()}`,
        to: correo,
        propio: `${codigo.slice(0, 3)} ${codigo.slice(3)}`,
      })),
    )
  }

  const pedirTodos = (pedidos: PedidoDeCodigo[]): Promise<number[]> =>
    db.transaction().execute(async (tx) => {
      const waits = await countRitmos(
        tx,
        pedidos.map(({ red }) => red),
        LIMITES.envioRed,
      )
      const passed = pedidos.filter((_, at) => waits[at] === 0)
      if (passed.length === 0) return waits
      const held = await countLimites(
        tx,
        passed.map(({ cuenta }) => cuenta),
        LIMITES.envio,
      )
      const free = passed.filter(({ cuenta }) => !held.has(cuenta))
      if (free.length > 0)
        await send(
          tx,
          free.map(({ correo }) => correo),
        )
      return pedidos.map(({ cuenta }, at) => waits[at] || (held.get(cuenta) ?? 0))
    })

  return gather(pedirTodos, { atOnce: TRANSACTIONS, most: MAX_PEDIDOS, keyOf: ({ cuenta }) => cuenta })
}
