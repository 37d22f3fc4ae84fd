import { loadPastEdition, withEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { loadElection } from '#app/voting/election/data.server.ts'
import { tallyOf } from '#app/voting/sealing/guards.server.ts'
import { answerRecordFile } from '#app/voting/sealing/record-file.server.ts'
import { readSealedRecord } from '#app/voting/sealing/sealed-record.server.ts'
import type { Route } from './+types/record-json.resource'

/** The published record's file. The query `edicion` asks for the record of a past edition. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const asked = Number(new URL(request.url).searchParams.get('edicion') ?? Number.NaN)
  const past = await loadPastEdition(asked)
  const answer = past ? await withEdition(past.displayed, published) : await published()
  return answer ?? new Response('El acta se publica al cerrar la votación.', { status: 404 })

  async function published(): Promise<Response | undefined> {
    const election = await loadElection()
    const { edicion } = election
    const own = await tallyOf(context).recordFiles.answer(edicion, request)
    if (own) return own
    const sealed = await readSealedRecord(servicesOf(context).services, election)
    return sealed?.sample && answerRecordFile(sealed.sample.file, edicion, sealed.sello, request)
  }
}
