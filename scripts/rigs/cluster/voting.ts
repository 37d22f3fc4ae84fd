import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { workOn } from '#app/core/http/proof-of-work.client.ts'
import type { WorkChallenge } from '#app/core/http/proof-of-work.ts'
import type { VoteAnswer } from '#app/voting/ballot/schema.ts'
import { recount } from '#app/voting/sealing/recount.server.ts'
import { ELECTION } from '#tests/support/voting/votes.ts'
import { expect, type SmokeTest, until } from '../smoke-test.ts'
import type { Installation } from './machines.ts'
import { signInOrganiser } from './organisers.ts'
import { spread, Visitor } from './visitor.ts'

const form = (fields: Record<string, string>) => new URLSearchParams(fields)

let people = 0

/** Creates voters with a session, as after a sign-in by code. @param domain of their email addresses */
export async function voters(place: Installation, count: number, domain = 'gmail.com'): Promise<Visitor[]> {
  const first = people + 1
  people += count
  await place.pool.query(
    `insert into profiles (id, name, email, email_verified)
     select 'varios-' || n, '', 'varios' || n || '@' || $3, true from generate_series($1::int, $2::int) n`,
    [first, people, domain],
  )
  await place.pool.query(
    `insert into sessions (id, token, user_id, expires_at, vence_at)
     select 'varios-' || n, 'varios-' || n, 'varios-' || n, now() + '1 day', '2100-01-01'
     from generate_series($1::int, $2::int) n`,
    [first, people],
  )
  const key = place.services.keyed('cookies').export().toString('base64url')
  return Array.from({ length: count }, (_, at) => {
    const token = `varios-${first + at}`
    const who = new Visitor(place)
    const signature = createHmac('sha256', key).update(token).digest('base64')
    who.keep('__Host-certamen.session_token', encodeURIComponent(`${token}.${signature}`))
    return who
  })
}

interface VoteAttempt {
  place?: number
  intento?: string
  processName?: string
}

/** Votes as the page does: repeats the vote until it is answered, with a proof of work where that is asked. */
export async function castVote(who: Visitor, { place = 0, intento = randomUUID(), processName }: VoteAttempt = {}) {
  const fields = { vote: String(place), intento }
  for (let extra = {}; ; ) {
    const answer = await who.requestUntilAnswered('/misspopularidad/voto', {
      body: form({ ...fields, ...extra }),
      processName,
    })
    const said = answer.json<VoteAnswer>()
    if (said.ok || !said.reto) return said
    extra = { reto: JSON.stringify(said.reto), respuesta: (await workOn(said.reto))! }
  }
}

/** Codes that went to an address, the newest last. */
const codesSentTo = ({ smtp }: Installation, address: string) =>
  smtp.accepted.flatMap(({ to, raw }) => (to.includes(address) && /^Subject:.*?(\d{6})/m.exec(raw)?.[1]) || [])

/**
 * Signs a visitor in by a code, as the page does, through any process. A code taken by a process that died before it answered is
 * used up: the visitor then asks for another one, as the page says.
 */
export async function signIn(place: Installation, who: Visitor, address: string): Promise<void> {
  let { reto } = (await who.requestUntilAnswered('/entrar')).json<{ reto: WorkChallenge }>()
  for (let attempt = 1; ; attempt++) {
    const before = codesSentTo(place, address).length
    const proofOfWork = { reto: JSON.stringify(reto), respuesta: (await workOn(reto))! }
    const asked = await who.requestUntilAnswered('/entrar', {
      body: form({ hacer: 'pedir', correo: address, ...proofOfWork }),
    })
    if (asked.status === 428 && attempt < 5) {
      // A proof of work counts once: a repeated request gets a new challenge.
      reto = asked.json<{ reto: WorkChallenge }>().reto
      continue
    }
    expect(asked.status === 200, `pedir: ${asked.status} ${asked.text}`)
    await until(`el código de ${address}`, () => codesSentTo(place, address).length > before, 90_000)
    const code = codesSentTo(place, address).at(-1)!
    const entered = await who.requestUntilAnswered('/entrar', {
      body: form({ hacer: 'codigo', correo: address, codigo: code }),
    })
    if (entered.status === 200) return
    expect(entered.status === 401 && attempt < 5, `codigo: ${entered.status} ${entered.text}`)
  }
}

