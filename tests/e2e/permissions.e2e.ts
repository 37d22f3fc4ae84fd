// Longer than 350 lines: every route of the site, and the roles that may open it.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { UNSAFE_decodeViaTurboStream as decodeData } from 'react-router'
import { createAccounts } from '#app/accounts/auth.server.ts'
import { may, type Resource } from '#app/accounts/rules.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import { changeSetting } from '#app/cms/edition-settings/mutations.server.ts'
import { type ImageManifest, imageManifest, photoBaseUrl, variantsOf } from '#app/cms/media/image-manifest.server.ts'
import { seedEntry } from '../support/entries/seeded-entries.ts'
import { servicesOn, signedIn } from './accounts.ts'
import { seenVersion } from './draft-version.ts'
import { expect, type Site, test } from './site.ts'

type Who = 'nadie' | 'votante' | 'prensa' | 'admin'

const EVERYONE: Who[] = ['nadie', 'votante', 'prensa', 'admin']
const PRESS: Who[] = ['prensa', 'admin']

/** Every route of app/routes.ts: an address to try, and the roles that may open it. A new route needs a row. */
const ROUTES: Record<string, { path?: string; allowed: Who[]; refusal?: 'medios' | 401 | 403 | 404 }> = {
  '/': { allowed: EVERYONE },
  '/nuestra-historia': { allowed: EVERYONE },
  // There is no past edition yet.
  '/reina/:anio?': { path: '/reina', allowed: [], refusal: 404 },
  '/ediciones/:anio': { path: '/ediciones/2024', allowed: [], refusal: 404 },
  '/candidatas': { allowed: EVERYONE },
  '/maestros': { allowed: EVERYONE },
  '/maestros/:slug': { path: '/maestros/lorena-magnolia-duarte', allowed: EVERYONE },
  '/convocatoria/:slug?': { path: '/convocatoria/trajes-tipicos', allowed: EVERYONE },
  '/noticias/:slug': { path: '/noticias/corona-del-centenario', allowed: EVERYONE },
  '/programa': { allowed: EVERYONE },
  '/convocatoriaoficial': { allowed: PRESS, refusal: 'medios' },
  '/medios': { allowed: EVERYONE },
  '/medios/clave': { allowed: EVERYONE },
  '/medios/paso': { allowed: EVERYONE },
  '/medios/recuperar': { allowed: EVERYONE },
  '/registro': { allowed: EVERYONE },
  '/registro-traje-tipico': { allowed: EVERYONE },
  '/folio': { allowed: EVERYONE },
  '/mis-datos': { allowed: EVERYONE },
  '/galeria-candidatas': { allowed: PRESS, refusal: 'medios' },
  '/misspopularidad': { allowed: EVERYONE },
  // The loader decides between the results, a login, and a refusal.
  '/misspopularidad-resultados': { allowed: EVERYONE },
  '/misspopularidad/acta': { allowed: EVERYONE },
  '/misspopularidad/acta.json': { allowed: EVERYONE },
  '/misspopularidad-resultados/vivo': { allowed: ['admin'], refusal: 403 },
  '/misspopularidad-resultados/:tabla': {
    path: '/misspopularidad-resultados/resultados.csv',
    allowed: ['admin'],
    refusal: 403,
  },
  '/aviso-de-privacidad': { allowed: EVERYONE },
  // A login wall; a test below checks that the answer holds nothing of the screen behind it.
  '/organizadores': { allowed: EVERYONE },
  '/organizadores/inscripciones/:id': {
    path: '/organizadores/inscripciones/999999',
    allowed: ['nadie', 'votante', 'prensa'],
    refusal: 404,
  },
  '/organizadores/varias': { allowed: EVERYONE },
  '/organizadores/avisar': { allowed: EVERYONE },
  '/organizadores/escribir': { allowed: EVERYONE },
  '/organizadores/mensajes/enviado/:envio': {
    path: '/organizadores/mensajes/enviado/00000000-0000-4000-8000-000000000000',
    allowed: ['nadie', 'votante', 'prensa'],
    refusal: 404,
  },
  '/organizadores/mensajes': { allowed: EVERYONE },
  '/organizadores/mensajes/:ocasion': { path: '/organizadores/mensajes/aceptada', allowed: EVERYONE },
  '/organizadores/mensajes/suertes': { path: '/organizadores/mensajes/suertes?id=1', allowed: ['admin'], refusal: 403 },
  '/organizadores/mensajes/carta': {
    path: '/organizadores/mensajes/carta?ocasion=aceptada&asunto=a&titulo=b&texto=c',
    allowed: ['admin'],
    refusal: 403,
  },
  '/organizadores/impresion': { allowed: EVERYONE },
  '/organizadores/personas': { allowed: EVERYONE },
  '/organizadores/bitacora': { allowed: EVERYONE },
  '/organizadores/edicion': { allowed: EVERYONE },
  '/organizadores/privacidad': { allowed: EVERYONE },
  '/organizadores/estado': { allowed: EVERYONE },
  '/organizadores/visitas': { allowed: EVERYONE },
  '/organizadores/final': { allowed: EVERYONE },
  '/organizadores/final/tarjeta': { allowed: EVERYONE },
  // Only the address that a sponsor got opens the page; an invented one does not.
  '/visitas/:clave': { path: '/visitas/eyJwIjoiIn0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', allowed: [], refusal: 404 },
  '/organizadores/cuenta': { allowed: EVERYONE },
  '/organizadores/confirmar': { allowed: EVERYONE },
  '/organizadores/sitio': { allowed: EVERYONE },
  '/organizadores/sitio/publicar': { allowed: EVERYONE },
  '/organizadores/sitio/publicaciones': { allowed: EVERYONE },
  '/organizadores/sitio/ver': { allowed: EVERYONE },
  '/organizadores/sitio/ediciones': { allowed: EVERYONE },
  '/organizadores/sitio/retirar': { allowed: EVERYONE },
  '/organizadores/sitio/manual': { allowed: EVERYONE },
  '/organizadores/sitio/:pantalla': { path: '/organizadores/sitio/portada', allowed: EVERYONE },
  '/organizadores/sitio/vista': { path: '/organizadores/sitio/vista?ruta=/', allowed: ['admin'], refusal: 403 },
  '/organizadores/sitio/borrador': {
    path: '/organizadores/sitio/borrador?pantalla=portada&anio=2025',
    allowed: ['admin'],
    refusal: 401,
  },
  '/organizadores/sitio/archivo/:sha256?': {
    path: '/organizadores/sitio/archivo?ruta=inicio/ga1.jpg',
    allowed: ['admin'],
    refusal: 403,
  },
  '/organizadores/sitio/manual/:imagen': {
    path: '/organizadores/sitio/manual/publicar.jpg',
    allowed: ['admin'],
    refusal: 403,
  },
  '/organizadores/exportar': { path: '/organizadores/exportar?formato=csv', allowed: ['admin'], refusal: 403 },
  // There is no backup to take away yet.
  '/organizadores/estado/copia': { allowed: [], refusal: 403 },
  '/organizadores/documentos/:id': { path: '/organizadores/documentos/1', allowed: [], refusal: 403 },
  '/descargas/:archivo': {
    path: '/descargas/senorita-azahares-2025-candidatas-grupo.png',
    allowed: PRESS,
    refusal: 403,
  },
  '/sesion': { allowed: EVERYONE },
  '/hora': { allowed: EVERYONE },
  '/sitemap.xml': { allowed: EVERYONE },
  '/robots.txt': { allowed: EVERYONE },
  '/manifest.webmanifest': { allowed: EVERYONE },
  '/feria.ics': { allowed: EVERYONE },
  '/programa.ics': { allowed: EVERYONE },
  '/cita/:archivo': { path: '/cita/00000000-0000-4000-8000-000000000000.ics', allowed: [], refusal: 404 },
  '/programa/:archivo': { path: '/programa/2025-09-12-castillo-del-centenario.ics', allowed: EVERYONE },
  '/programa-sin-linea.js': { allowed: EVERYONE },
  // The entrance of judges' links, the same document for everyone.
  '/jurado': { allowed: EVERYONE },
  '/jurado-sin-linea.js': { allowed: EVERYONE },
  '/jurado/hoja': { allowed: [], refusal: 401 },
  // There is no sealed final yet, not even for the organisers of the judging table.
  '/final/acta': { allowed: [], refusal: 404 },
  '/final/acta.json': { allowed: [], refusal: 404 },
  '/.well-known/security.txt': { allowed: EVERYONE },
}
/** Routes without a screen: an action alone, Google's sign-in (closed without its keys), and all remaining addresses. */
const WITHOUT_SCREEN = [
  '/folio/envio',
  '/organizadores/sitio/archivos',
  // How the login wall stands above a screen of the panel.
  '/organizadores/entrar',
  '/jurado/entrar',
  '/entrar',
  // Challenges of passkeys, for one browser.
  '/cuentas/llave',
  '/cuentas/google',
  '/cuentas/callback/google',
  // A redirect.
  '/.well-known/change-password',
  '/*',
]

