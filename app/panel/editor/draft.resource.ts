import * as v from 'valibot'
import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { DraftFullError, saveFields } from '#app/cms/drafts/draft-store.server.ts'
import { listEditions } from '#app/cms/editions/years.server.ts'
import { descriptorOf, isDocumentName } from '#app/cms/schema/faults.ts'
import { fieldAt } from '#app/cms/schema/field-descriptor.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { DISK_FULL_MESSAGE, DISK_FULL_STATUS, refuseIfDiskFull } from '#app/core/uploads/disk-space.server.ts'
import type { Route } from './+types/draft.resource'
import { documentsOf, readEditorContent, screenFaults, versionOf } from './data.server.ts'
import { findScreen, type SiteScreen } from './editable-screens.ts'
import { EditsSchema, type PollResponse, type SaveRefusal, type SendingResponse } from './schema.ts'

const NO_STORE = { 'cache-control': 'private, no-store' }

const answer = (body: PollResponse | SendingResponse) => Response.json(body, { headers: NO_STORE })

const refuse = (reason: SaveRefusal['reason'], message: string, status: number) =>
  Response.json({ ok: false, reason, mensaje: message } satisfies SaveRefusal, { status, headers: NO_STORE })

const NO_SESSION =
  'Tu sesión terminó. Lo que escribiste sigue aquí, en este dispositivo: entra de nuevo y se guarda solo.'

const UNKNOWN_SCREEN = 'Esa pantalla no existe. Vuelve a «El sitio» y elígela de la lista.'

const UNKNOWN_EDITION = 'Esa edición no existe. Vuelve a «El sitio» y abre la pantalla de nuevo.'

/** Reads the edition that the form itself names, since another window may have chosen another edition. */
async function readEditionYear(params: URLSearchParams, db: Database): Promise<number | undefined> {
  const requestedYear = Number(params.get('anio') ?? Number.NaN)
  return (await listEditions(db)).find(({ year }) => year === requestedYear)?.year
}

/** Answers a poll with the documents of a screen that changed since the versions in `v`. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const entrance = await checkLoginWall(request, context, 'sitio')
  if (!entrance.isOpen) return refuse('sesion', NO_SESSION, 401)
  const params = new URL(request.url).searchParams
  const screen = findScreen(params.get('pantalla') ?? undefined)
  if (!screen) return refuse('peticion', UNKNOWN_SCREEN, 404)
  const { db, clock } = servicesOf(context).services
  const year = await readEditionYear(params, db)
  if (year === undefined) return refuse('peticion', UNKNOWN_EDITION, 404)
  const editorContent = await readEditorContent(db, year)
  const seenVersions = readSeenVersions(params.get('v'))
  const now = clock.now().getTime()
  const changed = documentsOf(screen).filter(
    (document) => seenVersions.get(document) !== versionOf(editorContent, document),
  )
  const documents = changed.map((document) => {
    const documentChange = editorContent.draft.documents[document]
    const version = versionOf(editorContent, document)
    const value = editorContent.draft.values[document]
    return [
      document,
      { version, valor: value, quien: documentChange?.quien ?? null, at: documentChange?.at.getTime() ?? now },
    ] as const
  })
  return answer({
    ok: true,
    documentos: Object.fromEntries(documents),
    ...readUpdates(screen, editorContent, now, entrance.session.email),
  })
}

/** Saves changes of fields. A refused change is answered with the field's current value, and the others are saved. */
export async function action({ request, context }: Route.ActionArgs) {
  const entrance = await checkLoginWall(request, context, 'sitio')
  if (!entrance.isOpen) return refuse('sesion', NO_SESSION, 401)
  const { services } = servicesOf(context)
  const form = await request.formData()
  const screen = findScreen(String(form.get('pantalla') ?? ''))
  if (!screen) return refuse('peticion', UNKNOWN_SCREEN, 404)
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), EditsSchema), form.get('retoques'))
  if (!parsed.success || !parsed.output.every(isOfTheForm))
    return refuse(
      'peticion',
      'Este cambio no se entiende: recarga la página. Lo que escribiste sigue en este dispositivo.',
      422,
    )
  const edits = parsed.output
  const year = await readEditionYear(new URL(request.url).searchParams, services.db)
  if (year === undefined) return refuse('peticion', UNKNOWN_EDITION, 404)
  const { published } = await readEditorContent(services.db, year)
  const now = services.clock.now()
  const saveResult = await refuseIfDiskFull(services, () =>
    saveFields(services.db, published.year, published.values, edits, entrance.session.userId, now),
  ).catch((error: unknown) => {
    if (error instanceof DraftFullError) return { ok: false as const, reason: 'lleno' as const }
    throw error
  })
  if ('ok' in saveResult)
    return saveResult.reason === 'lleno'
      ? refuse('lleno', 'Esta pantalla tiene demasiado texto para guardarse: acórtalo, o quita lo que sobre.', 413)
      : refuse('sin-espacio', DISK_FULL_MESSAGE, DISK_FULL_STATUS)
  const editorContent = await readEditorContent(services.db, year)
  const seenVersions = readSeenVersions(form.get('v'))
  const documents = Object.fromEntries(
    [...new Set(edits.map(({ documento }) => documento))].map((document) => {
      const one = saveResult.documents[document]
      const before = one ? one.before : (editorContent.draft.documents[document]?.version ?? 0)
      const isKnown = seenVersions.get(document) === (before === 0 ? published.version : String(before))
      const version = one ? String(one.version) : versionOf(editorContent, document)
      if (isKnown) return [document, { version }]
      const { quien, at } = one ?? editorContent.draft.documents[document] ?? { quien: null, at: now }
      const value = one ? one.value : editorContent.draft.values[document]
      return [document, { version, valor: value, quien, at: at.getTime() }]
    }),
  )
  return answer({
    ok: true,
    hechos: saveResult.results,
    documentos: documents,
    ...readUpdates(screen, editorContent, now.getTime(), entrance.session.email),
  })
}

const isOfTheForm = ({ documento, campo }: { documento: string; campo: (string | number)[] }) =>
  isDocumentName(documento) && fieldAt(descriptorOf(documento), campo) !== undefined

const readUpdates = (
  screen: SiteScreen,
  editorContent: Parameters<typeof versionOf>[0],
  now: number,
  ownEmail: string,
) => ({
  fallas: screenFaults(screen, editorContent),
  ahora: now,
  yo: ownEmail,
})

/** Reads versions by document, such as `inicio.yaml:12,edicion.yaml:p3`. */
const readSeenVersions = (text: unknown): Map<string, string> =>
  new Map(
    (typeof text === 'string' ? text : '').split(',').flatMap((one): [string, string][] => {
      const at = one.indexOf(':')
      return at > 0 ? [[one.slice(0, at), one.slice(at + 1)]] : []
    }),
  )
