import type { Actor } from '#app/audit/mutations.server.ts'
import { withdrawalFingerprint } from '#app/cms/media/stored-objects.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { withdrawCandidate } from './withdrawal.server.ts'

interface CandidatesDocument {
  candidatas?: { id: string }[]
}

/**
 * Repeats the withdrawals of candidates who came back with a backup from before their withdrawal.
 * @param key key of the erasure log, whose keyed hashes are `fingerprints`
 * @param hasReceivedVotes returns whether votes of an edition may name a candidate
 * @returns number of candidates who had come back
 */
export async function replayWithdrawals(
  services: Pick<Services, 'db' | 'clock'>,
  key: Uint8Array,
  fingerprints: ReadonlySet<string>,
  hasReceivedVotes: (edition: number, candidate: string) => Promise<boolean>,
  actor: Actor,
): Promise<number> {
  const { db } = services
  const publications = await db.selectFrom('publicaciones').select(['edicion', 'valores']).execute()
  const drafts = await db
    .selectFrom('borradores')
    .select(['edicion', 'valor'])
    .where('documento', '=', 'candidatas.yaml')
    .execute()
  const candidateLists = [
    ...publications.map(({ edicion, valores }) => ({
      edicion,
      candidatesDocument: valores['candidatas.yaml'] as CandidatesDocument | undefined,
    })),
    ...drafts.map(({ edicion, valor }) => ({ edicion, candidatesDocument: valor as CandidatesDocument | undefined })),
  ]
  const returnedCandidates = new Map<string, { edition: number; candidateId: string }>()
  for (const { edicion, candidatesDocument } of candidateLists)
    for (const { id } of candidatesDocument?.candidatas ?? []) {
      const fingerprint = withdrawalFingerprint(key, edicion, id)
      if (fingerprints.has(fingerprint)) returnedCandidates.set(fingerprint, { edition: edicion, candidateId: id })
    }
  for (const { edition, candidateId } of returnedCandidates.values()) {
    // A publication in preparation, from the backup or of the withdrawal before, would make this withdrawal fail as `busy`.
    await db.updateTable('publicaciones').set({ estado: 'fallida' }).where('estado', '=', 'preparando').execute()
    await withdrawCandidate(
      services,
      { year: edition, candidateId, hasVotes: await hasReceivedVotes(edition, candidateId) },
      actor,
    )
  }
  return returnedCandidates.size
}
