import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import { addCandidate, findCandidatePlace } from '#app/cms/editions/add-candidate.server.ts'
import { receiveFile } from '#app/cms/media/receive-file.server.ts'
import { readCurrentPublicationId, readPublication } from '#app/cms/publishing/publications.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { asRefusalError } from '#app/core/http/refusal.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { readAcceptedEntry } from '#app/entries/data.server.ts'
import { PUBLISH_FACE_FIELD } from '#app/entries/definitions/candidate-fields.ts'
import { PERMISSION_GRANTED } from '#app/entries/definitions/field.ts'
import { type DocumentFile, listDocumentFiles } from '#app/entries/document-viewing/viewing.server.ts'
import { linkCandidate } from '#app/entries/states/mutations.server.ts'

/** `possible`: the entry can become a candidate of the site; `made`: she is in the draft; `withdrawn`: she was withdrawn. */
export type CandidateStatus =
  | { kind: 'possible'; hasPhotoConsent: boolean }
  | { kind: 'made'; path: string }
  | { kind: 'withdrawn' }

/** Reads an entry's status as a candidate; undefined where the entry is not accepted, a costume's, or of another edition. */
export async function readCandidateStatus(db: Database, id: number): Promise<CandidateStatus | undefined> {
  const [accepted, publication] = [await readAcceptedEntry(db, id), await readPublicationInForce(db)]
  if (!accepted || accepted.edition !== publication?.edicion) return undefined
  const { candidateId, values } = accepted
  const place = candidateId === undefined ? undefined : await findCandidatePlace(db, publication, candidateId)
  if (place === 'withdrawn') return { kind: 'withdrawn' }
  if (place !== undefined)
    return { kind: 'made', path: `/organizadores/sitio/candidatas?campo=candidatas.candidatas.${place}.nombre` }
  return { kind: 'possible', hasPhotoConsent: values[PUBLISH_FACE_FIELD] === PERMISSION_GRANTED }
}

async function readPublicationInForce(db: Database) {
  const id = await readCurrentPublicationId(db)
  return id === undefined ? undefined : readPublication(db, id)
}

export type MakeCandidateResult =
  | { ok: true; photo: 'added' | 'noConsent' | 'unreadable' }
  /** `ineligible`: not accepted (any more), or of another edition; `made`: a candidate or withdrawn; `full`: no place is left. */
  | { ok: false; reason: 'ineligible' | 'made' | 'full' }
  /** The disk is full, or too many pictures are being opened; the organiser can try again later. */
  | { ok: false; reason: 'busy'; message: string }

/**
 * Makes an accepted entry a candidate of the draft. Of her files, only the face photograph is copied: with her consent, and
 * sanitised like every picture of the edition. A photograph that cannot be decoded is left out.
 * @throws errors of the storage or the database; the transaction is then rolled back, and a copied photograph stays unused
 */
export async function makeCandidate(services: Services, id: number, actor: Actor): Promise<MakeCandidateResult> {
  const { db, clock } = services
  try {
    return await db.transaction().execute(async (tx): Promise<MakeCandidateResult> => {
      // The row stays locked to the end, so that a deletion of the entry waits, and then removes its link to the candidate, too.
      const accepted = await readAcceptedEntry(tx, id, { forUpdate: true })
      const publication = await readPublicationInForce(tx)
      if (!accepted || accepted.edition !== publication?.edicion) return { ok: false, reason: 'ineligible' }
      const { values, candidateId } = accepted
      if (candidateId !== undefined && (await findCandidatePlace(tx, publication, candidateId)) !== undefined)
        return { ok: false, reason: 'made' }
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

/** Sanitises a photograph and stores it in the edition. @returns its path; undefined where it is missing or undecodable */
async function storeFacePhoto(services: Services, { bucket, path, sha256, fileName }: DocumentFile) {
  const folder = await mkdtemp(join(tmpdir(), 'rostro-'))
  try {
    const body = await services.storage.get(bucket, path)
    if (!body) return undefined
    const [file, hash] = [join(folder, 'foto'), createHash('sha256')]
    const watch = new Transform({
      transform(chunk, _, done) {
        hash.update(chunk)
        done(null, chunk)
      },
    })
    await pipeline(body, watch, createWriteStream(file, { mode: 0o600 }))
    // A stored file that differs from the sent file is not used.
    if (hash.digest('hex') !== sha256) return undefined
    const received = await receiveFile(services, { kind: 'foto', file, name: fileName })
    return received.ok ? received.file.ruta : undefined
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Words a result in Spanish. */
export function makeCandidateMessage(done: MakeCandidateResult): string {
  if (done.ok)
    return `Listo: ya es candidata en el borrador. ${PHOTO_MESSAGES[done.photo]} Nadie más la ve hasta que se publique.`
  if (done.reason === 'busy') return done.message
  return REFUSAL_MESSAGES[done.reason]
}

const PHOTO_MESSAGES = {
  added: 'Lleva su fotografía de rostro, porque lo permitió.',
  noConsent: 'No lleva ninguna fotografía suya, porque no lo permitió al registrarse.',
  unreadable: 'Su fotografía de rostro no se pudo abrir: pídele otra y súbela en su ficha.',
}

const REFUSAL_MESSAGES = {
  ineligible:
    'Sólo se hace candidata una inscripción aceptada de la edición que el sitio muestra. Acéptala primero, o elige esa edición.',
  made: 'Ya es candidata del sitio, o se retiró. Recarga la página para ver cómo está.',
  full: 'La edición ya tiene doce candidatas, que son las que caben. Quita a una en «El sitio» y repítelo.',
}
