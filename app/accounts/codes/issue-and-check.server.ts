import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { readQuedan } from '#app/accounts/data.server.ts'
import { cartaDeCodigo, cartaDePuerta } from '#app/accounts/mails.server.ts'
import {
  CODIGO_MINUTES,
  type Codigos,
  cabenEn,
  LIMITES,
  MAX_CODIGO_ATTEMPTS,
  OLVIDO_SIN_USAR,
  trabajoDeCodigo,
  type Vecindad,
} from '#app/accounts/rules.ts'
import { huellaDe, isSame } from '#app/accounts/sessions/cookies.server.ts'
import {
  addNiveles,
  countLimites,
  countRitmos,
  forgetIntentos,
  refundRitmos,
} from '#app/accounts/throttling/rate-limit.server.ts'
import { spendTrabajos } from '#app/accounts/throttling/spent-work.server.ts'
import { anotarVarios } from '#app/audit/mutations.server.ts'
import { isEnough, type TrabajoHecho } from '#app/core/http/proof-of-work.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { gather } from '#app/core/jobs/batching.server.ts'
import { digitsOf } from '#app/core/text/random-codes.ts'
import { encolarCorreo, encolarIguales, remiteDe } from '#app/mail/mutations.server.ts'
import { createVecindades } from './network-reputation.server.ts'

/** Who asks for a code, or tries one. */
interface Solicitante {
  /** Whose account it opens. */
  correo: string
  /** The browser's nonce. */
  navegador: string
  /** Keyed hash of the network address. */
  red: string
}

/** A request for a one-time code. */
interface PedidoDeCodigo extends Solicitante {
  /** The same address as it was typed: the part before the @, capitals included, means what its own server says. */
  entrega: string
  /** Keyed hash of the network as far as one subscriber owns it. */
  bloque: string
  /** Keyed hash of the network's neighbourhood, where it is known whether codes are used. */
  vecindad: string
  hecho: TrabajoHecho | undefined
}

type RespuestaDePedido =
  | { ok: true }
  | { ok: false; reason: 'espera' | 'red-llena' | 'cuota'; retrySeconds: number }
  /** Without work there is no more now: until when, and how much it takes. */
  | { ok: false; reason: 'trabajo'; retrySeconds: number; intentos: number }

type RespuestaDeIntento =
  | { ok: true }
  | { ok: false; reason: 'espera'; retrySeconds: number }
  | { ok: false; reason: 'credenciales' }

export interface CodigosDelSitio {
  /** Counts a request, puts the code in force and queues its message. */
  pedir(pedido: PedidoDeCodigo): Promise<RespuestaDePedido>
  /** Tries a code; a right one is used up. @param codigo undefined: what was typed can be none */
  probar(intento: Solicitante & { codigo: string | undefined }): Promise<RespuestaDeIntento>
  /** Takes back the attempts that a right code counted, and writes the sign-in into the log. */
  acertar(acierto: Solicitante & { quien: string; desde: string }): Promise<void>
  /** What became of the codes of a neighbourhood. */
  vecindadDe(vecindad: string): Promise<Vecindad>
}

const TRANSACTIONS = 1
const MAX_ITEMS = 250
/** Stands in the message for each voter's own code. */
const AJENO = '######'
const DIGITS = 6
/** How long a refused person waits: for neighbours' codes to be used, and for a day's mail to be past. */
const LLENA_SECONDS = 60
const CUOTA_SECONDS = 3_600
/** So that nothing that one purpose has hashed is of use for another. */
const PROPOSITO = 'entrar'

/**
 * The codes of one process. A whole town asks for them within minutes: requests that come in while others are being
 * written go together into the next transaction.
 * @param ultimos what happened to the codes of the last minutes, over all processes
 */
