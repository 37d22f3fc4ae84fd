import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { globSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { createAccount } from '#app/accounts/people/mutations.server.ts'
import type { Role } from '#app/accounts/schema.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { readCurrentPublication } from '#app/cms/publishing/publications.server.ts'
import { codeOf, secretOf } from '#tests/support/accounts/second-factor.ts'
import { expect, type SmokeTest, until } from '../smoke-test.ts'
import { upload } from './entries.ts'
import type { Installation } from './machines.ts'
import { type Answer, spread, Visitor, words } from './visitor.ts'

const PASSWORD = 'guayaba-29-trenza'
const form = (fields: Record<string, string>) => new URLSearchParams(fields)

/** A new account with its password. @returns its address */
async function newAccount({ db }: Installation, role: Role): Promise<string> {
  const email = `${role}.${randomUUID().slice(0, 8)}@comite.example`
  const made = await createAccount(db, { email, role, password: PASSWORD }, TERMINAL)
  expect(made.ok, JSON.stringify(made))
  return email
}

const door = (who: Visitor, email: string, by?: string) =>
  who.request('/organizadores', { body: form({ hacer: 'entrar', correo: email, clave: PASSWORD }), processName: by })

const isOpen = ({ status, text }: Answer) => status === 200 && text.includes('El sitio')

/** Signs a new organiser in by password. */
export async function signInOrganiser(place: Installation, role: Role = 'admin'): Promise<Visitor> {
  const who = new Visitor(place)
  const answer = await door(who, await newAccount(place, role))
  expect(answer.status === 302, `entrar: ${answer.status} ${words(answer)}`)
  return who
}

/** Changes one field of the draft; resolves once it is stored. */
export async function editDraft(
  who: Visitor,
  { documento, campo, antes, ahora }: { documento: string; campo: (string | number)[]; antes: unknown; ahora: unknown },
  {
    pantalla = 'portada',
    vistos = [] as unknown[],
    processName,
  }: { pantalla?: string; vistos?: unknown[]; processName?: string } = {},
): Promise<void> {
  const edits = JSON.stringify([{ que: 'poner', documento, campo, vistos, antes, ahora, dudoso: true }])
  const answer = await who.requestUntilAnswered('/organizadores/sitio/borrador?anio=2025', {
    body: form({ pantalla, retoques: edits, v: '' }),
    ...(processName !== undefined && { processName }),
  })
  expect(answer.status === 200 && answer.json<{ hechos: { ok: boolean }[] }>().hechos[0]?.ok === true, answer.text)
}

/** Publishes the draft as it is. */
export async function publish({ pool }: Installation, who: Visitor, by?: string): Promise<void> {
  const { rows } = await pool.query('select max(version) as version from borradores where edicion = 2025')
  const body = form({ version: String(rows[0].version), nota: 'Prueba' })
  const answer = await who.request('/organizadores/sitio/publicar', { body, processName: by })
  expect(answer.status === 200, `publicar: ${answer.status} ${words(answer)}`)
}

export const readPublishedIntroduction = async ({ db }: Installation) => {
  const { valores } = (await readCurrentPublication(db))!
  return valores['inicio.yaml'] as { introduccion: string; galeria: { foto: string }[] }
}

/** The home's introduction as the draft has it; undefined without a draft of it. */
export async function readDraftIntroduction({ pool }: Installation): Promise<string | undefined> {
  const { rows } = await pool.query(
    `select valor ->> 'introduccion' as texto from borradores where edicion = 2025 and documento = 'inicio.yaml'`,
  )
  return rows[0]?.texto
}

/** Waits until every process shows the text on its home. */
export const everyProcessShows = ({ processes }: Installation, text: string, patienceMs = 60_000) =>
  until(
    `«${text}» en todas`,
    async () => {
      const pages = await Promise.all(
        processes.map(({ port }) => fetch(`http://127.0.0.1:${port}/`).then((page) => page.text())),
      )
      return pages.every((page) => page.includes(text))
    },
    patienceMs,
  )

/** A photograph larger than one chunk of an upload. */
async function photo(): Promise<Buffer> {
  const [width, height] = [1600, 1200]
  const raw = { width, height, channels: 3 as const }
  return sharp(randomBytes(width * height * 3), { raw })
    .jpeg({ quality: 92 })
    .toBuffer()
}

export async function tryOrganisers({ holds }: SmokeTest, place: Installation): Promise<void> {
  console.log('La organización y la prensa, cada petición en el proceso que toque:')
  const { processes } = place
  await holds('contraseña en uno, panel en los tres, salir en otro: salió de todos', async () => {
    const who = await signInOrganiser(place)
    for (const { name } of processes) {
      const panel = await who.request('/organizadores', { processName: name })
      expect(isOpen(panel), `${name}: ${panel.status} ${words(panel)}`)
    }
    const kept = who.cookie
    await who.request('/organizadores', { body: form({ hacer: 'salir' }), processName: processes[2]!.name })
    for (const { name } of processes) {
      const panel = await who.request('/organizadores', { processName: name, headers: { cookie: kept } })
      expect(!isOpen(panel), `${name}: sigue abierta`)
    }
  })
  await holds(
    'el segundo paso: puesto en uno, pedido por otro, pasado en el tercero, y cada código una vez',
    async () => {
      const email = await newAccount(place, 'admin')
      const who = new Visitor(place)
      await door(who, email)
      const begun = await who.request('/organizadores/cuenta', { body: form({ hacer: 'segundo-empezar' }) })
      const secret = secretOf(
        /<code[^>]*>([^<]+)<\/code>/.exec((await who.request('/organizadores/cuenta')).text)?.[1] ?? '',
      )
      expect(secret !== '', `${begun.status} ${words(begun)}`)
      const put = await who.request('/organizadores/cuenta', {
        body: form({ hacer: 'segundo-activar', codigo: await codeOf(secret, -1) }),
      })
      expect(put.status === 200 && put.text.includes('Guarda tus códigos'), `${put.status} ${words(put)}`)
      const others = [new Visitor(place), new Visitor(place)]
      const code = await codeOf(secret)
      const passed = await Promise.all(
        others.map(async (other, at) => {
          const first = await door(other, email, processes[at]!.name)
          expect(first.status === 302, `${first.status} ${words(first)}`)
          const by = processes[at + 1]!.name
          return other.request('/organizadores', { body: form({ hacer: 'segundo', codigo: code }), processName: by })
        }),
      )
      expect(passed.filter(({ status }) => status === 302).length === 1, passed.map(({ status }) => status).join(', '))
      const inside = others[passed.findIndex(({ status }) => status === 302)]!
      for (const { name } of processes)
        expect(isOpen(await inside.request('/organizadores', { processName: name })), name)
    },
  )
  await holds('contraseñas equivocadas se cuentan juntas', async () => {
    const email = await newAccount(place, 'admin')
    const who = new Visitor(place)
    let refused = 0
    for (let at = 0; at < 24 && refused === 0; at++) {
      const body = form({ hacer: 'entrar', correo: email, clave: 'no-es-esta-clave' })
      const answer = await who.request('/organizadores', { body, processName: processes[at % 3]!.name })
      expect([401, 429].includes(answer.status), `${answer.status} ${words(answer)}`)
      if (answer.status === 429) refused = at
    }
    expect(refused > 0, 'nunca hizo esperar')
  })
  await holds('la prensa: entra en uno, y abre su material en los tres', async () => {
    const who = new Visitor(place)
    const email = await newAccount(place, 'prensa')
    const answer = await who.request('/medios', { body: form({ correo: email, clave: PASSWORD }) })
    expect(answer.status === 200, `${answer.status} ${words(answer)}`)
    for (const { name } of processes) {
      const page = await who.request('/galeria-candidatas', { processName: name })
      expect(page.status === 200, `${name}: ${page.status}`)
    }
  })
  const who = await signInOrganiser(place)
  const written = async () =>
    (await readDraftIntroduction(place)) ?? (await readPublishedIntroduction(place)).introduccion
  let newOne = ''
  await holds('una fotografía del sitio, en trozos por los tres, y vista en cada uno', async () => {
    const body = await photo()
    const submission = randomUUID()
    const { id, begun } = await upload(
      who,
      '/organizadores/sitio/subidas',
      submission,
      { clase: 'fotoCuerpo', name: 'feria.jpg', body },
      { clase: 'foto' },
    )
    expect(begun === 1, `se empezó ${begun} veces`)
    const received = await who.requestUntilAnswered('/organizadores/sitio/archivos', {
      body: form({ entrega: submission, subida: id }),
    })
    expect(received.status === 200, received.text)
    const { archivo } = received.json<{ archivo: { ruta: string; sha256: string } }>()
    newOne = archivo.ruta
    for (const { name } of processes) {
      const seen = await who.request(`/organizadores/sitio/archivo/${archivo.sha256}`, { processName: name })
      const sum = createHash('sha256').update(seen.body).digest('hex')
      expect(seen.status === 200 && sum === archivo.sha256, `${name}: ${seen.status} ${sum}`)
    }
  })
  await holds(
    'el borrador: escrito en uno, leído en los otros; «Ver el sitio así» en los tres, para ella sola',
    async () => {
      const antes = await readPublishedIntroduction(place)
      const now = `Un borrador de ${processes.length} procesos.`
      const field = ['introduccion']
      await editDraft(
        who,
        { documento: 'inicio.yaml', campo: field, antes: antes.introduccion, ahora: now },
        { processName: processes[0]!.name },
      )
      for (const { name } of processes) {
        const seen = await who.request('/organizadores/sitio/borrador?anio=2025&pantalla=portada&v=', {
          processName: name,
        })
        expect(seen.text.includes(now), `${name}: ${seen.status} ${seen.text.slice(0, 200)}`)
      }
      const looking = await who.request('/organizadores/sitio/ver', {
        body: form({ momento: '', pantalla: 'portada' }),
      })
      expect(looking.status === 302, `${looking.status} ${words(looking)}`)
      for (const { name } of processes) {
        expect((await who.request('/', { processName: name })).text.includes(now), `${name}: no lo ve`)
        expect(
          !(await new Visitor(place).request('/', { processName: name })).text.includes(now),
          `${name}: lo ve cualquiera`,
        )
      }
      await who.request('/organizadores/sitio/ver', { body: form({ hacer: 'salir' }) })
    },
  )
  await holds('lo publicado en uno se ve en los tres en segundos, con su fotografía en cada uno', async () => {
    const antes = await readPublishedIntroduction(place)
    const now = `Publicado por ${processes.length} procesos.`
    await editDraft(who, { documento: 'inicio.yaml', campo: ['introduccion'], antes: await written(), ahora: now })
    if (newOne !== '')
      await editDraft(
        who,
        {
          ...{ documento: 'inicio.yaml', campo: ['galeria', 0] },
          ...{ antes: antes.galeria[0], ahora: { ...antes.galeria[0], foto: newOne } },
        },
        { vistos: [antes.galeria[0]] },
      )
    await publish(place, who, processes[1]!.name)
    await until('la publicación', async () => (await readPublishedIntroduction(place)).introduccion === now)
    await everyProcessShows(place, now, 30_000)
    if (newOne === '') throw new Error('sin fotografía: no se pudo enviar')
    const home = await (await fetch(`http://127.0.0.1:${processes[0]!.port}/`)).text()
    const name = newOne.replace('/', '-').replace(/\.\w+$/, '')
    const pictures = [...new Set(home.match(new RegExp(`/img/${name}-[\\w-]+\\.avif`, 'g')))]
    expect(pictures.length > 0, 'la portada no la nombra')
    for (const { name: processName } of processes)
      for (const picture of pictures) {
        const { status } = await new Visitor(place).request(picture, { processName })
        expect(status === 200, `${processName}: ${picture}: ${status}`)
      }
  })
  await holds('un tamaño que otro dejó en el almacén se trae, no se hace otra vez', async () => {
    const { storage } = place
    const begin = `tamanos/${newOne.replace('/', '-').replace(/\.\w+$/, '')}-`
    const find = async () => {
      for await (const path of storage.list('edicion', begin)) if (path.endsWith('.webp')) return path
      return undefined
    }
    await until('un tamaño en el almacén', async () => newOne !== '' && (await find()) !== undefined)
    const path = (await find())!
    const last = processes.at(-1)!
    // A package's pictures lie in its run folder, under the data folder.
    const here = () => globSync(join(last.dataDir, 'lugar/*/.cache/images', path.replace('tamanos/', '')))
    await last.kill('SIGTERM')
    for (const file of here()) await rm(file)
    const other = Buffer.from('de otra máquina')
    await storage.remove('edicion', path)
    await storage.putBytes('edicion', path, other, { contentType: 'image/webp', cacheControlSeconds: 60 })
    await last.start()
    await until('el tamaño en esta máquina', () => here().length > 0)
    expect((await readFile(here()[0]!)).equals(other), 'lo hizo otra vez')
  })
  await holds('dos que publican a la vez en dos procesos: una publicación, y la otra lo sabe', async () => {
    await editDraft(who, {
      documento: 'inicio.yaml',
      campo: ['introduccion'],
      antes: await written(),
      ahora: 'A la vez.',
    })
    const both = await Promise.allSettled(processes.map(({ name }) => publish(place, who, name)))
    expect(both.filter(({ status }) => status === 'fulfilled').length === 1, JSON.stringify(both))
    await everyProcessShows(place, 'A la vez.')
  })
  await holds('las exportaciones, de cada uno las mismas', async () => {
    for (const format of ['csv', 'xlsx', 'zip']) {
      const all: string[] = []
      for (const { name } of processes) {
        const answer = await who.request(`/organizadores/exportar?formato=${format}`, {
          processName: name,
          patienceMs: 120_000,
        })
        expect(answer.status === 200 && answer.body.length > 100, `${format} de ${name}: ${answer.status}`)
        all.push(format === 'csv' ? answer.text : '')
      }
      expect(new Set(all).size === 1, `${format}: no son las mismas`)
    }
  })
  spread(who)
}
