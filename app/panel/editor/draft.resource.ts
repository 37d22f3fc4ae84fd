import * as v from 'valibot'
import { abrirPuerta } from '#app/accounts/sign-in/login-wall.server.ts'
import { BorradorLlenoError, saveCampos } from '#app/cms/drafts/draft-store.server.ts'
import { listEdiciones } from '#app/cms/editions/years.server.ts'
import { descriptorDe, isDocumento } from '#app/cms/schema/faults.ts'
import { campoEn } from '#app/cms/schema/field-descriptor.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { SIN_ESPACIO, STATUS_SIN_ESPACIO, unlessFull } from '#app/core/uploads/disk-space.server.ts'
import type { Route } from './+types/draft.resource'
import { documentosDe, fallasDePantalla, readRedaccion, versionDe } from './data.server.ts'
import { type Pantalla, pantallaDe } from './editable-screens.ts'
import { type Negativa, type RespuestaDeEnvio, type RespuestaDeVistazo, RetoquesSchema } from './schema.ts'

const SIN_GUARDAR = { 'cache-control': 'private, no-store' }

const answer = (said: RespuestaDeVistazo | RespuestaDeEnvio) => Response.json(said, { headers: SIN_GUARDAR })

const refuse = (reason: Negativa['reason'], mensaje: string, status: number) =>
  Response.json({ ok: false, reason, mensaje } satisfies Negativa, { status, headers: SIN_GUARDAR })

const SIN_SESION =
  'Tu sesión terminó. Lo que escribiste sigue aquí, en este dispositivo: entra de nuevo y se guarda solo.'

const NO_ES_PANTALLA = 'Esa pantalla no existe. Vuelve a «El sitio» y elígela de la lista.'

const NO_ES_EDICION = 'Esa edición no existe. Vuelve a «El sitio» y abre la pantalla de nuevo.'

/** The edition that the form is of, which it says itself: another one may have been chosen since in another window. */
async function anioDe(params: URLSearchParams, db: Database): Promise<number | undefined> {
  const asked = Number(params.get('anio') ?? Number.NaN)
  return (await listEdiciones(db)).find(({ anio }) => anio === asked)?.anio
}

/** A look: the documents of a screen that changed since. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const entrada = await abrirPuerta(request, context, 'sitio')
  if (!entrada.abierta) return refuse('sesion', SIN_SESION, 401)
  const params = new URL(request.url).searchParams
  const pantalla = pantallaDe(params.get('pantalla') ?? undefined)
  if (!pantalla) return refuse('peticion', NO_ES_PANTALLA, 404)
  const { db, clock } = servicesOf(context).services
  const anio = await anioDe(params, db)
  if (anio === undefined) return refuse('peticion', NO_ES_EDICION, 404)
  const redaccion = await readRedaccion(db, anio)
  const seen = readVistos(params.get('v'))
  const now = clock.now().getTime()
  const changed = documentosDe(pantalla).filter((documento) => seen.get(documento) !== versionDe(redaccion, documento))
  const documentos = changed.map((documento) => {
    const own = redaccion.borrador.documentos[documento]
    const version = versionDe(redaccion, documento)
    const valor = redaccion.borrador.valores[documento]
    return [documento, { version, valor, quien: own?.quien ?? null, at: own?.at.getTime() ?? now }] as const
  })
  return answer({
    ok: true,
    documentos: Object.fromEntries(documentos),
    ...novedades(pantalla, redaccion, now, entrada.sesion.correo),
  })
}

/** A sending: changes of fields, each done or told how its field stands. */
export async function action({ request, context }: Route.ActionArgs) {
  const entrada = await abrirPuerta(request, context, 'sitio')
  if (!entrada.abierta) return refuse('sesion', SIN_SESION, 401)
  const { services } = servicesOf(context)
  const form = await request.formData()
  const pantalla = pantallaDe(String(form.get('pantalla') ?? ''))
  if (!pantalla) return refuse('peticion', NO_ES_PANTALLA, 404)
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), RetoquesSchema), form.get('retoques'))
  if (!parsed.success || !parsed.output.every(isOfTheForm))
    return refuse(
      'peticion',
      'Este cambio no se entiende: recarga la página. Lo que escribiste sigue en este dispositivo.',
      422,
    )
  const retoques = parsed.output
  const anio = await anioDe(new URL(request.url).searchParams, services.db)
  if (anio === undefined) return refuse('peticion', NO_ES_EDICION, 404)
  const { publicados } = await readRedaccion(services.db, anio)
  const now = services.clock.now()
  const done = await unlessFull(services, () =>
    saveCampos(services.db, publicados.anio, publicados.valores, retoques, entrada.sesion.userId, now),
  ).catch((error: unknown) => {
    if (error instanceof BorradorLlenoError) return { ok: false as const, reason: 'lleno' as const }
    throw error
  })
  if ('ok' in done)
    return done.reason === 'lleno'
      ? refuse('lleno', 'Esta pantalla tiene demasiado texto para guardarse: acórtalo, o quita lo que sobre.', 413)
      : refuse('sin-espacio', SIN_ESPACIO, STATUS_SIN_ESPACIO)
  const redaccion = await readRedaccion(services.db, anio)
  const seen = readVistos(form.get('v'))
  const documentos = Object.fromEntries(
    [...new Set(retoques.map(({ documento }) => documento))].map((documento) => {
      const one = done.documentos[documento]
      const before = one ? one.antes : (redaccion.borrador.documentos[documento]?.version ?? 0)
      const isKnown = seen.get(documento) === (before === 0 ? publicados.huella : String(before))
      const version = one ? String(one.version) : versionDe(redaccion, documento)
      if (isKnown) return [documento, { version }]
      const { quien, at } = one ?? redaccion.borrador.documentos[documento] ?? { quien: null, at: now }
      const valor = one ? one.valor : redaccion.borrador.valores[documento]
      return [documento, { version, valor, quien, at: at.getTime() }]
    }),
  )
  return answer({
    ok: true,
    hechos: done.hechos,
    documentos,
    ...novedades(pantalla, redaccion, now.getTime(), entrada.sesion.correo),
  })
}

const isOfTheForm = ({ documento, campo }: { documento: string; campo: (string | number)[] }) =>
  isDocumento(documento) && campoEn(descriptorDe(documento), campo) !== undefined

const novedades = (pantalla: Pantalla, redaccion: Parameters<typeof versionDe>[0], ahora: number, yo: string) => ({
  fallas: fallasDePantalla(pantalla, redaccion),
  ahora,
  yo,
})

/** `inicio.yaml:12,edicion.yaml:p3` */
const readVistos = (text: unknown): Map<string, string> =>
  new Map(
    (typeof text === 'string' ? text : '').split(',').flatMap((one): [string, string][] => {
      const at = one.indexOf(':')
      return at > 0 ? [[one.slice(0, at), one.slice(at + 1)]] : []
    }),
  )
