import { inRequestedEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { loadElection } from '#app/voting/election/data.server.ts'
import { tallyOf } from '#app/voting/sealing/guards.server.ts'
import { answerRecordFile } from '#app/voting/sealing/record-file.server.ts'
import { readSealedRecord } from '#app/voting/sealing/sealed-record.server.ts'
import type { Route } from './+types/record-json.resource'

/**
 * Serves the file of a published record: of the past edition that the query `edicion` names, or of the current edition. After the
 * closing of a vote without votes in the database, serves the content's sample record. Answers 404 while there is no record,
 * and 503 while a stored record's file cannot be made.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const answer = await inRequestedEdition(request, answerPublishedRecord)
  return answer ?? new Response('El acta se publica al cerrar la votación.', { status: 404 })

  async function answerPublishedRecord(): Promise<Response | undefined> {
    const election = await loadElection()
    const { edicion } = election
    const storedFileResponse = await tallyOf(context).recordFiles.answer(edicion, request)
    if (storedFileResponse) return storedFileResponse
    const sealedRecord = await readSealedRecord(servicesOf(context).services, election)
    return sealedRecord?.sample && answerRecordFile(sealedRecord.sample.file, edicion, sealedRecord.sello, request)
  }
}
