// npm run test:varios: three processes of the site behind haproxy with deploy/haproxy.cfg, PostgreSQL behind pgbouncer in
// transaction mode, and one bucket of RadosGW. People vote and register while the processes are brought down. haproxy, pgbouncer
// and RadosGW are Debian's packages, unpacked under .cache. Checks that cannot run here are reported.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import { button, chooseDocuments, documents, fillFields, goToRegistration } from '#tests/e2e/registration-form.ts'
import { checkConsistency, makeVoters } from '#tests/faults/consistency.ts'
import { type Crowd, startCrowd } from '#tests/faults/crowd.ts'
import { publish } from '#tests/faults/publication.ts'
import { exportCommit, findPreviousCommit } from '#tests/support/site/version-before.ts'
import { ensureTestBrowser } from '../browser.mjs'
import { root } from '../prepare.mjs'
import { countConnections } from './connection-budget.ts'
import { CRASHES, type Installation, type Machine, withMachines } from './machines.ts'
import { createSmokeTest, expect, until } from './smoke-test.ts'

/** Limit for some votes and a registration once all processes run again and the crowd has gone on. */
const STEADY_LIMIT_MS = 20_000
const VOTER_COUNT = 8_000

const { values: options } = parseArgs({
  options: {
    puerto: { type: 'string', default: '18581' },
    solo: { type: 'string' },
    vueltas: { type: 'string', default: '1' },
    anterior: { type: 'string' },
  },
})
const isPartChosen = (part: string) => options.solo === undefined || options.solo === part
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const smokeTest = createSmokeTest()
const { check, untried } = smokeTest

/** Starts people who vote and register through the proxy until `finish`. */
async function startPeople({ origin, work, connection }: Installation): Promise<Crowd> {
  const voters = await makeVoters(work, VOTER_COUNT, connection)
  return startCrowd({
    url: origin,
    voterCookies: new Map([...voters].map(([voter, cookie]) => [voter, `__Host-${cookie}`])),
    votersAtOnce: 6,
    registrantsAtOnce: 3,
  })
}

/** Ends the crowd, and checks that all were answered and that every confirmed vote and registration is in the data. */
async function endAndCheckPeople(installation: Installation, crowd: Crowd): Promise<void> {
  await check('nadie se quedó sin respuesta: la página lo intenta de nuevo, y sale', async () => {
    await crowd.finish()
    expect(crowd.oddities.length === 0, crowd.oddities.slice(0, 4).join(' | '))
  })
  console.log(`    ${crowd.confirmed.size} inscripciones, ${crowd.receipts.size} votos`)
  await check(
    'cada inscripción confirmada está, una vez, con sus bytes; cada voto, una vez, sellado, y la cadena se recuenta entera',
    async () => {
      expect(crowd.confirmed.size > 0 && crowd.receipts.size > 0, 'no entró nada')
      const faults = await checkConsistency(installation.work, crowd, installation)
      expect(faults.length === 0, faults.slice(0, 4).join(' | '))
    },
  )
}

/** Waits until every machine has answered through the proxy, which notices a start a second or two later. */
async function waitForAllMachines({ origin, machines }: Installation): Promise<void> {
  const answeredBy = new Set<string | null>()
  await until('los tres', async () => {
    const response = await fetch(origin)
    if (response.ok) answeredBy.add(response.headers.get('x-proceso'))
    return answeredBy.size === machines.length
  })
}

async function tryStartCrashesAndBackups(installation: Installation): Promise<void> {
  const { machines, pool, connection } = installation
  console.log('Arranque:')
  await check('los tres a la vez sobre una base de datos vacía: migran, y hay un solo administrador', async () => {
    await Promise.all(machines.map((machine) => machine.start()))
    const { rows } = await pool.query(`select email from profiles where role = 'admin'`)
    const files = machines.filter(({ name }) => existsSync(join(installation.work, name, 'primer-administrador.txt')))
    expect(rows.length === 1 && files.length === 1, `${rows.length} cuentas, ${files.length} archivos con su clave`)
  })
  await check('contestan los tres', () => waitForAllMachines(installation))

  console.log('Caídas, mientras votan, se inscriben y publican:')
  const checkConnectionCounts = countConnections(installation)
  const crowd = await startPeople(installation)
  let publishedWord = ''
  await check(`cada uno muere, se apaga y se congela (${options.vueltas}×), y al final caen todos`, async () => {
    await crowd.advance(20, 2)
    for (let round = 0; round < Number(options.vueltas); round++)
      for (const crash of CRASHES) {
        publishedWord = `Publicado${round}${crash}`
        await publish(connection, publishedWord)
        for (const machine of machines) {
          await machine.crash(crash)
          await crowd.advance(5, 1)
        }
      }
    await Promise.all(machines.map((machine) => machine.crash('SIGKILL')))
    await crowd.advance(20, 2)
  })
  await check(`lo que sigue pasa en menos de ${STEADY_LIMIT_MS / 1_000} s`, () => crowd.advance(5, 1, STEADY_LIMIT_MS))
  await endAndCheckPeople(installation, crowd)
  await check('lo último publicado se ve en todos', () =>
    until(`«${publishedWord}»`, async () => {
      const pages = await Promise.all(machines.map(({ url }) => fetch(url).then((page) => page.text())))
      return pages.every((page) => page.includes(publishedWord))
    }),
  )
  await checkConnectionCounts(smokeTest)
  await check('la página de una visitante sigue sola mientras caen procesos, y termina en su folio', () =>
    crashDuringForm(installation),
  )

  console.log('Respaldo, a través de pgbouncer:')
  const [firstMachine, secondMachine] = machines as [Machine, Machine, Machine]
  const backup = join(installation.work, 'copia')
  await check('dos a la vez en dos máquinas: uno se hace, al otro se le dice', async () => {
    const outcomes = await Promise.all(
      [firstMachine, secondMachine].map((machine) => runCommandOn(machine, 'respaldo', '--a', backup)),
    )
    expect(
      outcomes.filter(({ ok }) => ok).length === 1 &&
        outcomes.some(({ linea }) => linea.includes('espera a que termine')),
      outcomes.map(({ linea }) => linea).join(' | '),
    )
  })
  await check('y su ensayo en otra máquina', async () => {
    const rehearsal = await runCommandOn(secondMachine, 'restaurar', backup, '--comprobar')
    expect(rehearsal.ok, rehearsal.linea)
  })
}

