import { accountsOf } from '#app/accounts/guards.server.ts'
import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import { PRIVATE_HEADERS } from '#app/core/http/private-headers.ts'
import { type Services, servicesOf } from '#app/core/http/services.server.ts'
import { csvLine } from '#app/core/text/csv.ts'
import { formatNumericDateTime } from '#app/core/time/mexico-dates.ts'
import { type Election, loadElection } from '#app/voting/election/data.server.ts'
import { listCountedCandidates, readHourlyVotes, readResults } from '#app/voting/sealing/data.server.ts'
import { OTHERS } from '#app/voting/sealing/schema.ts'
import type { Route } from './+types/csv-export.resource'

/**
 * Serves /misspopularidad-resultados/resultados.csv and horas.csv, for spreadsheets. The audit log names each download. Without
 * access to the results the answer is 403, and for another file 404.
 */
export async function loader({ request, context, params }: Route.LoaderArgs) {
  const access = await checkLoginWall(request, context, 'resultados')
  if (!access.isOpen) return new Response('Sólo para la organización.', { status: 403, headers: PRIVATE_HEADERS })
  const { services, facts } = servicesOf(context)
  const election = await loadElection()
  const rows = await TABLES.get(params.tabla)?.(services, election)
  if (!rows) return new Response('Ese archivo no existe.', { status: 404, headers: PRIVATE_HEADERS })
  const actor = { quien: access.session.userId, desde: accountsOf(context).traceOf(facts.client) }
  await writeAuditLog(services.db, actor, { que: 'voto.exportado', tabla: params.tabla })
  // The byte order mark tells spreadsheets that the text is UTF-8.
  const text = `\ufeff${rows.map(csvLine).join('')}`
  return new Response(text, {
    headers: {
      ...PRIVATE_HEADERS,
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="senorita-popularidad-${election.edicion}-${params.tabla}"`,
    },
  })
}

const TABLES = new Map([
  ['resultados.csv', listTotalRows],
  ['horas.csv', listHourlyRows],
])

async function listTotalRows(
  services: Pick<Services, 'db' | 'clock'>,
  election: Election,
): Promise<(string | number)[][]> {
  const { filas, otros, total, anulados } = await readResults(services, election)
  return [
    ['Candidata', 'Votos', 'Porcentaje'],
    ...filas.map(({ nombre, votos, porcentaje }) => [nombre, votos, porcentaje]),
    [OTHERS, otros, ''],
    ['Total', total, ''],
    ['Anulados', anulados, ''],
  ]
}

async function listHourlyRows({ db }: Pick<Services, 'db'>, election: Election): Promise<(string | number)[][]> {
  return [
    ['Hora (Ciudad de México)', ...(await listCountedCandidates(db, election)).map(({ nombre }) => nombre), OTHERS],
    ...(await readHourlyVotes(db, election)).map(({ hour, votos }) => [
      formatNumericDateTime(new Date(hour)),
      ...votos,
    ]),
  ]
}
