import { type ContentFolder, publishContentFolder } from '#app/cms/publishing/content-folder.server.ts'
import { readCurrentPublication, readCurrentPublicationId } from '#app/cms/publishing/publications.server.ts'
import { adviceOnMovedOpening, adviceOnMovedPlaces, closingOf } from '#app/cms/publishing/rules.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { explainOrphanedVotes } from '#app/voting/election/candidate-names.server.ts'
import { hasVoteBegun } from '#app/voting/sealing/moved-closing.server.ts'

/**
 * Publishes content/ at a start, if `publishContentFolder` may. Content that would orphan votes, or move the opening, the
 * closing or a candidate's place of a vote that has begun, is refused with a message, and the site shows the last publication.
 * @throws StartError if votes would be orphaned and there is no earlier publication to show
 */
export async function publishAtStart(
  services: Services,
  folder: Extract<ContentFolder, { ok: true }>,
  say: (line: string) => void,
): Promise<void> {
  const { db } = services
  const { edition, documents } = folder
  const orphanedVotesFault = await explainOrphanedVotes(services, { edicion: edition, ...documents['candidatas.yaml'] })
  const currentPublication = await readCurrentPublication(db)
  // publishContentFolder replaces only publications of content/.
  const isVoteBegun =
    currentPublication?.origen === 'carpeta' &&
    currentPublication.edicion === edition &&
    (await hasVoteBegun(db, edition))
  const movesClosing =
    isVoteBegun && Date.parse(closingOf(currentPublication.valores)) !== Date.parse(closingOf(folder.values))
  const openingFault = isVoteBegun ? adviceOnMovedOpening(currentPublication.valores, folder.values) : undefined
  const placesFault = isVoteBegun ? adviceOnMovedPlaces(currentPublication.valores, folder.values) : undefined
  if (movesClosing)
    say(
      `La votación ya empezó, y content/${edition} mueve su cierre: eso se hace en el panel, con su motivo. Se muestra la última publicación; deja fechas.cierreVotacion como estaba.`,
    )
  else if (orphanedVotesFault !== undefined) {
    if ((await readCurrentPublicationId(db)) === undefined) throw new StartError(orphanedVotesFault)
    say(`${orphanedVotesFault}\nMientras tanto se muestra la última publicación.`)
  } else if ((openingFault ?? placesFault) !== undefined)
    say(`content/${edition}: ${openingFault ?? placesFault}. Se muestra la última publicación.`)
  else await publishContentFolder(services, folder)
}
