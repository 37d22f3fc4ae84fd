import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { anotarVarios } from '#app/bitacora/mutations.server.ts'
import { encolarCorreo, encolarIguales } from '#app/correo/mutations.server.ts'
import { gather } from '#app/platform/batches.server.ts'
import { makeCode } from '#app/platform/codigos.ts'
import type { Services } from '#app/platform/services.server.ts'
import { cartaDeCodigo, cartaDePuerta } from './correos.server.ts'
import { countIntentos, forgetIntentos, type Intento, refundRitmos } from './intentos.server.ts'
import { CODIGO_MINUTES, LIMITES } from './rules.ts'

/** A request for a one-time code. */
interface PedidoDeCodigo extends Intento {
  /** Whose account it opens. */
  correo: string
  /** The same address as it was typed: the part before the @, capitals included, means what its own server says. */
  entrega: string
}

/** A code that was right, for the account that it opened. */
interface Acierto extends Intento {
  quien: string
  desde: string
}

export interface Codigos {
  /**
   * Counts a request, makes the code and queues its message.
   * @returns seconds to wait, when nothing was sent; 0 once the message is queued on disk
   */
  pedir(pedido: PedidoDeCodigo): Promise<number>
  /** Counts a code that is about to be tried. @returns seconds to wait before it may be tried; 0: now */
  contar(intento: Intento): Promise<number>
  /** Takes back the attempts that a right code counted, and writes the sign-in into the log. */
  acertar(acierto: Acierto): Promise<void>
}

interface Codigo {
  correo: string
  codigo: string
}

const TRANSACTIONS = 1
const MAX_ITEMS = 250
/** Stands in the message for each voter's own code. */
const AJENO = '######'

/**
 * The codes of one process. A whole town asks for them within minutes: requests that come in while others are being
 * written go together into the next transaction.
 * @param hashCodigo hashes a code with a key; without it, somebody who reads the table cannot try all million codes
 */
export function createCodigos(
  { db, settings }: Pick<Services, 'db' | 'settings'>,
  hashCodigo: (codigo: string) => string,
): Codigos {
  const sitio = settings.publicUrl

  // better-auth's email-otp looks for a value in this form: the hash, and how often the code was tried.
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

  async function send(tx: Services['db'], pedidos: Pick<PedidoDeCodigo, 'correo' | 'entrega'>[]): Promise<void> {
    const correos = pedidos.map(({ correo }) => correo)
    const { rows } = await sql<{ email: string }>`
      select email from profiles where email = any(${correos}::text[]) and role is not null`.execute(tx)
    const conClave = new Set(rows.map(({ email }) => email))
    for (const to of conClave)
      await encolarCorreo(tx, { ...cartaDePuerta(), to, sitio, idempotencyKey: `puerta:${randomUUID()}` })
    const codigos = pedidos
      .filter(({ correo }) => !conClave.has(correo))
      .map(({ correo, entrega }) => ({ correo, entrega, codigo: makeCode(6, '0123456789') }))
    if (codigos.length === 0) return
    await putInForce(tx, codigos)
    await encolarIguales(
      tx,
      cartaDeCodigo(AJENO, CODIGO_MINUTES),
      sitio,
      AJENO,
      codigos.map(({ entrega, codigo }) => ({
        idempotencyKey: `codigo:${randomUUID()}`,
        to: entrega,
        propio: codigo,
      })),
    )
  }

  const together = <Item extends Intento, Result>(run: (tx: Services['db'], items: Item[]) => Promise<Result[]>) =>
    gather((items: Item[]) => db.transaction().execute((tx) => run(tx, items)), {
      atOnce: TRANSACTIONS,
      most: MAX_ITEMS,
      keyOf: ({ cuenta }) => cuenta,
    })

  return {
    pedir: together(async (tx, pedidos: PedidoDeCodigo[]) => {
      const waits = await countIntentos(tx, pedidos, { red: LIMITES.envioRed, cuenta: LIMITES.envio })
      const free = pedidos.filter((_, at) => waits[at] === 0)
      if (free.length > 0) await send(tx, free)
      return waits
    }),
    contar: together((tx, intentos: Intento[]) =>
      countIntentos(tx, intentos, { red: LIMITES.redCodigo, cuenta: LIMITES.codigo }),
    ),
    acertar: together(async (tx, aciertos: Acierto[]) => {
      await refundRitmos(
        tx,
        aciertos.map(({ red }) => red),
        LIMITES.redCodigo,
      )
      await forgetIntentos(
        tx,
        aciertos.map(({ cuenta }) => cuenta),
      )
      await anotarVarios(
        tx,
        aciertos.map(({ quien, desde }) => ({ autor: { quien, desde }, evento: { que: 'acceso.codigo' } })),
      )
      return aciertos.map(() => undefined)
    }),
  }
}