async function cookiesOf(site: Site): Promise<Record<Who, string>> {
  const [press, admin] = [await signedIn(site, 'prensa'), await signedIn(site, 'admin')]
  const voter = await signedIn(site, 'prensa')
  const cookie = ({ name, value }: { name: string; value: string }) => `${name}=${value}`
  // A session without a role: the account loses its role, and gets a session as a voter's.
  const [row] = await site.sql<{ id: string; token: string }>(
    `select p.id, s.token from profiles p join sessions s on s.user_id = p.id where p.email = $1`,
    [voter.correo],
  )
  await site.sql('update profiles set role = null where id = $1', [row!.id])
  await site.sql(
    `insert into sessions (id, token, user_id, expires_at, vence_at) values ($1, $2, $3, now() + '1 day', now() + '1 day')`,
    [`s-${row!.id}`, row!.token, row!.id],
  )
  return { nadie: '', votante: cookie(voter), prensa: cookie(press), admin: cookie(admin) }
}

const ask = (site: Site, path: string, cookie: string) =>
  fetch(site.url + path, { redirect: 'manual', headers: cookie ? { cookie } : {} })

async function listRoutePatterns(): Promise<string[]> {
  const { routePatterns } = (await import(pathToFileURL(resolve('build/server/index.js')).href)) as {
    routePatterns(): string[]
  }
  return routePatterns()
}