/** Runs a command of the terminal on one machine, while all of them serve. */
async function runCommandOn(
  { env }: Machine,
  name: string,
  ...args: string[]
): Promise<{ ok: boolean; linea: string }> {
  const script = join(root, `scripts/${name}.ts`)
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env() },
  })
  const [output, errorOutput] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(output.startsWith('{'), `${name}: ${output}${errorOutput}`)
  return JSON.parse(output)
}

/** Sends a form with its files over a slow line, while the processes are brought down one after the other. */
async function crashDuringForm({ origin, machines, pool }: Installation): Promise<void> {
  const name = 'Ximena Nopal Caída'
  const browser = await chromium.launch({ executablePath: ensureTestBrowser() })
  try {
    const page = await browser.newPage({ baseURL: origin, ignoreHTTPSErrors: true })
    // A browser that takes in five files beside three sites is slow.
    page.setDefaultTimeout(120_000)
    await goToRegistration(page)
    await fillFields(page, { nombre: name })
    await chooseDocuments(page, documents(4_500_000))
    const devTools = await page.context().newCDPSession(page)
    await devTools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 30,
      downloadThroughput: 4_000_000,
      uploadThroughput: 900_000,
    })
    await button(page).click()
    for (const [index, machine] of machines.entries()) {
      await sleep(2_000)
      await machine.crash(CRASHES[index]!)
    }
    const success = page.getByRole('status').filter({ hasText: 'Registro exitoso.' })
    await success.waitFor().catch(async () => {
      throw new Error((await page.locator('main').innerText()).slice(0, 300))
    })
    const { rows } = await pool.query('select folio from inscripciones where titular = $1', [name])
    expect(rows.length === 1, `${rows.length} inscripciones`)
    expect(await page.getByText(rows[0].folio).isVisible(), 'no muestra su folio')
  } finally {
    await browser.close()
  }
}

/**
 * Tries two versions at once: one process of the version before, two of this version.
 * @param versionFolder folder of the version before
 */
async function tryVersions(installation: Installation, versionFolder: string): Promise<void> {
  console.log('Dos versiones lado a lado:')
  const [oldMachine, ...newMachines] = installation.machines as [Machine, Machine, Machine]
  await check('la nueva arranca y migra mientras la de antes sirve, y la de antes sigue', async () => {
    await oldMachine.start(versionFolder)
    await Promise.all(newMachines.map((machine) => machine.start()))
    await waitForAllMachines(installation)
    expect((await fetch(`${oldMachine.url}/healthz`)).ok, 'la de antes ya no sirve')
  })
  await check('la página de cada una encuentra sus archivos, conteste quien conteste', async () => {
    const builds = new Set<string>()
    for (const { name, url } of installation.machines) {
      const page = await (await fetch(`${url}/registro`)).text()
      const assets = [...new Set(page.match(/\/assets\/[\w./-]+\.(?:js|css)/g))].sort()
      expect(assets.length > 3, `${name}: ${assets.length} archivos`)
      builds.add(assets.join())
      // Each asset is asked for once for each machine, since the proxy chooses the machine.
      for (const path of installation.machines.flatMap(() => assets)) {
        const { status } = await fetch(installation.origin + path)
        expect(status === 200, `${path} de ${name}: ${status}`)
      }
    }
    if (builds.size === 1) untried.push('archivos de dos construcciones: las dos versiones tienen los mismos')
  })
  const crowd = await startPeople(installation)
  await check('votan y se inscriben en las dos', () => crowd.advance(100, 10))
  await endAndCheckPeople(installation, crowd)
}

const firstPort = Number(options.puerto)
if (isPartChosen('caidas')) await withMachines(firstPort, tryStartCrashesAndBackups)
if (isPartChosen('versiones')) {
  const commit = options.anterior ?? (await findPreviousCommit())
  const versionFolder = await mkdtemp(join(tmpdir(), 'certamen-antes-'))
  try {
    if (commit === undefined) untried.push('dos versiones lado a lado: aquí no está la historia de git')
    else {
      await exportCommit(commit, versionFolder)
      await withMachines(firstPort, (installation) => tryVersions(installation, versionFolder))
    }
  } finally {
    await rm(versionFolder, { recursive: true, force: true })
  }
}
smokeTest.end()