/** Waits until every vote is sealed, and recounts. @returns the number of ballots @throws on a fault of the recount */
export async function recountVotes(place: Installation): Promise<number> {
  await until('todos los votos sellados', async () => {
    const { rows } = await place.pool.query('select count(*)::int as n from banda_digital_votes where lote is null')
    return rows[0].n === 0
  })
  const { faults, ballotCount } = await recount(place.services, ELECTION)
  expect(faults.length === 0, faults.join('; '))
  return ballotCount
}

function expectMailsSentOnce({ smtp }: Installation): void {
  const ids = smtp.accepted.map(({ messageId }) => messageId)
  expect(ids.length === new Set(ids).size, `${ids.length - new Set(ids).size} correos salieron dos veces`)
}

export async function tryVoting({ holds }: SmokeTest, place: Installation): Promise<void> {
  console.log('La votación, cada petición en el proceso que toque:')
  const { processes, pool } = place
  const receipts = new Set<string>()
  const keep = (said: VoteAnswer) => {
    expect(said.ok, JSON.stringify(said))
    receipts.add(said.recibo)
  }
  await holds('código pedido, recibido y escrito; voto y recibo por correo, una vez', async () => {
    for (let nth = 0; nth < 3; nth++) {
      const who = new Visitor(place)
      const address = `entra${nth}@proton.me`
      await signIn(place, who, address)
      const said = await castVote(who, { place: nth })
      keep(said)
      spread(who)
      const receipt = said.ok ? said.recibo : ''
      const shown = receipt.replaceAll(/(.{4})(?=.)/g, '$1-')
      const found = () => place.smtp.accepted.filter(({ to, raw }) => to.includes(address) && raw.includes(shown))
      await until('el recibo', () => found().length > 0)
      expect(found().length === 1, `${found().length} recibos`)
    }
  })
  await holds(
    'quien vota tres veces a la vez en tres procesos cuenta una vez, y repetir el mismo envío da el mismo recibo',
    async () => {
      for (const who of await voters(place, 8)) {
        const said = await Promise.all(processes.map(({ name }) => castVote(who, { processName: name })))
        expect(said.filter(({ ok }) => ok).length === 1, JSON.stringify(said))
        for (const one of said) if (one.ok) keep(one)
      }
      for (const who of await voters(place, 8)) {
        const attempt = randomUUID()
        const said = await Promise.all(
          processes.map(({ name }) => castVote(who, { processName: name, intento: attempt })),
        )
        const given = new Set(said.map((one) => one.ok && one.recibo))
        expect(given.size === 1 && !given.has(false), JSON.stringify(said))
        keep(said[0]!)
      }
    },
  )
  await holds('el trabajo que pide uno se entrega en otro', async () => {
    const school = await voters(place, 150, 'escuela-azahares.mx')
    let worked = 0
    for (const [at, who] of school.entries()) {
      // A process's view of all votes is some seconds old.
      if (at > 110) await sleep(500)
      const fields = { vote: '1', intento: randomUUID() }
      const [one, two] = [processes[at % 3]!.name, processes[(at + 1) % 3]!.name]
      const first = (
        await who.request('/misspopularidad/voto', { body: form(fields), processName: one })
      ).json<VoteAnswer>()
      if (first.ok || !first.reto) {
        keep(first)
        continue
      }
      const proof = { reto: JSON.stringify(first.reto), respuesta: (await workOn(first.reto))! }
      const said = await who.request('/misspopularidad/voto', { body: form({ ...fields, ...proof }), processName: two })
      keep(said.json<VoteAnswer>())
      if (++worked === 3) return
    }
    throw new Error('nadie tuvo que trabajar')
  })
  await holds('los resultados en vivo son los mismos en cada uno, al momento', async () => {
    await Promise.all((await voters(place, 30)).map(async (who, at) => keep(await castVote(who, { place: at % 5 }))))
    const who = await signInOrganiser(place)
    const { rows } = await pool.query('select count(*)::int as n from banda_digital_votes')
    const total = new RegExp(`"total":${rows[0].n}\\b`)
    for (const { name } of processes) {
      const seen = await who.request('/misspopularidad-resultados/vivo', {
        processName: name,
        until: total,
        patienceMs: 5_000,
      })
      expect(seen.status === 200 && total.test(seen.text), `${name}: ${seen.text.slice(0, 200)}`)
    }
  })
  await holds('cada voto confirmado está, sellado una vez, y la cadena se recuenta entera', async () => {
    const ballots = await recountVotes(place)
    expect(ballots === receipts.size, `${ballots} papeletas, ${receipts.size} recibos`)
  })
  await holds('ningún correo salió dos veces', async () => expectMailsSentOnce(place))
}
