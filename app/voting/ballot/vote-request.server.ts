import { createHash } from 'node:crypto'
import type { Rol } from '#app/accounts/schema.ts'
import { lugaresDe } from '#app/cms/publishing/vote-order.ts'
import { noteRechazo } from '#app/core/http/refusal-events.server.ts'
import type { RequestFacts } from '#app/core/http/services.server.ts'
import { enLugar, loadEleccion } from '#app/voting/election/data.server.ts'
import { cuantosLugares, isNotClosed, type Lugares, ordenes, readLugar, readVoto } from '#app/voting/election/rules.ts'
import type { Votacion } from './mutations.server.ts'
import { type RespuestaDeVoto, STATUS_DE_VOTO } from './schema.ts'

/** The person signed in, as far as a vote needs to know. */
type Sesion = { userId: string; correo: string; rol: Rol | null } | undefined

/** Casts the vote of a form for the person signed in. */
export async function castForm(
  votacion: Votacion,
  { client }: Pick<RequestFacts, 'client'>,
  sesion: Sesion,
  form: FormData | URLSearchParams,
): Promise<RespuestaDeVoto> {
  // A judge's account is of one evening, and of no mailbox: it is no person of the vote's.
  if (!sesion || sesion.rol === 'jurado') return { ok: false, reason: 'sesion' }
  const eleccion = await loadEleccion()
  const said = form.getAll('vote').map((one) => ['vote', String(one).slice(0, 20)])
  const [reto, respuesta, seen] = [form.get('reto'), form.get('respuesta'), form.get('candidata')]
  const vote = readVoto(new URLSearchParams(said), cuantosLugares(lugaresDeVotacion(eleccion)))
  const hers = typeof vote === 'number' ? enLugar(eleccion, vote) : undefined
  // The page names whom it shows at the place, since another candidate may stand there by now.
  if (hers && typeof seen === 'string' && seen !== hers.id) return { ok: false, reason: 'cambio' }
  return votacion.cast(
    eleccion,
    { userId: sesion.userId, correo: sesion.correo, client },
    {
      vote,
      intento: form.get('intento'),
      prueba: typeof reto === 'string' && typeof respuesta === 'string' ? { reto, respuesta } : undefined,
    },
  )
}

const MAX_VOTE_BYTES = 2_000
const JSON_PRIVATE = { 'content-type': 'application/json', 'cache-control': 'private, no-store' }

/**
 * POST /misspopularidad/voto, as the page's script sends it: `vote`, `candidata` (the id of whom the page shows), `intento`, and `reto` with `respuesta` where work
 * was asked for.
 * @param getSession asked only for a request that can be a vote
 * @returns RespuestaDeVoto as JSON, with the status that STATUS_DE_VOTO gives its reason
 */
export async function answerVoto(
  request: Request,
  {
    votacion,
    getSession,
    client,
  }: { votacion: Votacion; getSession: (request: Request) => Promise<Sesion>; client: string },
): Promise<Response> {
  if (!(Number(request.headers.get('content-length') ?? Number.NaN) <= MAX_VOTE_BYTES))
    return new Response('Este envío es demasiado largo.', { status: 413 })
  const form = new URLSearchParams(await request.text())
  const answer = await castForm(votacion, { client }, await getSession(request), form)
  if (!answer.ok) noteRechazo({ de: 'voto', motivo: answer.reason })
  // Not by `Response.json`: what the server makes itself it sends without a stream in between.
  return new Response(JSON.stringify(answer), {
    status: answer.ok ? 200 : STATUS_DE_VOTO[answer.reason],
    headers: JSON_PRIVATE,
  })
}

/**
 * The order of the candidates that was drawn for this answer (server/shared.ts). The device keeps nothing of it, as the
 * privacy notice says.
 */
export const ORDEN_HEADER = 'x-orden'

interface ConLugares {
  candidatas: readonly unknown[]
  retiradas?: readonly { lugar: number }[] | undefined
}

/** The places of the vote's order. */
export const lugaresDeVotacion = ({ candidatas, retiradas = [] }: ConLugares): Lugares => ({
  lugares: lugaresDe(candidatas.length, retiradas),
  retirados: retiradas.map(({ lugar }) => lugar),
})

/** What a visit to the contest's page depends on, beyond who is signed in. */
export function visitaDe(
  request: Request,
  { client }: Pick<RequestFacts, 'client'>,
  edicion: ConLugares & { fechas: { cierreVotacion: string } },
  now: Date,
) {
  const { fechas, candidatas } = edicion
  const n = candidatas.length
  const drawn = request.headers.get(ORDEN_HEADER)
  const visitor = createHash('sha256')
    .update(`${client} ${request.headers.get('user-agent')}`)
    .digest()
  return {
    /** Nobody votes before there is somebody to vote for. */
    abierta: n > 0 && isNotClosed(fechas.cierreVotacion, now),
    vote: readLugar(new URL(request.url).searchParams, lugaresDeVotacion(edicion)),
    ajena: isAjena(request),
    /** Which order of the candidates: the one that was drawn, else one that network and browser decide. */
    suerte: (drawn !== null && /^\d{1,4}$/.test(drawn) ? Number(drawn) : visitor.readUInt32BE(0)) % ordenes(n),
  }
}

/** Whether the link was followed on another site. @source D24 */
function isAjena({ url, headers }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'cross-site'
  // Some browsers, and all of them without TLS, send no Sec-Fetch-Site, but may still say which page the link was on.
  const from = URL.parse(headers.get('referer') ?? '')
  return from !== null && from.origin !== new URL(url).origin && from.host !== headers.get('host')
}
