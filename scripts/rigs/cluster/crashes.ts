import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Page } from '@playwright/test'
import { button, chooseDocuments, documents, fillFields, goToRegistration } from '#tests/e2e/registration-form.ts'
import { ensureTestBrowser } from '../../browser.mjs'
import { expect, type SmokeTest, until } from '../smoke-test.ts'
import { countConnections } from './connection-budget.ts'
import { type FilledForm, newFilledForm, submitRegistration, verify } from './entries.ts'
import type { Installation, RunningProcess } from './machines.ts'
import {
  editDraft,
  everyProcessShows,
  publish,
  readDraftIntroduction,
  readPublishedIntroduction,
  signInOrganiser,
} from './organisers.ts'
import { Visitor } from './visitor.ts'
import { castVote, recountVotes, signIn, voters } from './voting.ts'

/** How long a process stays frozen: longer than the proxy waits. */
const FROZEN_MS = 7_000
/** Time limit for one sign-in, vote and registration once all processes run again. */
const NEXT_MS = 20_000

type CrashSignal = 'SIGKILL' | 'SIGTERM' | 'SIGSTOP'
const CRASH_SIGNALS: readonly CrashSignal[] = ['SIGKILL', 'SIGTERM', 'SIGSTOP']

/** Brings a process down, and up again. */
async function crash(runningProcess: RunningProcess, crashSignal: CrashSignal): Promise<void> {
  if (crashSignal !== 'SIGSTOP') {
    await runningProcess.kill(crashSignal)
    return runningProcess.start()
  }
  runningProcess.child!.kill('SIGSTOP')
  await sleep(FROZEN_MS)
  runningProcess.child!.kill('SIGCONT')
}

/** Pause before a refused action is tried again, as the page does. */
const AGAIN_MS = 200

interface Done {
  /** Names in all registrations that were tried. */
  entrants: string[]
  folios: Map<string, FilledForm>
  receipts: string[]
  signIns: string[]
  published: string[]
  faults: string[]
}

/** Repeats every action of visitors and organisers until `isOver`; a fault of one action does not end the others. */
async function keepWorking(place: Installation, isOver: () => boolean): Promise<Done> {
  const done: Done = { entrants: [], folios: new Map(), receipts: [], signIns: [], published: [], faults: [] }
  const again = async (what: string, work: () => Promise<void>) => {
    while (!isOver())
      await work().catch((error: Error) => {
        const missing = `${what}: ${error.message}`
        if (!done.faults.includes(missing)) console.log(`    ${missing}`)
        done.faults.push(missing)
        return sleep(AGAIN_MS)
      })
  }
  const registerEntry = async () => {
    const filledForm = newFilledForm(done.entrants.length % 2 === 0 ? 'candidata' : 'traje', 1.6 * 2 ** 20)
    done.entrants.push(filledForm.entrant)
    const who = new Visitor(place)
    const { folio } = await submitRegistration(who, filledForm)
    done.folios.set(folio, filledForm)
    who.close()
  }
  const people = await voters(place, 4_000)
  const vote = async () => {
    const who = people.pop()
    if (!who) return sleep(200).then(() => {})
    const said = await castVote(who, { place: people.length % 5 })
    who.close()
    if (said.ok) done.receipts.push(said.recibo)
    else done.faults.push(`voto: ${said.reason}`)
    await sleep(40)
  }
  const codeSignIn = async () => {
    const address = `caida${randomUUID().slice(0, 8)}@proton.me`
    const who = new Visitor(place)
    await signIn(place, who, address)
    const said = await castVote(who)
    who.close()
    if (said.ok) done.receipts.push(said.recibo)
    done.signIns.push(address)
  }
  const editor = await signInOrganiser(place)
  const publication = async () => {
    const antes = (await readDraftIntroduction(place)) ?? (await readPublishedIntroduction(place)).introduccion
    const expected = `Publicado ${randomUUID()}.`
    await editDraft(editor, { documento: 'inicio.yaml', campo: ['introduccion'], antes, ahora: expected })
    // The publication may have succeeded without an answer; publishing again is then refused, which is ignored.
    await publish(place, editor).catch(() => {})
    await until(`«${expected}» publicado`, async () => {
      const now = (await readPublishedIntroduction(place)).introduccion
      if (now === expected) return true
      const { rows: waiting } = await place.pool.query(`select 1 from publicaciones where estado = 'preparando'`)
      if (waiting.length === 0) await publish(place, editor).catch(() => {})
      await sleep(500)
      return false
    })
    done.published.push(expected)
    await sleep(1_000)
  }
  await Promise.all([
    again('inscripción', registerEntry),
    again('inscripción', registerEntry),
    ...Array.from({ length: 6 }, () => again('voto', vote)),
    again('entrada', codeSignIn),
    again('publicación', publication),
  ])
  return done
}

/** One sign-in with a vote, and one registration, once all processes run again. */
async function next(place: Installation): Promise<void> {
  const began = Date.now()
  const who = new Visitor(place)
  await Promise.all([
    signIn(place, who, `sigue${randomUUID().slice(0, 8)}@proton.me`).then(() => castVote(who)),
    submitRegistration(new Visitor(place), newFilledForm('candidata', 300_000)),
  ])
  expect(Date.now() - began < NEXT_MS, `${Math.round((Date.now() - began) / 1_000)} s`)
}