export function createCodigos(
  services: Pick<Services, 'db' | 'settings' | 'keyed'>,
  ultimos: () => Promise<Codigos>,
): CodigosDelSitio {
  const { db, keyed } = services
  const remite = remiteDe(services)
  const key = keyed('codigos')
  const [envioKey, rastroKey] = [keyed('codigos.envio'), keyed('codigos.rastro')]

  /** Names an address together with the browser that asks for it. */
  const navegadorOf = ({ correo, navegador }: Solicitante) =>
    huellaDe(key, PROPOSITO, correo, navegador).toString('base64url')
  const valorOf = ({ correo, navegador }: Solicitante, codigo: string) =>
    huellaDe(key, PROPOSITO, correo, navegador, codigo).toString('base64url')
  /** The code that a message carries: whoever reads the database knows the message's name, and not the key. */
  const codigoOf = (correo: string, envio: string) => digitsOf(huellaDe(envioKey, PROPOSITO, correo, envio), DIGITS)
  const rastroOf = (...parts: string[]) =>
    huellaDe(rastroKey, ...parts)
      .toString('base64url')
      .slice(0, 22)
  const direccionOf = ({ correo }: Pick<Solicitante, 'correo'>) => rastroOf('direccion', correo)
  const vecindades = createVecindades(rastroOf)
  const { nivelOf } = vecindades

  /** Counts what has happened last in a transaction, since every process writes into the same row. */
  const countMinuto = (tx: Services['db'], { enviados, usados, fallos }: Codigos) =>
    enviados + usados + fallos === 0
      ? undefined
      : sql`
        insert into codigos_por_minuto (minuto, enviados, usados, fallos)
        values (date_trunc('minute', now()), ${enviados}, ${usados}, ${fallos})
        on conflict (minuto) do update set enviados = codigos_por_minuto.enviados + excluded.enviados,
          usados = codigos_por_minuto.usados + excluded.usados,
          fallos = codigos_por_minuto.fallos + excluded.fallos`.execute(tx)

  interface Envio {
    envio: string
    enviadoAt: Date | null
  }
  /** The newest message of each address whose code is still in force. */
  async function findEnvios(tx: Services['db'], direcciones: string[]): Promise<Map<string, Envio>> {
    if (direcciones.length === 0) return new Map()
    const { rows } = await sql<{ direccion: string; envio: string; enviado_at: Date }>`
      select distinct on (direccion) direccion, envio, enviado_at from codigos
      where direccion = any(${direcciones}::text[]) and enviado_at > now() - make_interval(mins => ${CODIGO_MINUTES})
      order by direccion, enviado_at desc`.execute(tx)
    return new Map(rows.map(({ direccion, envio, enviado_at }) => [direccion, { envio, enviadoAt: enviado_at }]))
  }

  /** @param enviadoAt null: with this very transaction */
  async function putInForce(tx: Services['db'], codigos: (PedidoDeCodigo & Envio)[]): Promise<void> {
    const column = <T>(of: (one: PedidoDeCodigo & Envio) => T) => codigos.map(of)
    await sql`
      insert into codigos (navegador, direccion, envio, enviado_at, valor, red, vence_at)
      select navegador, direccion, envio, coalesce(enviado_at, now()), valor, red,
        now() + make_interval(mins => ${CODIGO_MINUTES})
      from unnest(${column(navegadorOf)}::text[], ${column(direccionOf)}::text[], ${column(({ envio }) => envio)}::uuid[],
        ${column(({ enviadoAt }) => enviadoAt)}::timestamptz[],
        ${column((one) => valorOf(one, codigoOf(one.correo, one.envio)))}::text[], ${column(({ vecindad }) => nivelOf(vecindad))}::text[])
        as c (navegador, direccion, envio, enviado_at, valor, red)
      order by navegador
      on conflict (navegador) do update
        set envio = excluded.envio, enviado_at = excluded.enviado_at, valor = excluded.valor, intentos = 0,
          red = excluded.red, vence_at = excluded.vence_at`.execute(tx)
  }

  /** @param isAjeno whether codes have never been used where this one is asked for */
  async function send(
    tx: Services['db'],
    pedidos: PedidoDeCodigo[],
    isAjeno: (one: PedidoDeCodigo) => boolean,
  ): Promise<void> {
    const waits = await countRitmos(
      tx,
      pedidos.map((one) => rastroOf('mensajes', one.correo)),
      LIMITES.mensajes,
    )
    const mayMail = new Set(pedidos.filter((_, at) => waits[at] === 0))
    const { rows } = await sql<{ email: string }>`
      select email from profiles
      where email = any(${pedidos.map(({ correo }) => correo)}::text[]) and role is not null`.execute(tx)
    const conClave = new Set(rows.map(({ email }) => email))
    const votantes = pedidos.filter(({ correo }) => !conClave.has(correo))
    // Held: the address has had its messages. This browser waits for the code of the last one, and nobody is flooded.
    const envios = await findEnvios(tx, votantes.filter((one) => !mayMail.has(one)).map(direccionOf))
    const codigos = votantes.map((one) => ({
      ...one,
      ...(envios.get(direccionOf(one)) ?? { envio: randomUUID(), enviadoAt: null }),
    }))
    if (codigos.length > 0) await putInForce(tx, codigos)
    for (const one of pedidos)
      if (conClave.has(one.correo) && mayMail.has(one))
        await encolarCorreo(tx, {
          ...cartaDePuerta(),
          ...{ to: one.correo, remite },
          idempotencyKey: `puerta:${randomUUID()}`,
        })
    const nuevos = codigos.filter(({ enviadoAt }) => enviadoAt === null)
    const filas = nuevos.map((one) => ({
      idempotencyKey: `codigo:${one.envio}`,
      to: one.entrega,
      propio: codigoOf(one.correo, one.envio),
      ajeno: isAjeno(one),
    }))
    await encolarIguales(tx, cartaDeCodigo(AJENO, CODIGO_MINUTES), remite, AJENO, filas)
    await addNiveles(
      tx,
      pedidos.map(({ vecindad }) => nivelOf(vecindad)),
      OLVIDO_SIN_USAR,
    )
    await countMinuto(tx, { enviados: nuevos.length, usados: 0, fallos: 0 })
  }

  async function pedirTodos(tx: Services['db'], pedidos: PedidoDeCodigo[]): Promise<RespuestaDePedido[]> {
    const juzgados = await vecindades.read(tx, pedidos)
    const isAjeno = (one: PedidoDeCodigo) => juzgados.get(one.correo)!.esAjeno
    const codigos = await ultimos()
    const answers = new Map<PedidoDeCodigo, RespuestaDePedido>()
    const left = () => pedidos.filter((one) => !answers.has(one))
    const takesOf = (one: PedidoDeCodigo) => trabajoDeCodigo(juzgados.get(one.correo)!.vecindad, codigos)
    const askForWork = (one: PedidoDeCodigo, retrySeconds: number) =>
      answers.set(one, { ok: false, reason: 'trabajo', retrySeconds, intentos: takesOf(one) })

    // Where the day's mail is short, those whose codes are used go first, also of what came in together.
    const quedan = await readQuedan(tx)
    const caben = new Map<string, number>()
    for (const one of pedidos.toSorted((a, b) => Number(isAjeno(a)) - Number(isAjeno(b)))) {
      const room = caben.get(one.vecindad) ?? cabenEn(juzgados.get(one.correo)!.vecindad)
      caben.set(one.vecindad, room - 1)
      if (room <= 0) answers.set(one, { ok: false, reason: 'red-llena', retrySeconds: LLENA_SECONDS })
      else if (quedan.codigos <= 0 || (isAjeno(one) && quedan.ajenos <= 0))
        answers.set(one, { ok: false, reason: 'cuota', retrySeconds: CUOTA_SECONDS })
      else {
        quedan.codigos--
        if (isAjeno(one)) quedan.ajenos--
      }
    }

    // Who brings no work takes the slower lane: that of the own network first, so that no network fills everybody's.
    for (const [rastroDe, limite] of [
      [({ bloque }: PedidoDeCodigo) => rastroOf('sin-trabajo', bloque), LIMITES.sinTrabajoRed],
      [() => rastroOf('sin-trabajo'), LIMITES.sinTrabajo],
    ] as const) {
      const without = left().filter((one) => !isEnough(one.hecho, takesOf(one)))
      const waits = await countRitmos(tx, without.map(rastroDe), limite)
      for (const [at, one] of without.entries()) if (waits[at]! > 0) askForWork(one, waits[at]!)
    }

    const some = left()
    const held = await countRitmos(
      tx,
      some.map(({ red }) => rastroOf('envio-red', red)),
      LIMITES.envioRed,
    )
    for (const [at, one] of some.entries())
      if (held[at]! > 0) answers.set(one, { ok: false, reason: 'espera', retrySeconds: held[at]! })

    const own = new Map(left().map((one) => [`envio:${navegadorOf(one)}`, one]))
    for (const [rastro, retrySeconds] of await countLimites(tx, [...own.keys()], LIMITES.envio))
      answers.set(own.get(rastro)!, { ok: false, reason: 'espera', retrySeconds })

    const worked = left().filter((one) => isEnough(one.hecho, takesOf(one)))
    const fresh = await spendTrabajos(
      tx,
      worked.map(({ hecho }) => hecho!),
    )
    // A piece of work serves one request, also when two bring it at once.
    for (const one of worked) if (!fresh.delete(one.hecho!.huella)) askForWork(one, 1)

    const free = left()
    if (free.length > 0) await send(tx, free, isAjeno)
    return pedidos.map((one) => answers.get(one) ?? { ok: true })
  }

  type Intento = Parameters<CodigosDelSitio['probar']>[0]
  async function probarTodos(tx: Services['db'], intentos: Intento[]): Promise<RespuestaDeIntento[]> {
    const answers = new Map<Intento, RespuestaDeIntento>()
    const waits = await countRitmos(
      tx,
      intentos.map(({ red }) => rastroOf('codigo-red', red)),
      LIMITES.redCodigo,
    )
    for (const [at, one] of intentos.entries())
      if (waits[at]! > 0) answers.set(one, { ok: false, reason: 'espera', retrySeconds: waits[at]! })
    const own = new Map<string, Intento>(
      intentos.filter((one) => !answers.has(one)).map((one) => [`codigo:${navegadorOf(one)}`, one]),
    )
    for (const [rastro, retrySeconds] of await countLimites(tx, [...own.keys()], LIMITES.codigo))
      answers.set(own.get(rastro)!, { ok: false, reason: 'espera', retrySeconds })

    const free = new Map(intentos.filter((one) => !answers.has(one)).map((one) => [navegadorOf(one), one]))
    // Locked in one order, with the other browsers that wait for the same message.
    const { rows } = await sql<{ navegador: string; valor: string; envio: string }>`
      with held as materialized (
        select navegador from codigos
        where (direccion, envio) in
          (select direccion, envio from codigos where navegador = any(${[...free.keys()]}::text[]))
        order by navegador for update)
      update codigos c set intentos = c.intentos + 1 from held
      where c.navegador = held.navegador and c.navegador = any(${[...free.keys()]}::text[])
        and c.vence_at > now() and c.intentos < ${MAX_CODIGO_ATTEMPTS}
      returning c.navegador, c.valor, c.envio`.execute(tx)
    const right = rows.filter(({ navegador, valor }) => {
      const one = free.get(navegador)!
      return one.codigo !== undefined && isSame(valor, valorOf(one, one.codigo))
    })
    const used = await sql<{ navegador: string; envio: string; red: string }>`
      delete from codigos where direccion = any(${right.map(({ navegador }) => direccionOf(free.get(navegador)!))}::text[])
        and envio = any(${right.map(({ envio }) => envio)}::uuid[])
      returning navegador, envio, red`.execute(tx)
    // Of two browsers that bring the code of one message at once, one enters.
    const entered = new Map(right.map(({ navegador, envio }) => [envio, navegador]))
    for (const navegador of entered.values()) answers.set(free.get(navegador)!, { ok: true })
    await refundRitmos(
      tx,
      used.rows.map(({ red }) => red),
      { porSegundo: OLVIDO_SIN_USAR },
    )
    const mine = used.rows.filter(({ envio, navegador }) => entered.get(envio) === navegador)
    await vecindades.addUsados(
      tx,
      mine.map(({ red, navegador }) => ({ nivel: red, correo: free.get(navegador)!.correo })),
    )
    await countMinuto(tx, { enviados: 0, usados: entered.size, fallos: free.size - entered.size })
    return intentos.map((one) => answers.get(one) ?? { ok: false, reason: 'credenciales' })
  }

  const together = <Item extends Solicitante, Result>(run: (tx: Services['db'], items: Item[]) => Promise<Result[]>) =>
    gather((items: Item[]) => db.transaction().execute((tx) => run(tx, items)), {
      atOnce: TRANSACTIONS,
      most: MAX_ITEMS,
      keyOf: ({ correo }) => correo,
    })

  return {
    pedir: together(pedirTodos),
    probar: together(probarTodos),
    acertar: together(async (tx, aciertos: (Solicitante & { quien: string; desde: string })[]) => {
      await refundRitmos(
        tx,
        aciertos.map(({ red }) => rastroOf('codigo-red', red)),
        LIMITES.redCodigo,
      )
      await forgetIntentos(
        tx,
        aciertos.flatMap((one) => [`codigo:${navegadorOf(one)}`, `envio:${navegadorOf(one)}`]),
      )
      await anotarVarios(
        tx,
        aciertos.map(({ quien, desde }) => ({ autor: { quien, desde }, evento: { que: 'acceso.codigo' } })),
      )
      return aciertos.map(() => undefined)
    }),
    vecindadDe: (vecindad) => vecindades.readOne(db, vecindad),
  }
}