test('every route is for the roles of the table, in the document and in its data', async ({ site }) => {
  const patterns = await listRoutePatterns()
  expect([...Object.keys(ROUTES), ...WITHOUT_SCREEN].sort()).toEqual(patterns.sort())
  const cookies = await cookiesOf(site)
  for (const [pattern, { path = pattern, allowed, refusal }] of Object.entries(ROUTES))
    for (const who of EVERYONE) {
      const answer = await ask(site, path, cookies[who])
      const said = `${path} ${who}`
      if (allowed.includes(who)) expect(answer.status, said).toBe(200)
      else if (typeof refusal === 'number') expect(answer.status, said).toBe(refusal)
      else {
        expect([answer.status, answer.headers.get('location')], said).toEqual([
          302,
          `/medios?aviso=${who === 'nadie' ? 'acceso' : 'sin-permiso'}`,
        ])
        const data = await ask(site, `${path}.data`, cookies[who])
        expect(await data.text(), said).not.toContain('/descargas/')
      }
      if (refusal) expect(answer.headers.get('cache-control'), said).toContain('private')
    }
})

/** Screens of the panel that show only the viewer's own data, or the site's. */
const OWN_PATHS = [
  '/organizadores/cuenta',
  '/organizadores/estado',
  '/organizadores/visitas',
  '/organizadores/mensajes',
  '/organizadores/mensajes/aceptada',
  '/organizadores/final',
  '/organizadores/final/tarjeta',
  '/organizadores/confirmar',
  '/organizadores/sitio',
  '/organizadores/sitio/publicar',
  '/organizadores/sitio/publicaciones',
  '/organizadores/sitio/ver',
  '/organizadores/sitio/ediciones',
  '/organizadores/sitio/retirar',
  '/organizadores/sitio/manual',
  '/organizadores/sitio/portada',
]

