import { randomInt, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { signedIn } from '../../e2e/accounts.ts'
import { seenVersion } from '../../e2e/draft-version.ts'
import { expect, Site, test } from '../../e2e/site.ts'
import { sow } from '../../e2e/sow-entries.ts'
import { heldThreadEnv, readHeldMs } from '../../support/site/held-thread.ts'

const MIN_LIMIT_MS = 50
/** How much longer than a harmless form of that size, refused with a whole page, a form may hold the thread, so that a slow machine refuses none. */
const MAX_RATIO = 5
/** A number of fields just below the limit of a form. */
const MANY = 1_990
const VOTE = '/misspopularidad/voto'
const DRAFT = '/organizadores/sitio/borrador'
/** A form's limit in server/app.ts in bytes, less the name of a field. */
const ROOM = 255_000

/** One address of each pattern with parameters. */
const ADDRESSES: Record<string, string> = {
  '/organizadores/mensajes/:ocasion': '/organizadores/mensajes/aceptada',
  [DRAFT]: `${DRAFT}?pantalla=portada`,
}

interface Route {
  path: string
  file: string
}

/** Every address that accepts a form, with the file of its route. */
async function formsOf(site: Site, entry: number): Promise<Route[]> {
  const { routePatterns } = (await import(pathToFileURL(resolve('build/server/index.js')).href)) as {
    routePatterns(): string[]
  }
  const routes = await readFile('app/routes.ts', 'utf8')
  const found: Route[] = []
  for (const pattern of routePatterns()) {
    const path = (ADDRESSES[pattern] ?? pattern).replace(':id', String(entry))
    const { status } = await fetch(site.url + path, { method: 'POST', redirect: 'manual', body: new URLSearchParams() })
    if (path.includes(':') || path.includes('*') || status === 405) continue
    const file = [...routes.matchAll(/(?:route|index)\((?:'([^']+)', )?'([^']+\.tsx?)'/g)].find(
      ([, at = '']) => pattern === `/${at}` || pattern === `/organizadores/${at}`,
    )?.[2]
    found.push({ path, file: join('app', file ?? 'root.tsx') })
  }
  const sent = Object.values(FORMS).map(({ path }) => ({
    path: `${path}/envio`,
    file: 'app/entries/submission/receive.early.server.ts',
  }))
  return [...found, { path: VOTE, file: 'app/voting/ballot/vote-request.server.ts' }, ...sent]
}

/** Matches code that reads a field of a form. */
const FIELD = /(?:get|getAll|has|text|field|readField)\((?:\w+, )?'([\w-]+)'\)/g

interface Asked {
  names: string[]
  /** Values of the field `hacer`. */
  verbs: string[]
}

/** Fields and verbs that a route's file, and the files it imports, read from a form. */
async function askedBy({ path, file }: Route): Promise<Asked> {
  const read = (path: string) => readFile(path, 'utf8').catch(() => '')
  const source = await read(file)
  const parts = [...source.matchAll(/from '(#app\/|\.\/)([^']+\.tsx?)'/g)].map(([, where, path]) =>
    where === './' ? join(dirname(file), path!) : join('app', path!),
  )
  const all = [source, ...(await Promise.all(parts.map(read)))].join('\n')
  const words = (pattern: RegExp) => [...new Set([...all.matchAll(pattern)].map(([, word]) => word!))]
  const { fields } = FORMS[path.includes('traje') ? 'traje' : 'candidata']
  // Descriptors list the fields of a registration.
  const names = [
    ...words(FIELD),
    ...(path.startsWith('/registro') ? ['entrega', 'documentos', ...fields.map(({ name }) => name)] : []),
  ]
  return { names, verbs: words(/hacer === '([\w-]+)'/g).filter((verb) => verb !== 'salir') }
}

/** Repeats a text up to a size. */
const fill = (what: string, bytes: number) => what.repeat(Math.floor(bytes / Buffer.byteLength(what)))
/** Values that cost more than their length where code goes over them twice. */
const VALUES: Record<string, (bytes: number) => string> = {
  accents: (bytes) => `a${fill('\u0323\u0301', bytes - 1)}`,
  blanks: (bytes) => `a${fill('+', bytes - 2)}a`,
  letters: (bytes) => fill('a', bytes),
  signs: (bytes) => `${fill('.', bytes - 1)}a`,
  brackets: (bytes) => fill('[', bytes),
  emoji: (bytes) => fill('👩\u200d', bytes),
  mails: (bytes) => `a@${fill('a.', bytes - 2)}`,
}
/** Values for a field that alone takes all the room. */
const ALONE = ['accents', 'blanks']
const PLAIN = 'application/x-www-form-urlencoded'

type Body = [what: string, type: string, body: string]

const partsOf = (all: [string, string][]): Body => [
  'many parts',
  'multipart/form-data; boundary=b',
  `${all.map(([name, value]) => `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--b--\r\n`,
]

/** The worst bodies that a form's limits allow. */
function bodiesFor({ names, verbs }: Asked, room: number, isSignedIn: boolean): Body[] {
  const many = Array.from({ length: MANY }, (_, at): [string, string] => [`campo-${at}`, 'x'.repeat(40)])
  const fields = names.filter((name) => name !== 'hacer')
  const doing = (verb: string | undefined) => (verb === undefined ? '' : `hacer=${verb}`)
  /** Every field filled alike, or one field with all the room. */
  const filled = (what: string, verb: string | undefined, alone?: string): Body => {
    const each = room / fields.length - 40
    const said = fields.map((name) => {
      if (name === 'entrega') return `&entrega=${randomUUID()}`
      const bytes = alone === undefined ? each : name === alone ? room - 60 * fields.length : 20
      return `&${name}=${VALUES[what]!(bytes)}`
    })
    return [`${doing(verb)} ${alone ?? 'every field'}: ${what}`, PLAIN, doing(verb) + said.join('')]
  }
  return [
    ['nothing but signs', PLAIN, '&'.repeat(room)],
    ['as many fields as may be', PLAIN, `${doing(verbs[0])}&${new URLSearchParams(many)}`],
    [
      'a field again and again',
      PLAIN,
      Array(MANY)
        .fill(`${fields[0] ?? 'id'}=${'1'.repeat(100)}`)
        .join('&'),
    ],
    partsOf(many),
    ...(fields.length > 0 ? Object.keys(VALUES).map((what) => filled(what, verbs[0])) : []),
    ...verbs.map((verb) => filled('accents', verb)),
    ...(isSignedIn ? ALONE.flatMap((what) => fields.map((name) => filled(what, verbs[0], name))) : []),
  ]
}

const ITEMS = 500

/** Documents that the draft's page could send: a list of the greatest length, and values that cost more than their length. */
function draftBodies(): Body[] {
  const item = { titulo: '', texto: '', foto: { alt: 'a'.repeat(200) } }
  const items = Array.from({ length: ITEMS }, (_, at) => ({ ...item, titulo: `${at}` }))
  const deep = '['.repeat(120_000) + ']'.repeat(120_000)
  const all: Record<string, string> = {
    'with a long list': JSON.stringify({ noticias: items }),
    'with the list turned around': JSON.stringify({ noticias: items.toReversed() }),
    deep,
    'with accents': JSON.stringify({ introduccion: VALUES.accents!(ROOM - 500) }),
  }
  return Object.entries(all).map(([what, value]) => [`a draft ${what}`, PLAIN, `documento=inicio.yaml&valor=${value}`])
}

test('no form holds the thread, even with the worst input, with a session or without', async () => {
  // Some two thousand forms, one after the other.
  test.setTimeout(30 * 60_000)
  const socket = join(tmpdir(), `held-${randomUUID()}`)
  // Both registrations and the vote are open.
  const site = await Site.start({
    SITE_CLOCK: '2025-08-01T12:00-06:00',
    TRUSTED_PROXIES: '1',
    ...heldThreadEnv(socket),
  })
  try {
    const [entry] = await sow(site, [{}])
    const send = async (path: string, [, type, body]: Body, cookie: string) => {
      // Each request comes from another network, so that no limit refuses it.
      const from = `10.${randomInt(256)}.${randomInt(256)}.7`
      const headers = { 'content-type': type, cookie, 'x-forwarded-for': from }
      const answer = await fetch(site.url + path, { method: 'POST', redirect: 'manual', headers, body })
      await answer.arrayBuffer()
      return answer.status
    }
    const harmless: number[] = []
    for (let turn = 0; turn < 5; turn++) {
      await readHeldMs(socket)
      await send('/registro-traje-tipico', ['', PLAIN, `nombre_traje=${VALUES.letters!(ROOM)}`], '')
      harmless.push(await readHeldMs(socket))
    }
    const limitMs = Math.max(MIN_LIMIT_MS, MAX_RATIO * Math.min(...harmless))
    const wrong: string[] = []
    const forms = await formsOf(site, entry!)
    expect(forms.length).toBeGreaterThan(35)
    for (const form of forms) {
      const { path } = form
      const asks = await askedBy(form)
      const room = path === VOTE ? 1_900 : ROOM
      // A form may end its session.
      const { name, value } = await signedIn(site, 'admin')
      for (const session of ['', `${name}=${value}`])
        for (const body of [
          ...bodiesFor(asks, room, session !== ''),
          ...(path.startsWith(DRAFT) ? draftBodies() : []),
        ]) {
          let held = Number.POSITIVE_INFINITY
          let status = 0
          for (let turn = 0; turn < 3 && held > limitMs; turn++) {
            const seen = path.startsWith(DRAFT) ? `&${await seenVersion(site, 'inicio.yaml')}` : ''
            await readHeldMs(socket)
            status = await send(path + seen, body, session)
            held = Math.min(held, await readHeldMs(socket))
          }
          const said = `${path} ${session ? 'signed in' : 'nobody'}: ${body[0]}: ${status}, ${Math.round(held)} ms`
          if (held > limitMs || status >= 500) wrong.push(said)
        }
    }
    expect(wrong).toEqual([])
    // The form that the sign-in repeats is bounded, too.
    const many = new URLSearchParams(Array.from({ length: MANY }, (_, at) => [`campo-${at}`, 'x']))
    expect(await send('/organizadores/varias', ['', PLAIN, many.toString()], '')).toBe(413)
  } finally {
    await site.stop()
  }
})
