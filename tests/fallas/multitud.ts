import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { newRegistro, type Registro, sendForm, sendRegistro } from '../solicitudes.ts'

/** What a fault of ours or of a machine answers, or a limit that passes: the page tries again by itself. */
const PASSING = [408, 425, 429, 500, 502, 503, 504, 507]
const AGAIN_MS = 150
const FILE_BYTES = 30_000
/** Between one voter and the next. */
const PAUSE_MS = 100
/** A page whose line went dead asks anew after so long. */
const PATIENCE_MS = 20_000

export interface Multitud {
  /** Receipts by voter, as the site confirmed them. */
  recibos: Map<string, { recibo: string; vote: number }>
  /** Registrations that the site confirmed. */
  confirmadas: Set<Registro>
  /** Every one that was begun. */
  empezadas: Registro[]
  /** Answers that nobody should get whatever fails: what a person could not mend by trying again. */
  raras: string[]
  /** Waits until so many more of each have been confirmed. */
  avanza(votos: number, registros: number, withinMs?: number): Promise<void>
  /** Nobody begins anything new; resolves once all that was begun is confirmed. */
  acaba(): Promise<void>
}

interface Puestos {
  url: string
  /** Cookies of signed-in voters who have not voted, by voter. */
  votantes: Map<string, string>
  /** Voters and registrations at once. */
  votan: number
  registran: number
  /** Reasons of refusals that pass by themselves, as the machine's clock is set right. */
  pasan?: readonly string[]
}

/**
 * People who vote and register one after another, as the pages do it: what is not confirmed is sent again under the same
 * key until it is, through whatever happens to the site meanwhile.
 */
export function startMultitud({ url, votantes, votan, registran, pasan = [] }: Puestos): Multitud {
  const recibos: Multitud['recibos'] = new Map()
  const confirmadas = new Set<Registro>()
  const empezadas: Registro[] = []
  const raras: string[] = []
  const queue = [...votantes]
  let isOpen = true
  let last = ''
  const passes = (said: string) => pasan.some((reason) => said.includes(`"reason":"${reason}"`))
  let people = 0

  async function vota(quien: string, cookie: string) {
    const nth = people++
    const body = new URLSearchParams({ vote: String(nth % 5), intento: randomUUID() })
    for (;;) {
      const headers = { cookie, 'x-forwarded-for': `10.${(nth >> 14) & 255}.${(nth >> 6) & 255}.${nth & 63}` }
      const signal = AbortSignal.timeout(PATIENCE_MS)
      const answer = await fetch(`${url}/misspopularidad/voto`, { method: 'POST', body, headers, signal }).catch(
        () => undefined,
      )
      const said = await answer?.text().catch(() => undefined)
      if (answer?.status === 200 && said !== undefined) {
        recibos.set(quien, { recibo: (JSON.parse(said) as { recibo: string }).recibo, vote: nth % 5 })
        return
      }
      if (answer && said !== undefined && !PASSING.includes(answer.status) && !passes(said)) {
        raras.push(`vote: ${answer.status} ${said.slice(0, 300)}`)
        return
      }
      await sleep(AGAIN_MS)
    }
  }

  async function registra(turn: number) {
    const registro = newRegistro(FILE_BYTES)
    empezadas.push(registro)
    const send = turn % 4 === 0 ? sendForm : sendRegistro
    for (let attempt = 0; ; attempt++) {
      try {
        await send(url, registro, AbortSignal.timeout(PATIENCE_MS))
        confirmadas.add(registro)
        return
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error)
        last = said
        // Refused for good, or again and again: that costs the person what she had entered.
        if (
          !passes(said) &&
          (/^Refused: (4(?!29|08)|.*"reason":"(yaRecibido|camposDesconocidos|peticion|subidasDemasiadas)")/.test(
            said,
          ) ||
            attempt > 2_000)
        ) {
          raras.push(`registration: ${said.slice(0, 600)}`)
          return
        }
      }
      await sleep(AGAIN_MS)
    }
  }

  const voters = Array.from({ length: votan }, async () => {
    for (let next = queue.shift(); next && isOpen; next = queue.shift()) {
      await vota(...next)
      await sleep(PAUSE_MS)
    }
  })
  const registrants = Array.from({ length: registran }, async (_, at) => {
    for (let turn = at; isOpen; turn++) await registra(turn)
  })

  return {
    recibos,
    confirmadas,
    empezadas,
    raras,
    async avanza(votos, registros, withinMs = 60_000) {
      const [fromVotos, fromRegistros] = [recibos.size, confirmadas.size]
      const isThere = () => recibos.size >= fromVotos + votos && confirmadas.size >= fromRegistros + registros
      for (const end = Date.now() + withinMs; !isThere(); await sleep(50))
        if (Date.now() > end)
          throw new Error(
            `After ${withinMs} ms: ${recibos.size - fromVotos} of ${votos} votes, ${confirmadas.size - fromRegistros} of ${registros} registrations. ${raras.slice(-2).join(' ')} Last refusal: ${last.slice(0, 300)}`,
          )
    },
    async acaba() {
      isOpen = false
      await Promise.all([...voters, ...registrants])
    },
  }
}