/** @param turns how often each process is brought down in each way */
export async function tryCrashes(smokeTest: SmokeTest, place: Installation, turns: number): Promise<void> {
  const { holds } = smokeTest
  const { processes, pool } = place
  console.log('Caídas, en medio de todo:')
  const { rows: before } = await pool.query('select count(*)::int as n from banda_digital_votes')
  const mails = place.smtp.accepted.length
  const counts = countConnections(place)
  let isOver = false
  let crashes = 0
  const working = keepWorking(place, () => isOver)
  await sleep(2_000)
  for (let wayBack = 0; wayBack < turns; wayBack++)
    for (const crashSignal of CRASH_SIGNALS)
      for (const runningProcess of processes) {
        await crash(runningProcess, crashSignal)
        crashes++
        await sleep(500 + 1_500 * Math.random())
      }
  await Promise.all(processes.map((runningProcess) => crash(runningProcess, 'SIGKILL')))
  crashes += processes.length
  await sleep(2_000)
  isOver = true
  const done = await working
  const { folios, entrants, receipts, signIns, published, faults } = done
  console.log(
    `    ${crashes} caídas; entretanto ${folios.size} inscripciones, ${receipts.length} votos, ${signIns.length} entradas por código, ${published.length} publicaciones`,
  )
  await holds('nadie se quedó sin respuesta: la página lo intenta de nuevo, y sale', async () =>
    expect(faults.length === 0, `${faults.length}: ${[...new Set(faults)].slice(0, 4).join(' | ')}`),
  )
  await holds('cada folio está, una vez, con sus bytes; ninguna inscripción quedó a medias', async () => {
    expect(folios.size > 0, 'ninguna inscripción entró')
    for (const [folio, filledForm] of folios) expect((await verify(place, filledForm)) === folio, 'otro folio')
    const { rows } = await pool.query('select titular from inscripciones where titular = any($1)', [entrants])
    expect(new Set(rows.map(({ titular }) => titular)).size === rows.length, 'una inscripción está dos veces')
    await until('ninguna entrega a medias', async () => {
      const { rows: open } = await pool.query(`select count(*)::int as n from entregas where estado = 'guardando'`)
      return open[0].n === 0
    })
  })
  await holds('cada voto confirmado está, una vez; todo sellado, y la cadena se recuenta entera', async () => {
    const { rows } = await pool.query('select count(*)::int as n from banda_digital_votes where recibo = any($1)', [
      receipts,
    ])
    expect(rows[0].n === receipts.length, `${rows[0].n} de ${receipts.length}`)
    const ballots = await recountVotes(place)
    expect(
      ballots === before[0].n + receipts.length,
      `${ballots} papeletas, ${before[0].n + receipts.length} confirmadas`,
    )
  })
  await holds('lo último publicado se ve en todos, y nada quedó preparándose', async () => {
    expect(published.length > 0, 'no se publicó nada')
    await everyProcessShows(place, (await readPublishedIntroduction(place)).introduccion)
    const { rows } = await pool.query(`select estado, count(*)::int as n from publicaciones group by 1`)
    expect(
      rows.every(({ estado }) => estado === 'publicada'),
      JSON.stringify(rows),
    )
  })
  await holds('cada correo salió; los que salieron dos veces, sólo por morir entre la entrega y su nota', async () => {
    await until(
      'la cola vacía',
      async () => {
        const { rows } = await pool.query(
          'select count(*)::int as n from correos where sent_at is null and failed_at is null',
        )
        return rows[0].n === 0
      },
      120_000,
    )
    const ids = place.smtp.accepted.slice(mails).map(({ messageId }) => messageId)
    const twice = ids.length - new Set(ids).size
    console.log(`    ${ids.length} correos, ${twice} repetidos con el mismo Message-ID`)
    expect(twice <= 4 * crashes, `${twice} repetidos`)
  })
  await holds(`lo que sigue pasa en menos de ${NEXT_MS / 1_000} s`, () => next(place))
  await counts.end(smokeTest)
  await holds('la página de una visitante sigue sola mientras caen procesos, y termina en su folio', () =>
    withBrowser(place, crashDuringForm),
  )
}

async function withBrowser(
  place: Installation,
  work: (place: Installation, page: Page) => Promise<void>,
): Promise<void> {
  const browser = await chromium.launch({ executablePath: ensureTestBrowser() })
  try {
    const context = await browser.newContext({ baseURL: place.origin, ignoreHTTPSErrors: true })
    await work(place, await context.newPage())
  } finally {
    await browser.close()
  }
}

/** Sends the form with its files over a slow line, while the processes are brought down one after the other. */
async function crashDuringForm(place: Installation, page: Page): Promise<void> {
  const name = 'Ximena Nopal Caída'
  await goToRegistration(page)
  await fillFields(page, { nombre: name })
  await chooseDocuments(page, documents(4_500_000))
  const line = await page.context().newCDPSession(page)
  await line.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: 30, downloadThroughput: 4_000_000, uploadThroughput: 900_000 },
  })
  await button(page).click()
  for (const [at, runningProcess] of place.processes.entries()) {
    await sleep(2_000)
    await crash(runningProcess, CRASH_SIGNALS[at % CRASH_SIGNALS.length]!)
  }
  const good = page.getByRole('status').filter({ hasText: 'Registro exitoso.' })
  await good.waitFor({ timeout: 120_000 }).catch(async () => {
    throw new Error((await page.locator('main').innerText()).slice(0, 300))
  })
  const { rows } = await place.pool.query('select folio from inscripciones where titular = $1', [name])
  expect(rows.length === 1, `${rows.length} inscripciones`)
  expect(await page.getByText(rows[0].folio).isVisible(), 'no muestra su folio')
}