const NOTIFY_PATH = '/organizadores/avisar'
const WRITE_PATH = '/organizadores/escribir'
const OUTSIDERS = ['nadie', 'votante', 'prensa'] as const

/** Seeds an entry, a setting and a line of the audit log that only organisers may see. */
async function sowPanel(site: Site) {
  const titular = `Secreta Nopal ${Date.now()}`
  const admin = await signedIn(site, 'admin')
  const [who] = await site.sql<{ id: string }>('select id from profiles where email = $1', [admin.correo])
  const actor = { quien: who!.id, desde: 'prueba' }
  const id = await servicesOn(site, async (services) => {
    const { db, clock } = services
    await changeSetting(db, 2025, { name: 'registro.trajes', value: PERIOD, version: 0 }, actor, clock.now())
    await writeAuditLog(db, actor, { que: 'borrado.solicitud', acuse: 'B-AAAAA-AAAAA', inscripcion: 999_999 })
    return seedEntry(services, { titular })
  })
  const [entry] = await site.sql<{ folio: string }>('select folio from inscripciones where id = $1', [id])
  const { folio } = entry!
  return { id, folio, secretos: [titular, folio, admin.correo, 'B-AAAAA-AAAAA'] }
}
const PERIOD = { abre: '2025-07-01T00:00:00-06:00', cierra: '2025-07-31T00:00:00-06:00' }
const cleanUp = (site: Site, id: number) =>
  site.sql('with a as (delete from ajustes) delete from inscripciones where id = $1', [id])

/** Addresses of the panel's screens, with the id of an entry. */
async function panelPaths(id: number): Promise<string[]> {
  const files = Object.keys(ROUTES).filter((pattern) => [401, 403].includes(Number(ROUTES[pattern]!.refusal)))
  // No message was sent.
  files.push(...WITHOUT_SCREEN, '/organizadores/mensajes/enviado/:envio')
  const screens = (await listRoutePatterns()).filter((one) => one.startsWith('/organizadores') && !files.includes(one))
  return screens.map((pattern) =>
    pattern.replace(':id', String(id)).replace(':pantalla', 'portada').replace(':ocasion', 'aceptada'),
  )
}

/** The data of an address's loaders, by route. */
async function loaded(answer: Response): Promise<Record<string, { data?: unknown }>> {
  const { value, done } = await decodeData(answer.body!, globalThis as unknown as Window)
  await done
  return value as Record<string, { data?: unknown }>
}

