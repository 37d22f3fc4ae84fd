import * as v from 'valibot'
import {
  displayedEditionOf,
  type PastEdition,
  type Queen,
  withEdition,
} from '#app/cms/editions/displayed-edition.server.ts'
import { describeFiles } from '#app/cms/editions/media-cache.server.ts'
import { imageManifest, manifestOf } from '#app/cms/media/image-manifest.server.ts'
import { readFileRows, readPastPublications } from '#app/cms/publishing/publications.server.ts'
import { checkDocuments, type EditionDocuments } from '#app/cms/schema/read-content.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { loadElection, loadWinner } from '#app/voting/election/data.server.ts'
import { recordPath } from '#app/voting/record/record-path.ts'
import { readSealedRecord } from '#app/voting/sealing/sealed-record.server.ts'

const CandidateVotesSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    candidatas: v.array(v.object({ id: v.optional(v.string()), nombre: v.string(), votos: v.number() })),
  }),
)

/**
 * Reads the editions that the site has shown before the displayed one, with their winners and sealed records.
 * @param queens of the editions whose final is public, by year
 */
export async function readPastEditions(
  services: Pick<Services, 'db' | 'clock'>,
  displayedYear: number,
  queens: ReadonlyMap<number, Queen>,
  root = '.',
): Promise<PastEdition[]> {
  const { db } = services
  const contentManifest = await imageManifest(root).catch(() => undefined)
  const pastEditions: PastEdition[] = []
  for (const { edicion: year, valores, archivos } of await readPastPublications(db, displayedYear)) {
    const rows = await readFileRows(db, Object.values(archivos))
    const { documents, faults } = checkDocuments(valores, (path) => rows.has(archivos[path] ?? ''))
    // An edition that this version cannot show is left out.
    if (faults.length > 0) continue
    const { manifest } = manifestOf(describeFiles(archivos, rows, contentManifest), documents, true)
    const displayed = displayedEditionOf(documents as EditionDocuments, manifest)
    pastEditions.push({
      edition: displayed.edition,
      displayed,
      queen: queens.get(year),
      result: await withEdition(displayed, () => readResult(services, year)),
    })
  }
  return pastEditions
}

/** Reads the result from the edition's sealed record; undefined without a record, or if it is no JSON or has another shape. */
async function readResult(services: Pick<Services, 'db' | 'clock'>, year: number): Promise<PastEdition['result']> {
  const sealedRecord = await readSealedRecord(services, await loadElection())
  if (!sealedRecord) return undefined
  const record = v.safeParse(CandidateVotesSchema, sealedRecord.contenido)
  if (!record.success) return undefined
  const winner = await loadWinner(services.db)
  return {
    votes: record.output.candidatas
      .map(({ id, nombre, votos }) => ({ id: id ?? nombre, name: nombre, votes: votos }))
      .sort((a, b) => b.votes - a.votes),
    winner: winner && {
      id: winner.id,
      nombreCorto: winner.nombreCorto,
      mensaje: winner.mensaje,
      foto: winner.foto,
    },
    seal: sealedRecord.sello,
    recordUrl: recordPath(year, '.json'),
  }
}
