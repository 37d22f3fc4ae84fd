import { randomUUID } from 'node:crypto'
import { displayedEdition } from '#app/cms/editions/displayed-edition.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { inGroups, randomCode } from '#app/core/text/random-codes.ts'
import { datePartsOf, isoDateOf } from '#app/core/time/mexico-dates.ts'
import { compareByKind, type EntryType } from '#app/entries/definitions/document-kinds.ts'
import { isNotBeingDeleted } from './data.server.ts'
import { FOLIO_ALPHABET } from './folio.ts'
import { readAppointment } from './letters/appointments.server.ts'
import { appointmentInWords, calendarUrl } from './letters/rules.ts'
import type { EntryState, FolioView } from './schema.ts'

/** Formats a moment as «27 de septiembre». */
function dayAndMonthInWords(at: Date): string {
  const { day, month } = datePartsOf(isoDateOf(at))
  return `${day} de ${month}`
}

/** Returns a new folio of 60 random bits, too many to guess. */
export const newFolio = (): string => inGroups(randomCode(12, FOLIO_ALPHABET), 4)

/**
 * Finds an entry as the holder of its folio may see it; undefined for an unknown folio, and while the entry is being deleted. The
 * caller must have counted the attempt against a rate limit, which keeps folios from being guessed.
 * @param folio as `parseFolio` returns it
 */
export async function findByFolio(
  db: Database,
  folio: string,
  now: Date,
): Promise<{ id: number; view: FolioView } | undefined> {
  const entry = await db
    .selectFrom('inscripciones')
    .select(['id', 'tipo', 'titular', 'detalle', 'estado', 'edicion', 'created_at'])
    .where('folio', '=', folio)
    .where(isNotBeingDeleted)
    .executeTakeFirst()
  if (!entry) return undefined
  const [documents, requests, changes, appointment] = await Promise.all([
    db
      .selectFrom('documentos')
      .select(['clase', 'lado', 'nombre_archivo', 'recibido_at', 'reemplazado_at'])
      .where('inscripcion_id', '=', entry.id)
      .orderBy('id', 'desc')
      .execute(),
    db
      .selectFrom('solicitudes')
      .select(['id', 'clase', 'lado', 'nota'])
      .where('inscripcion_id', '=', entry.id)
      .where('cumplida_at', 'is', null)
      .where('retirada_at', 'is', null)
      .orderBy('id')
      .execute(),
    db
      .selectFrom('cambios')
      .select(['a', 'at', 'nota', 'para_persona'])
      .where('inscripcion_id', '=', entry.id)
      .orderBy('id', 'desc')
      .execute(),
    readAppointment(db, entry.id, now),
  ])
  const [latestChange] = changes
  const isOver = isContestOver(entry.edicion, now)
  return {
    id: entry.id,
    view: {
      folio,
      tipo: entry.tipo,
      titular: entry.titular,
      detalle: entry.detalle,
      estado: entry.estado,
      recibida: entry.created_at.toISOString(),
      ...stepsOf(entry, changes, isOver),
      explicacion: explanationOf(entry.estado, requests.length, !isOver && !appointment),
      cita: appointment && { texto: appointmentInWords(appointment), calendario: calendarUrl(appointment, '') },
      nota: latestChange?.para_persona ? latestChange.nota : null,
      documentos: documents
        .toSorted(compareByKind)
        .map(({ clase, lado, nombre_archivo, recibido_at, reemplazado_at }) => ({
          clase,
          lado,
          nombre: nombre_archivo,
          recibido: recibido_at.toISOString(),
          reemplazado: reemplazado_at !== null,
        })),
      solicitudes: requests.map((request) => ({ ...request, entrega: randomUUID() })),
    },
  }
}

const EXPLANATIONS: Readonly<Record<EntryState, string>> = {
  recibida: 'Tu registro está completo. El comité todavía no empieza a revisarlo.',
  'en-revision': 'El comité está revisando tu registro.',
  'falta-documento': 'El comité te buscará para decirte cuál.',
  aceptada: '¡Felicidades! El comité aceptó tu registro.',
  rechazada:
    'El comité no aceptó tu registro. Gracias por inscribirte. Si quieres saber por qué, pregúntale: su domicilio está al pie de esta página.',
}

/** Returns what an entry's state means for the entrant; open document requests come first. */
function explanationOf(state: EntryState, requestCount: number, isPhoneCallAhead: boolean): string {
  if (requestCount === 0)
    return state === 'aceptada' && isPhoneCallAhead
      ? `${EXPLANATIONS[state]} Te buscará en tu celular.`
      : EXPLANATIONS[state]
  return `El comité necesita que subas otra vez ${requestCount === 1 ? 'un documento' : 'estos documentos'}.`
}

/** Returns whether an edition's final has begun, or the site shows a later edition; false while content/ is shown. */
function isContestOver(year: number, now: Date): boolean {
  const shownEdition = displayedEdition()?.edition
  if (!shownEdition) return false
  return year < shownEdition.anio || (year === shownEdition.anio && new Date(shownEdition.fechas.coronacion) <= now)
}

/**
 * Returns the steps from an entry's arrival to its contest, or to its rejection, and the index of the current step.
 * @param changes the newest first
 */
function stepsOf(
  { tipo, estado, edicion, created_at }: { tipo: EntryType; estado: EntryState; edicion: number; created_at: Date },
  changes: readonly { a: EntryState; at: Date }[],
  isOver: boolean,
): Required<Pick<FolioView, 'pasos' | 'paso'>> {
  const dayOfState = (state: EntryState) => {
    const latestChange = changes.find(({ a }) => a === state)
    return latestChange && dayAndMonthInWords(latestChange.at)
  }
  const shownEdition = displayedEdition()?.edition
  const isDecided = estado === 'aceptada' || estado === 'rechazada'
  const currentStep =
    estado === 'aceptada' && isOver
      ? 4
      : isDecided
        ? 3
        : estado === 'falta-documento'
          ? 2
          : estado === 'en-revision'
            ? 1
            : 0
  const steps = [
    { nombre: 'Recibida', dia: dayAndMonthInWords(created_at) },
    { nombre: 'En revisión', dia: currentStep > 0 ? dayOfState('en-revision') : undefined },
    { nombre: 'Documentos', dia: currentStep > 1 ? dayOfState('falta-documento') : undefined },
    { nombre: 'Decisión', dia: isDecided ? dayOfState(estado) : undefined },
    tipo === 'candidata'
      ? {
          nombre: 'La final',
          dia:
            shownEdition?.anio === edicion ? dayAndMonthInWords(new Date(shownEdition.fechas.coronacion)) : undefined,
        }
      : { nombre: 'El concurso', dia: undefined },
  ]
  const nextStep = steps[currentStep + 1]
  if (nextStep) nextStep.dia = ['Sigue', nextStep.dia].filter(Boolean).join(': ')
  return { paso: currentStep, pasos: estado === 'rechazada' ? steps.slice(0, -1) : steps }
}