test('only an organiser gets anything of the panel along, be it within a document or within its data', async ({
  site,
}) => {
  const cookies = await cookiesOf(site)
  const { id, secretos } = await sowPanel(site)
  for (const path of await panelPaths(id)) {
    // Bulk actions need the chosen entries.
    const query = /\/(varias|avisar|escribir)$/.test(path) ? `?hacer=borrar&id=${id}` : ''
    const inside = async (who: Who) => {
      const { 'panel/shell/panel.page': frame, ...screen } = await loaded(
        await ask(site, `${path}.data${query}`, cookies[who]),
      )
      return {
        frame,
        screen: Object.entries(screen).find(([route]) => /^(panel|analytics|ops|finals)\//.test(route))?.[1],
      }
    }
    // An organiser does see the data, so that its absence means something below.
    expect(await inside('admin'), path).toEqual({
      frame: { data: expect.objectContaining({ isOpen: true }) },
      screen: { data: expect.any(Object) },
    })
    const seen = await (await ask(site, path + query, cookies.admin)).text()
    // The screens in OWN_PATHS may show none of these secrets, even to an organiser.
    if (!OWN_PATHS.includes(path))
      expect(
        secretos.filter((secret) => seen.includes(secret)),
        path,
      ).not.toEqual([])
    for (const who of OUTSIDERS) {
      const loginWall = expect.objectContaining({ state: who === 'nadie' ? 'signed-out' : 'forbidden' })
      expect.soft(await inside(who), `${path} ${who}`).toEqual({
        frame: { data: { isOpen: false, loginWall } },
        screen: { data: null },
      })
      for (const address of [path + query, `${path}.data${query}`]) {
        const text = await (await ask(site, address, cookies[who])).text()
        expect
          .soft(
            secretos.filter((secret) => text.includes(secret)),
            `${address} ${who}`,
          )
          .toEqual([])
      }
    }
  }
  await cleanUp(site, id)
})

interface SiteAction {
  path: string
  form: Record<string, string>
  /** Statuses for no session, a voter and the press; by default they are led to the login wall. */
  outsiders?: number[]
  /** Status for an organiser. */
  admin?: number
  /** Whether the organiser's action changes the data. */
  isChange?: boolean
}

/** Each action of «El sitio», in an order that leaves no changes behind. */
async function listSiteActions(site: Site): Promise<SiteAction[]> {
  const seen = await seenVersion(site, 'historia.yaml')
  const editorPath = '/organizadores/sitio'
  const uuid = crypto.randomUUID()
  return [
    {
      path: `${editorPath}/borrador?pantalla=historia&${seen}`,
      form: { documento: 'historia.yaml', valor: JSON.stringify({ entrada: 'Otra' }) },
      outsiders: [401, 401, 401],
      isChange: true,
    },
    { path: `${editorPath}/archivos`, form: { entrega: uuid, subida: uuid }, outsiders: [401, 403, 403], admin: 404 },
    { path: `${editorPath}/ver`, form: { hacer: 'salir' }, admin: 302 },
    { path: `${editorPath}/retirar`, form: { anio: '2025', candidata: 'nadie', seguro: 'nadie' }, admin: 404 },
    { path: `${editorPath}/publicaciones`, form: { publicacion: '999999' }, admin: 404 },
    { path: `${editorPath}/ediciones`, form: { hacer: 'elegir', anio: '2025' }, admin: 302 },
    { path: `${editorPath}/publicar`, form: { hacer: 'descartar' }, isChange: true },
  ]
}

test('only an organiser changes anything from the panel', async ({ site }) => {
  const cookies = await cookiesOf(site)
  const { id, folio } = await sowPanel(site)
  const email = `intrusa${Date.now()}@medio.example`
  /** Each action of the panel, with the forms that an organiser could post. */
  const actions: Record<string, Record<string, string>[]> = {
    [`/organizadores/inscripciones/${id}`]: [
      { estado: 'aceptada', version: '1', nota: '' },
      { hacer: 'candidata', version: '2' },
    ],
    '/organizadores/varias': [{ hacer: 'rechazar', id: `${id}:2`, nota: '' }],
    '/organizadores/mensajes/aceptada': [{ vista: '0', asunto: 'Intrusa', titulo: 'Intrusa', texto: 'Intrusa' }],
    '/organizadores/personas': [{ hacer: 'acreditar', correo: email, medio: 'Intrusa' }],
    '/organizadores/edicion': [{ ajuste: 'privacidad.dias', dias: '80', version: '0', hacer: 'guardar' }],
    '/organizadores/privacidad': [
      { plazo: 'detener', edicion: '2025' },
      { plazo: 'seguir', edicion: '2025' },
      { reloj: 'correcto' },
      { folio, seguro: 'on' },
    ],
    '/organizadores/estado': [{ hacer: 'ver' }, { hacer: 'anotada' }],
    '/organizadores/final': [{ hacer: 'enlace 1', 'nombre-1': 'Jurado 1' }],
    '/organizadores/cuenta': [{ hacer: 'terminar', sesion: 'otras' }],
  }
  const siteActions = await listSiteActions(site)
  const tables = ['inscripciones', 'cambios', 'documentos', 'solicitudes', 'profiles', 'enlaces', 'ajustes', 'borrados']
  tables.push(
    'borradores',
    'publicaciones',
    'ediciones',
    'retiradas',
    'archivos_de_edicion',
    'candidatas_de_inscripciones',
    'jueces',
    'asientos_de_final',
  )
  const everything = async () =>
    JSON.stringify(
      await site.sql(
        [...tables, 'bitacora']
          // The site may still record a file in the background after its start, which is no change.
          .map((table) => [table, table === 'archivos_de_edicion' ? 't.sha256' : 't::text'])
          .map(([table, row]) => `select coalesce(string_agg(${row}, ' ' order by ${row}), '') as text from ${table} t`)
          .join(' union all '),
      ),
    )
  const post = (path: string, who: Who, form: Record<string, string>) =>
    fetch(site.url + path, {
      method: 'POST',
      redirect: 'manual',
      headers: cookies[who] ? { cookie: cookies[who] } : {},
      body: new URLSearchParams(form),
    })
  const before = await everything()
  for (const [path, forms] of Object.entries(actions))
    for (const form of forms)
      for (const who of OUTSIDERS) {
        const answer = await post(path, who, form)
        // A person without a session may have been an organiser until a moment ago: she signs in again, and the form is kept.
        const [status, location, said] =
          who === 'nadie' ? [401, null, 'isAwaitingSignIn'] : [302, '/organizadores', '"/organizadores"']
        expect.soft([answer.status, answer.headers.get('location')], `${path} ${who}`).toEqual([status, location])
        const data = await post(`${path}.data`, who, form)
        expect.soft(await data.text(), `${path}.data ${who}`).toContain(said)
        expect.soft(await everything(), `${path} ${who}`).toBe(before)
      }
  for (const { path, form, outsiders = [401, 302, 302] } of siteActions)
    for (const [at, who] of OUTSIDERS.entries()) {
      expect.soft((await post(path, who, form)).status, `${path} ${who}`).toBe(outsiders[at])
      expect.soft(await everything(), `${path} ${who}`).toBe(before)
    }
  // Only the refusals: a test of the screen itself covers an organiser.
  for (const [at, who] of OUTSIDERS.entries()) {
    expect.soft((await post(NOTIFY_PATH, who, { aviso: `${id}:aceptada:1:1` })).status, who).toBe([401, 302, 302][at])
    expect.soft((await post(WRITE_PATH, who, { hacer: 'ver', id: String(id) })).status, who).toBe([401, 302, 302][at])
  }
  // An action that the lists above lack fails here. The frame's action belongs to the login wall, and confirming the
  // password changes only the session.
  for (const path of await panelPaths(id))
    if (
      !['/organizadores', '/organizadores/confirmar', NOTIFY_PATH, WRITE_PATH].includes(path) &&
      !actions[path] &&
      !siteActions.some((one) => one.path === path)
    )
      expect((await post(path, 'admin', {})).status, path).toBe(405)
  // An organiser may do each of the refused actions.
  let last = before
  for (const [path, forms] of Object.entries(actions))
    for (const form of forms) {
      expect((await post(path, 'admin', form)).status, path).toBe(200)
      const after = await everything()
      expect(after, path).not.toBe(last)
      last = after
    }
  for (const { path, form, admin = 200, isChange = false } of siteActions) {
    expect((await post(path, 'admin', form)).status, path).toBe(admin)
    const after = await everything()
    expect(after !== last, path).toBe(isChange)
    last = after
  }
  await cleanUp(site, id)
})

test('an organiser with a part opens that part alone, as in the table that the panel shows', async ({ site }) => {
  const { id } = await sowPanel(site)
  const resources: Record<string, Resource> = {
    ...Object.fromEntries(
      (await panelPaths(id)).map((path) => [path, /sitio\/(ediciones|retirar)$/.test(path) ? 'edicion' : 'sitio']),
    ),
    '/organizadores': 'inscripciones',
    [`/organizadores/inscripciones/${id}`]: 'inscripciones',
    '/organizadores/varias': 'inscripciones',
    '/organizadores/impresion': 'inscripciones',
    '/organizadores/exportar?formato=csv': 'inscripciones',
    '/organizadores/avisar': 'mensajes',
    '/organizadores/escribir': 'mensajes',
    '/organizadores/mensajes/suertes?id=1': 'mensajes',
    '/organizadores/mensajes': 'mensajes',
    '/organizadores/mensajes/aceptada': 'mensajes',
    '/organizadores/personas': 'personas',
    '/organizadores/bitacora': 'bitacora',
    '/organizadores/edicion': 'edicion',
    '/organizadores/privacidad': 'privacidad',
    '/organizadores/estado': 'estado',
    '/organizadores/sitio/manual': 'organizadores',
    '/organizadores/visitas': 'visitas',
    '/organizadores/final': 'final',
    '/organizadores/final/tarjeta': 'final',
    '/organizadores/cuenta': 'organizadores',
    '/organizadores/confirmar': 'organizadores',
    '/misspopularidad-resultados/resultados.csv': 'resultados',
  }
  for (const role of ['revision', 'conteo', 'sitio', 'notaria'] as const) {
    const { name, value } = await signedIn(site, role)
    const cookie = `${name}=${value}`
    for (const [path, resource] of Object.entries(resources)) {
      const answer = await ask(site, path, cookie)
      // The panel's first screen leads on to the organiser's part.
      const refused = path === '/organizadores' ? 302 : 403
      expect.soft(answer.status, `${path} ${role}`).toBe(may(role, resource) ? 200 : refused)
      if (may(role, resource)) continue
      const sent = await fetch(site.url + path, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie },
        body: new URLSearchParams({ hacer: 'x' }),
      })
      expect.soft([302, 403, 405], `POST ${path} ${role}`).toContain(sent.status)
    }
    const inside = await (await ask(site, '/organizadores/cuenta', cookie)).text()
    expect(inside.includes('>Inscripciones<'), role).toBe(may(role, 'inscripciones'))
    expect(inside.includes('>Votación<'), role).toBe(may(role, 'resultados'))
  }
  await cleanUp(site, id)
})

