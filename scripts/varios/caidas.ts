import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Page } from '@playwright/test'
import { boton, chooseDocumentos, documentos, fillCampos, openRegistro } from '../../tests/e2e/documentos.ts'
import { ensureTestBrowser } from '../browser.mjs'
import { expect, type Paseo, until } from '../paseo.ts'
import { countConexiones } from './conexiones.ts'
import { comprobar, type Forma, newForma, registrar } from './inscripciones.ts'
import type { Lugar, Proceso } from './lugar.ts'
import { borradorDe, enTodas, escribir, introduccionDe, organizadora, publicar } from './organizacion.ts'
import { Visitante } from './visitante.ts'
import { entrar, recontar, votantes, votar } from './votacion.ts'

/** How long a frozen process stays so: longer than the proxy waits. */
const FROZEN_MS = 7_000
/** Within so long whatever comes next goes through, once all stand again. */
const NEXT_MS = 20_000

type Golpe = 'SIGKILL' | 'SIGTERM' | 'SIGSTOP'
const GOLPES: readonly Golpe[] = ['SIGKILL', 'SIGTERM', 'SIGSTOP']

/** Brings a process down, and up again. */
async function golpear(proceso: Proceso, golpe: Golpe): Promise<void> {
  if (golpe !== 'SIGSTOP') {
    await proceso.kill(golpe)
    return proceso.start()
  }
  proceso.child!.kill('SIGSTOP')
  await sleep(FROZEN_MS)
  proceso.child!.kill('SIGCONT')
}

/** Whoever was refused tries again after so long, as the page does. */
const AGAIN_MS = 200

interface Hecho {
  /** Names of all who tried. */
  titulares: string[]
  folios: Map<string, Forma>
  recibos: string[]
  entradas: string[]
  publicado: string[]
  faltas: string[]
}

/** Everything that visitors and the committee do, over and over, until `isOver`; a fault of one does not end the rest. */
async function trabajar(lugar: Lugar, isOver: () => boolean): Promise<Hecho> {
  const hecho: Hecho = { titulares: [], folios: new Map(), recibos: [], entradas: [], publicado: [], faltas: [] }
  const again = async (what: string, work: () => Promise<void>) => {
    while (!isOver())
      await work().catch((error: Error) => {
        const falta = `${what}: ${error.message}`
        if (!hecho.faltas.includes(falta)) console.log(`    ${falta}`)
        hecho.faltas.push(falta)
        return sleep(AGAIN_MS)
      })
  }
  const inscribir = async () => {
    const forma = newForma(hecho.titulares.length % 2 === 0 ? 'candidata' : 'traje', 1.6 * 2 ** 20)
    hecho.titulares.push(forma.titular)
    const who = new Visitante(lugar)
    const { folio } = await registrar(who, forma)
    hecho.folios.set(folio, forma)
    who.close()
  }
  const people = await votantes(lugar, 4_000)
  const voto = async () => {
    const who = people.pop()
    if (!who) return sleep(200).then(() => {})
    const said = await votar(who, { place: people.length % 5 })
    who.close()
    if (said.ok) hecho.recibos.push(said.recibo)
    else hecho.faltas.push(`voto: ${said.reason}`)
    await sleep(40)
  }
  const entrada = async () => {
    const address = `caida${randomUUID().slice(0, 8)}@proton.me`
    const who = new Visitante(lugar)
    await entrar(lugar, who, address)
    const said = await votar(who)
    who.close()
    if (said.ok) hecho.recibos.push(said.recibo)
    hecho.entradas.push(address)
  }
  const editora = await organizadora(lugar)
  const publicacion = async () => {
    const antes = (await borradorDe(lugar)) ?? (await introduccionDe(lugar)).introduccion
    const ahora = `Publicado ${randomUUID()}.`
    await escribir(editora, { documento: 'inicio.yaml', campo: ['introduccion'], antes, ahora })
    // It may have been published though no answer came: then there is nothing more to publish, and that is told.
    await publicar(lugar, editora).catch(() => {})
    await until(`«${ahora}» publicado`, async () => {
      const now = (await introduccionDe(lugar)).introduccion
      if (now === ahora) return true
      const { rows: waiting } = await lugar.pool.query(`select 1 from publicaciones where estado = 'preparando'`)
      if (waiting.length === 0) await publicar(lugar, editora).catch(() => {})
      await sleep(500)
      return false
    })
    hecho.publicado.push(ahora)
    await sleep(1_000)
  }
  await Promise.all([
    again('inscripción', inscribir),
    again('inscripción', inscribir),
    ...Array.from({ length: 6 }, () => again('voto', voto)),
    again('entrada', entrada),
    again('publicación', publicacion),
  ])
  return hecho
}

/** Whoever comes once all stand again. */
async function siguiente(lugar: Lugar): Promise<void> {
  const began = Date.now()
  const who = new Visitante(lugar)
  await Promise.all([
    entrar(lugar, who, `sigue${randomUUID().slice(0, 8)}@proton.me`).then(() => votar(who)),
    registrar(new Visitante(lugar), newForma('candidata', 300_000)),
  ])
  expect(Date.now() - began < NEXT_MS, `${Math.round((Date.now() - began) / 1_000)} s`)
}

