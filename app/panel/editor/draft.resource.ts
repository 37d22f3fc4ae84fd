import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { DraftFullError, saveDocument } from '#app/cms/drafts/draft-store.server.ts'
import { listEditions } from '#app/cms/editions/years.server.ts'
import { isBounded } from '#app/cms/schema/field-path.ts'
import { typedValue } from '#app/cms/schema/typed-value.ts'
import { type Services, servicesOf } from '#app/core/http/services.server.ts'
import { DISK_FULL_MESSAGE, DISK_FULL_STATUS, withDiskFullRefusal } from '#app/core/uploads/disk-space.server.ts'
import type { Route } from './+types/draft.resource'
import {
  documentNamesOf,
  documentVersionOf,
  faultsOfScreen,
  readEditorContent,
  readPublishedContent,
} from './data.server.ts'
import { findScreen } from './editable-screens.ts'
import { changesBetween } from './publishing/diff.ts'
import { DRAFT_FULL_MESSAGE, type SaveRefusal, type SyncResponse } from './schema.ts'

const NO_STORE = { 'cache-control': 'private, no-store' }

const refuse = (reason: SaveRefusal['reason'], message: string, status: number) =>
  Response.json({ ok: false, reason, mensaje: message } satisfies SaveRefusal, { status, headers: NO_STORE })

const SESSION_ENDED_MESSAGE =
  'Tu sesión terminó. Lo que escribiste sigue aquí, en este dispositivo: entra de nuevo y se guarda solo.'

const UNKNOWN_SCREEN_MESSAGE = 'Esa pantalla no existe. Vuelve a «El sitio» y elígela de la lista.'

const UNKNOWN_EDITION_MESSAGE = 'Esa edición no existe. Vuelve a «El sitio» y abre la pantalla de nuevo.'

/** Returns the documents of a screen that changed since the versions in `v`, or a SaveRefusal. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const syncRequest = await readSyncRequest(request, context)
  return syncRequest instanceof Response
    ? syncRequest
    : respondWithChanges(syncRequest, servicesOf(context).services, null)
}

/**
 * Saves a document if the page has seen its newest version. In either case returns the screen's documents that changed since the
 * versions in `v`; a SaveRefusal has no documents.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const syncRequest = await readSyncRequest(request, context)
  if (syncRequest instanceof Response) return syncRequest
  const { services } = servicesOf(context)
  const form = await request.formData()
  const document = String(form.get('documento'))
  const value = parseJson(form.get('valor'))
  const seenVersion = syncRequest.seenVersions.get(document)
  if (!documentNamesOf(syncRequest.screen).includes(document) || value === undefined || seenVersion === undefined)
    return refuse(
      'peticion',
      'Este cambio no se entiende: recarga la página. Lo que escribiste sigue en este dispositivo.',
      422,
    )
  if (!isBounded(value)) return refuse('lleno', DRAFT_FULL_MESSAGE, 413)
  const saveResult = await withDiskFullRefusal(services, async () => ({
    version: await saveDocument(services.db, (tx) => readPublishedContent(tx, syncRequest.year), {
      edition: syncRequest.year,
      document,
      value: typedValue(value),
      seenVersion,
      accountId: syncRequest.session.userId,
      now: services.clock.now(),
    }),
  })).catch((error: unknown) => {
    if (error instanceof DraftFullError) return { ok: false as const, reason: 'lleno' as const }
    throw error
  })
  if ('ok' in saveResult)
    return saveResult.reason === 'lleno'
      ? refuse('lleno', DRAFT_FULL_MESSAGE, 413)
      : refuse('sin-espacio', DISK_FULL_MESSAGE, DISK_FULL_STATUS)
  if (saveResult.version !== undefined) syncRequest.seenVersions.set(document, saveResult.version)
  return respondWithChanges(syncRequest, services, saveResult.version ?? null)
}

/** Reads which screen's form sent a request, and which versions of its documents the form has seen; returns a refusal as a response. */
async function readSyncRequest(request: Request, context: Route.LoaderArgs['context']) {
  const access = await checkLoginWall(request, context, 'sitio')
  if (!access.isOpen) return refuse('sesion', SESSION_ENDED_MESSAGE, 401)
  const params = new URL(request.url).searchParams
  const screen = findScreen(params.get('pantalla') ?? undefined)
  if (!screen) return refuse('peticion', UNKNOWN_SCREEN_MESSAGE, 404)
  // The form names its edition, since the organiser may have chosen another edition in another window.
  const year = Number(params.get('anio') ?? Number.NaN)
  const editions = await listEditions(servicesOf(context).services.db)
  if (!editions.some((edition) => edition.year === year)) return refuse('peticion', UNKNOWN_EDITION_MESSAGE, 404)
  return { screen, year, session: access.session, seenVersions: readVersions(params.get('v')) }
}

type SyncRequest = Exclude<Awaited<ReturnType<typeof readSyncRequest>>, Response>

async function respondWithChanges(
  { screen, year, seenVersions }: SyncRequest,
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  savedVersion: string | null,
) {
  const editorContent = await readEditorContent(db, year)
  const now = clock.now().getTime()
  const changedNames = documentNamesOf(screen).filter(
    (name) => seenVersions.get(name) !== documentVersionOf(editorContent, name),
  )
  const documents = changedNames.map((name) => {
    const { quien = null, at } = editorContent.draft.documents[name] ?? {}
    const version = documentVersionOf(editorContent, name)
    return [name, { version, valor: editorContent.draft.values[name], quien, at: at?.getTime() ?? now }] as const
  })
  const response: SyncResponse = {
    ok: true,
    guardado: savedVersion,
    documentos: Object.fromEntries(documents),
    fallas: faultsOfScreen(screen, editorContent),
    cambios: changesBetween(editorContent.published.values, editorContent.draft.values).length,
    ahora: now,
  }
  return Response.json(response, { headers: NO_STORE })
}

function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}

/** Parses versions by document, such as `inicio.yaml:12,edicion.yaml:p3`. */
const readVersions = (text: string | null): Map<string, string> =>
  new Map((text ?? '').split(',').map((entry) => entry.split(':') as [string, string]))