test('an organiser with a part does no more by a button than her part', async ({ site }) => {
  const { id } = await sowPanel(site)
  const as = async (role: 'revision' | 'sitio' | 'admin') => {
    const { name, value } = await signedIn(site, role)
    const headers = { cookie: `${name}=${value}` }
    return {
      get: (path: string) => fetch(site.url + path, { redirect: 'manual', headers }),
      post: (path: string, form: Record<string, string>) =>
        fetch(site.url + path, { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams(form) }),
    }
  }
  const [revision, editorPath, admin] = [await as('revision'), await as('sitio'), await as('admin')]
  const entry = `/organizadores/inscripciones/${id}`
  expect((await revision.post(entry, { estado: 'aceptada', version: '1', nota: '' })).status).toBe(200)
  // Another role edits the site.
  expect((await revision.post(entry, { hacer: 'candidata', version: '2' })).status).toBe(403)
  const [address] = /\/organizadores\/documentos\/\d+\?llave=[\w-]+/.exec(await (await revision.get(entry)).text())!
  expect((await revision.get(`${address}&bajar=si`)).status).not.toBe(403)
  expect((await revision.get(`${address}&bajar=original`)).status).toBe(403)

  const [published] = await site.sql<{ valor: { fechas: object } }>(
    `select valores -> 'edicion.yaml' as valor from publicaciones
     where id = (select publicacion from ediciones where actual)`,
  )
  const { valor } = published!
  const moved = { ...valor, fechas: { ...valor.fechas, cierreVotacion: '2099-01-01T00:00:00-06:00' } }
  const seen = await seenVersion(site, 'edicion.yaml')
  const saved = await editorPath.post(`/organizadores/sitio/borrador?pantalla=certamen&${seen}`, {
    documento: 'edicion.yaml',
    valor: JSON.stringify(moved),
  })
  expect(saved.status).toBe(200)
  const [draft] = await site.sql<{ version: string }>('select max(version)::text as version from borradores')
  const publish = { version: draft!.version, nota: '', motivo: '' }
  const refused = await editorPath.post('/organizadores/sitio/publicar', publish)
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('mueve fechas de la edición')])
  expect((await admin.post('/organizadores/sitio/publicar', { hacer: 'descartar' })).status).toBe(200)
  await cleanUp(site, id)
})

