import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import { addCandidate, findCandidateIndex } from '#app/cms/editions/add-candidate.server.ts'
import { receiveFile } from '#app/cms/media/receive-file.server.ts'
import { readCurrentPublication } from '#app/cms/publishing/publications.server.ts'
import { listCandidatePlaces } from '#app/cms/publishing/rules.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { asRefusalError } from '#app/core/http/refusal.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { readAcceptedEntry } from '#app/entries/data.server.ts'
import { PUBLISH_FACE_FIELD } from '#app/entries/definitions/candidate-fields.ts'
import { PERMISSION_GRANTED } from '#app/entries/definitions/field.ts'
import { type DocumentFile, listDocumentFiles } from '#app/entries/document-viewing/viewing.server.ts'
import { linkCandidate } from '#app/entries/states/mutations.server.ts'

/**
 * `possible`: the entry can become a candidate; `inDraft`: the draft has the candidate, and the site, too, if `isPublished`;
 * `withdrawn`: she was withdrawn.
 */
export type CandidateStatus =
  | { kind: 'possible'; hasPhotoConsent: boolean }
  | { kind: 'inDraft'; path: string; isPublished: boolean }
  | { kind: 'withdrawn' }

/** Reads an entry's status as a candidate; undefined if it is not accepted, is a costume's, or belongs to another edition. */
export async function readCandidateStatus(db: Database, id: number): Promise<CandidateStatus | undefined> {
  const acceptedEntry = await readAcceptedEntry(db, id)
  const publication = await readCurrentPublication(db)
  if (!acceptedEntry || acceptedEntry.edition !== publication?.edicion) return undefined
  const { candidateId, values } = acceptedEntry
  const index = candidateId === undefined ? undefined : await findCandidateIndex(db, publication, candidateId)
  if (index === 'withdrawn') return { kind: 'withdrawn' }
  if (index !== undefined)
    return {
      kind: 'inDraft',
      path: `/organizadores/sitio/candidatas?campo=candidatas.candidatas.${index}.nombre`,
      isPublished: listCandidatePlaces(publication.valores['candidatas.yaml'] ?? {}).some(
        ({ id }) => id === candidateId,
      ),
    }
  return { kind: 'possible', hasPhotoConsent: values[PUBLISH_FACE_FIELD] === PERMISSION_GRANTED }
}

export type MakeCandidateResult =
  | { ok: true; photo: 'added' | 'noConsent' | 'unreadable' }
  /**
   * `ineligible`: the entry is no accepted candidate's (any more), or is of another edition; `alreadyMade`: it was made a candidate
   * before, who may be withdrawn; `full`: the edition has its maximum of candidates.
   */
  | { ok: false; reason: 'ineligible' | 'alreadyMade' | 'full' }
  /** The disk is full, or too many files wait to be sanitised; the organiser can try again later. */
  | { ok: false; reason: 'busy'; message: string }

/**
 * Adds the person of an accepted entry to the draft's candidates. Of the entry's files only the face photograph is copied, if
 * the person consented; it is sanitised like every picture of the edition. An unreadable photograph is left out.
 * After a refusal a copied photograph may stay unused.
 * @throws errors of the storage or the database; the transaction is then rolled back
 */
export async function makeCandidate(services: Services, id: number, actor: Actor): Promise<MakeCandidateResult> {
  const { db, clock } = services
  try {
    return await db.transaction().execute(async (tx): Promise<MakeCandidateResult> => {
      // The entry's row stays locked until the commit: a deletion waits, and then also removes the link to the candidate.
      const acceptedEntry = await readAcceptedEntry(tx, id, { forUpdate: true })
      const publication = await readCurrentPublication(tx)
      if (!acceptedEntry || acceptedEntry.edition !== publication?.edicion) return { ok: false, reason: 'ineligible' }
      const { values, candidateId } = acceptedEntry
      if (candidateId !== undefined && (await findCandidateIndex(tx, publication, candidateId)) !== undefined)
        return { ok: false, reason: 'alreadyMade' }
      const hasPhotoConsent = values[PUBLISH_FACE_FIELD] === PERMISSION_GRANTED
      const [faceFile] = hasPhotoConsent
        ? (await listDocumentFiles(tx, [id])).filter(({ clase }) => clase === 'fotoRostro')
        : []
      const photo = faceFile && (await storeFacePhoto(services, faceFile))
      const newCandidateId = await addCandidate(
        tx,
        publication,
        {
          nombre: String(values.nombre),
          edad: Number(values.edad),
          carrera: String(values.gradoEstudio),
          foto: photo,
          id: candidateId,
        },
        { accountId: actor.quien, now: clock.now() },
      )
      if (newCandidateId === undefined) return { ok: false, reason: 'full' }
      await linkCandidate(tx, {
        entryId: id,
        edition: publication.edicion,
        candidateId: newCandidateId,
        at: clock.now(),
      })
      await writeAuditLog(tx, actor, { que: 'sitio.candidata', edicion: publication.edicion, inscripcion: id })
      return { ok: true, photo: photo ? 'added' : hasPhotoConsent ? 'unreadable' : 'noConsent' }
    })
  } catch (error) {
    const refusal = asRefusalError(error)
    if (!refusal) throw error
    return { ok: false, reason: 'busy', message: refusal.message }
  }
}

/**
 * Sanitises a photograph and stores it in the edition.
 * @returns its path; undefined if the stored file is missing, differs from the sent file, or is refused
 */
async function storeFacePhoto(services: Services, { bucket, path, sha256, fileName }: DocumentFile) {
  const folder = await mkdtemp(join(tmpdir(), 'rostro-'))
  try {
    const body = await services.storage.get(bucket, path)
    if (!body) return undefined
    const file = join(folder, 'foto')
    const hash = createHash('sha256')
    async function* hashChunks(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        yield chunk
      }
    }
    await pipeline(body, hashChunks, createWriteStream(file, { mode: 0o600 }))
    if (hash.digest('hex') !== sha256) return undefined
    const receiveResult = await receiveFile(services, { kind: 'foto', file, name: fileName })
    return receiveResult.ok ? receiveResult.file.ruta : undefined
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export function makeCandidateMessage(result: MakeCandidateResult): string {
  if (result.ok)
    return `Listo: ya es candidata en el borrador. ${PHOTO_MESSAGES[result.photo]} Nadie más la ve hasta que se publique.`
  if (result.reason === 'busy') return result.message
  return REFUSAL_MESSAGES[result.reason]
}

const PHOTO_MESSAGES = {
  added: 'Lleva su fotografía de rostro, porque lo permitió.',
  noConsent: 'No lleva ninguna fotografía suya, porque no lo permitió al registrarse.',
  unreadable: 'Su fotografía de rostro no se pudo abrir: pídele otra y súbela en su ficha.',
}

const REFUSAL_MESSAGES = {
  ineligible:
    'Sólo se hace candidata una inscripción aceptada de la edición que el sitio muestra. Acéptala primero, o elige esa edición.',
  alreadyMade: 'Ya es candidata del sitio, o se retiró. Recarga la página para ver cómo está.',
  full: 'La edición ya tiene doce candidatas, que son las que caben. Quita a una en «El sitio» y repítelo.',
}