/** @param vueltas how often each process is brought down in each way */
export async function tryCaidas(paseo: Paseo, lugar: Lugar, vueltas: number): Promise<void> {
  const { holds } = paseo
  const { procesos, pool } = lugar
  console.log('Caídas, en medio de todo:')
  const { rows: before } = await pool.query('select count(*)::int as n from banda_digital_votes')
  const mails = lugar.correo.accepted.length
  const conteo = countConexiones(lugar)
  let isOver = false
  let golpes = 0
  const working = trabajar(lugar, () => isOver)
  await sleep(2_000)
  for (let vuelta = 0; vuelta < vueltas; vuelta++)
    for (const golpe of GOLPES)
      for (const proceso of procesos) {
        await golpear(proceso, golpe)
        golpes++
        await sleep(500 + 1_500 * Math.random())
      }
  await Promise.all(procesos.map((proceso) => golpear(proceso, 'SIGKILL')))
  golpes += procesos.length
  await sleep(2_000)
  isOver = true
  const hecho = await working
  const { folios, titulares, recibos, entradas, publicado, faltas } = hecho
  console.log(
    `    ${golpes} caídas; entretanto ${folios.size} inscripciones, ${recibos.length} votos, ${entradas.length} entradas por código, ${publicado.length} publicaciones`,
  )
  await holds('nadie se quedó sin respuesta: la página lo intenta de nuevo, y sale', async () =>
    expect(faltas.length === 0, `${faltas.length}: ${[...new Set(faltas)].slice(0, 4).join(' | ')}`),
  )
  await holds('cada folio está, una vez, con sus bytes; ninguna inscripción quedó a medias', async () => {
    expect(folios.size > 0, 'ninguna inscripción entró')
    for (const [folio, forma] of folios) expect((await comprobar(lugar, forma)) === folio, 'otro folio')
    const { rows } = await pool.query('select titular from inscripciones where titular = any($1)', [titulares])
    expect(new Set(rows.map(({ titular }) => titular)).size === rows.length, 'una inscripción está dos veces')
    await until('ninguna entrega a medias', async () => {
      const { rows: open } = await pool.query(`select count(*)::int as n from entregas where estado = 'guardando'`)
      return open[0].n === 0
    })
  })
  await holds('cada voto confirmado está, una vez; todo sellado, y la cadena se recuenta entera', async () => {
    const { rows } = await pool.query('select count(*)::int as n from banda_digital_votes where recibo = any($1)', [
      recibos,
    ])
    expect(rows[0].n === recibos.length, `${rows[0].n} de ${recibos.length}`)
    const papeletas = await recontar(lugar)
    expect(
      papeletas === before[0].n + recibos.length,
      `${papeletas} papeletas, ${before[0].n + recibos.length} confirmadas`,
    )
  })
  await holds('lo último publicado se ve en todos, y nada quedó preparándose', async () => {
    expect(publicado.length > 0, 'no se publicó nada')
    await enTodas(lugar, (await introduccionDe(lugar)).introduccion)
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
    const ids = lugar.correo.accepted.slice(mails).map(({ messageId }) => messageId)
    const twice = ids.length - new Set(ids).size
    console.log(`    ${ids.length} correos, ${twice} repetidos con el mismo Message-ID`)
    expect(twice <= 4 * golpes, `${twice} repetidos`)
  })
  await holds(`lo que sigue pasa en menos de ${NEXT_MS / 1_000} s`, () => siguiente(lugar))
  await conteo.end(paseo)
  await holds('la página de una visitante sigue sola mientras caen procesos, y termina en su folio', () =>
    conNavegador(lugar, golpearMientras),
  )
}

async function conNavegador(lugar: Lugar, work: (lugar: Lugar, page: Page) => Promise<void>): Promise<void> {
  const browser = await chromium.launch({ executablePath: ensureTestBrowser() })
  try {
    const context = await browser.newContext({ baseURL: lugar.origin, ignoreHTTPSErrors: true })
    await work(lugar, await context.newPage())
  } finally {
    await browser.close()
  }
}

/** The form with its files over a slow line, while one process after the other falls. */
async function golpearMientras(lugar: Lugar, page: Page): Promise<void> {
  const nombre = 'Ximena Nopal Caída'
  await openRegistro(page)
  await fillCampos(page, { nombre })
  await chooseDocumentos(page, documentos(4_500_000))
  const line = await page.context().newCDPSession(page)
  await line.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: 30, downloadThroughput: 4_000_000, uploadThroughput: 900_000 },
  })
  await boton(page).click()
  for (const [at, proceso] of lugar.procesos.entries()) {
    await sleep(2_000)
    await golpear(proceso, GOLPES[at % GOLPES.length]!)
  }
  const good = page.getByRole('status').filter({ hasText: 'Registro exitoso.' })
  await good.waitFor({ timeout: 120_000 }).catch(async () => {
    throw new Error((await page.locator('main').innerText()).slice(0, 300))
  })
  const { rows } = await lugar.pool.query('select folio from inscripciones where titular = $1', [nombre])
  expect(rows.length === 1, `${rows.length} inscripciones`)
  expect(await page.getByText(rows[0].folio).isVisible(), 'no muestra su folio')
}