/** Queries by which a document's address asks for one of its sizes, its download, or the reason why it does not open. */
const DOCUMENT_WAYS = ['', '&tamano=ficha', '&tamano=miniatura', '&bajar=si', '&motivo=si', '&tal=si']

test('a reviewer opens no photograph in swimsuit, even by an address that was made for her own session', async ({
  site,
}) => {
  const { id } = await sowPanel(site)
  const documents = await site.sql<{ id: number; clase: string }>(
    'select id::int, clase from documentos where inscripcion_id = $1',
    [id],
  )
  for (const role of ['revision', 'admin'] as const) {
    const { name, value } = await signedIn(site, role)
    const headers = { cookie: `${name}=${value}` }
    const addressOf = await servicesOn(site, async (services) => {
      const accounts = createAccounts(services)
      const session = (await accounts.getSession(new Request(site.url, { headers })))!
      return (document: number) =>
        `/organizadores/documentos/${document}?llave=${accounts.traceOf(`documento:${session.userId}:${session.expiresAt.getTime()}:${document}`)}`
    })
    // A permitted request starts a process, so the other documents are asked for in one way.
    for (const { id: document, clase } of documents)
      for (const way of clase === 'fotoCuerpo' ? DOCUMENT_WAYS : ['']) {
        const { status } = await fetch(site.url + addressOf(document) + way, { redirect: 'manual', headers })
        // The seeded files are no pictures, so a permitted request fails too, but not with 403, which comes before the
        // file is read.
        if (clase === 'fotoCuerpo' && role === 'revision') expect(status, `${clase}${way}`).toBe(403)
        else expect(status, `${clase}${way} ${role}`).not.toBe(403)
      }
  }
  await cleanUp(site, id)
})

/** Addresses of all files that only the press pages show. */
function reserved({ prensa, photos, files }: ImageManifest): string[] {
  return prensa.flatMap((path) => {
    const [photo, file] = [photos[path], files[path]]
    if (photo)
      return variantsOf(photo.width).map(({ width, format }) => `${photoBaseUrl(path, photo)}-${width}.${format}`)
    return [
      `/media/${path.replace(/\.\w+$/, '').replaceAll('/', '-')}-${file!.hash}${path.slice(path.lastIndexOf('.'))}`,
    ]
  })
}

test('every file of the press needs a press account, at each address', async ({ site }) => {
  const manifest = await imageManifest()
  expect(manifest.prensa.filter((path) => /prensa/.test(path))).toHaveLength(16)
  expect(manifest.prensa).toContain('convocatoria/boletin.docx')
  const cookies = await cookiesOf(site)
  for (const path of reserved(manifest)) {
    for (const who of ['nadie', 'votante'] as const) {
      const refused = await ask(site, path, cookies[who])
      expect([refused.status, refused.headers.get('cache-control')], path).toEqual([403, 'private, no-store'])
    }
    const answer = await fetch(site.url + path, { method: 'HEAD', headers: { cookie: cookies.prensa } })
    expect(answer.status, path).toBe(200)
    expect(answer.headers.get('cache-control'), path).not.toContain('public')
  }
})

test('every file of the public screens is public', async ({ site }) => {
  for (const path of ['/', '/nuestra-historia', '/candidatas', '/maestros', '/convocatoria', '/misspopularidad']) {
    const html = await (await ask(site, path, '')).text()
    const files = new Set([...html.matchAll(/\/(?:img|media)\/[\w-]+\.\w+/g)].map(([file]) => file))
    expect(files.size).toBeGreaterThan(1)
    for (const file of files) {
      const answer = await fetch(site.url + file, { method: 'HEAD' })
      expect([path, file, answer.status]).toEqual([path, file, 200])
    }
  }
})

test('documents of a registration ask for an organiser, whether or not they exist', async ({ site }) => {
  const cookies = await cookiesOf(site)
  const path = '/archivos/registro/7_Ana/actaNacimiento/1_acta.pdf'
  for (const who of ['nadie', 'votante', 'prensa'] as const)
    expect((await ask(site, path, cookies[who])).status, who).toBe(403)
  for (const nothing of [
    path,
    '/archivos/',
    '/archivos/otro/x',
    '/archivos/registro/%00',
    '/archivos/registro/%E0%A4%A',
  ])
    expect((await ask(site, nothing, cookies.admin)).status, nothing).toBe(404)
})
