import { useEffect, useRef, useState } from 'react'
import type { JudgeSheet, SheetCandidate, SheetRound } from '#app/finals/record/schema.ts'
import { formatPoints, pointsOf } from '#app/finals/record/scoring.ts'
import { Button } from '#app/ui/components/button.tsx'
import { Photo } from '#app/ui/photos/photo.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { toneClass } from '#app/ui/styles/tone.ts'
import styles from './judge.module.css'
import { completeScores, scoresOf } from './sheet-memory.ts'
import { fromSheetPicture } from './sheet-picture.ts'
import type { SheetController } from './use-sheet.ts'

const WHOLE_POINTS = Array.from({ length: 10 }, (_, index) => index + 1)

/** Shows a judge's sheet: the open round while the judge has not signed, otherwise `Waiting`. */
export function SheetScreen({ controller }: { controller: SheetController }) {
  const { memory, isOnline, message } = controller
  const sheet = memory?.hoja
  if (!memory || !sheet) return <p className={styles.waiting}>Abriendo tu hoja…</p>
  const { ronda: round } = sheet
  const isScoring = round?.abierta && round.firmada === null
  return (
    <>
      <header className={styles.heading}>
        <p className={styles.judgeName}>
          {sheet.nombre}{' '}
          {round && (
            <span>
              Ronda {round.numero} de {sheet.rondas}
            </span>
          )}
        </p>
        <p className={joinClasses(styles.line, !isOnline && styles.offline)} role="status">
          {isOnline ? 'Con señal' : 'Sin señal'}
        </p>
      </header>
      {message && (
        <p className={styles.message} role="alert">
          {message}
        </p>
      )}
      {!controller.isStored && (
        <p className={styles.message} role="alert">
          Este teléfono no puede guardar lo que tocas (quizá por navegación privada). No cierres esta página.
        </p>
      )}
      {isScoring ? (
        <ScoringForm controller={controller} sheet={sheet} round={round} />
      ) : (
        <Waiting sheet={sheet} round={round} />
      )}
    </>
  )
}

/** Shows a judge who has nothing to score what comes next and, until the record is sealed, the scores signed in the latest round. */
function Waiting({ sheet, round }: { sheet: JudgeSheet; round: SheetRound | null }) {
  if (sheet.sellada)
    return (
      <section className={styles.messageScreen}>
        <h1>Gracias, {sheet.nombre}</h1>
        <p>La final terminó y su acta está sellada. Ya puedes cerrar esta página.</p>
      </section>
    )
  if (!round)
    return (
      <section className={styles.messageScreen}>
        <p className={styles.label}>{sheet.certamen}</p>
        <h1>Todo listo</h1>
        <p>Ya estás dentro. La primera ronda aparece aquí sola en cuanto la notaría la abra.</p>
      </section>
    )
  return (
    <section className={styles.signed} aria-labelledby="ronda">
      <h1 id="ronda">{round.nombre}</h1>
      {round.firmada ? (
        <p className={styles.seal}>
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="m5 12.5 4.5 4.5L19 7.5" />
          </svg>
          Enviado y firmado a las {round.firmada}
        </p>
      ) : (
        <p>La ronda se cerró sin tu hoja.</p>
      )}
      <p className={styles.next}>
        {round.abierta || round.numero < sheet.rondas
          ? 'La siguiente ronda aparece aquí sola. Puedes apagar la pantalla mientras tanto.'
          : 'Fue la última ronda. Gracias: espera aquí a que la notaría selle el acta.'}
      </p>
      {round.firmada && (
        <ul className={styles.signedScores} aria-label="Lo que firmaste">
          {round.candidatas.map(({ id, numero, nombre }) => {
            const scores = round.marcas[id]
            return (
              <li key={id}>
                <span className={styles.number}>{numero}</span>
                <span>{nombre}</span>
                {scores && (
                  <>
                    <span className={styles.criterionScores}>
                      {round.criterios
                        .map(
                          ({ nombre: criterionName }, index) =>
                            `${criterionName} ${formatScore(scores[index] ?? null)}`,
                        )
                        .join(' · ')}
                    </span>
                    <b>
                      {formatPoints(
                        pointsOf(
                          scores.map((score) => score ?? 0),
                          round.criterios,
                        ),
                      )}
                    </b>
                  </>
                )}
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}

/** Formats tenths as points: 85 → «8.5». A missing score is «—». */
const formatScore = (tenths: number | null): string => (tenths === null ? '—' : String(tenths / 10))

function ScoringForm({
  controller,
  sheet,
  round,
}: {
  controller: SheetController
  sheet: JudgeSheet
  round: SheetRound
}) {
  const sheetMemory = controller.memory!
  const allScores = scoresOf(sheetMemory, round)
  const scoredCount = round.candidatas.filter(({ id }) => allScores[id]?.every((score) => score !== null)).length
  const isComplete = completeScores(allScores) !== undefined
  const [asksToSign, setAsksToSign] = useState(false)
  const question = useRef<HTMLElement>(null)
  useEffect(() => {
    if (asksToSign) question.current?.focus()
  }, [asksToSign])
  const { firma: signature } = sheetMemory
  const statusText = signature
    ? controller.isOnline
      ? 'Enviando tu firma…'
      : 'Tu hoja firmada está guardada en este teléfono. Se envía sola en cuanto vuelva la señal.'
    : sheetMemory.toques.length > 0
      ? 'Guardado en este teléfono'
      : scoredCount > 0 || round.candidatas.some(({ id }) => allScores[id]?.some((score) => score !== null))
        ? 'Guardado en este teléfono y en el sitio'
        : 'Toca una calificación para cada cosa'
  const firstIncompleteCandidate = round.candidatas.find(({ id }) => !allScores[id]?.every((score) => score !== null))
  return (
    <section aria-labelledby="ronda" className={styles.round}>
      <h1 id="ronda">{round.nombre}</h1>
      {round.reabierta && (
        <p className={styles.message}>La notaría reabrió tu hoja: {round.reabierta}. Corrígela y fírmala de nuevo.</p>
      )}
      <fieldset className={styles.candidates} disabled={signature !== null}>
        <legend className="visually-hidden">Calificaciones del 1 al 10</legend>
        {round.candidatas.map((candidate) => (
          <CandidateScores
            key={candidate.id}
            candidate={candidate}
            round={round}
            hasHalfPoints={sheet.medios}
            scores={allScores[candidate.id] ?? []}
            onTap={(criterion, tenths) => controller.tap(candidate.id, criterion, tenths)}
          />
        ))}
      </fieldset>
      <div className={styles.footer}>
        {asksToSign && !signature ? (
          <section className={styles.question} ref={question} tabIndex={-1} aria-labelledby="pregunta">
            <p id="pregunta">
              <b>¿Firmas tu hoja?</b> Después ya no se cambia.
            </p>
            <div className={styles.buttonPair}>
              <Button
                onClick={() => {
                  setAsksToSign(false)
                  controller.sign()
                }}
              >
                Sí, firmar y enviar
              </Button>
              <Button look="quiet" onClick={() => setAsksToSign(false)}>
                Seguir revisando
              </Button>
            </div>
          </section>
        ) : (
          <>
            <p className={styles.state} role="status">
              <b>
                {scoredCount} de {round.candidatas.length}
              </b>
              <span>{statusText}</span>
            </p>
            {signature ? (
              <Button look="quiet" onClick={controller.withdrawSignature}>
                Seguir corrigiendo
              </Button>
            ) : isComplete ? (
              <Button onClick={() => setAsksToSign(true)}>Enviar y firmar</Button>
            ) : (
              <a
                className={styles.missing}
                href={`#candidata-${firstIncompleteCandidate?.id}`}
                aria-label={`Falta ${firstIncompleteCandidate?.nombre}`}
              >
                Falta {firstIncompleteCandidate?.nombre.split(' ', 1)}
              </a>
            )}
          </>
        )}
      </div>
    </section>
  )
}

interface CandidateScoresProps {
  candidate: SheetCandidate
  round: SheetRound
  hasHalfPoints: boolean
  scores: (number | null)[]
  onTap(criterion: number, tenths: number): void
}

function CandidateScores({
  candidate: { id, numero, nombre, tono, silueta },
  round,
  hasHalfPoints,
  scores,
  onTap,
}: CandidateScoresProps) {
  const isComplete = scores.length > 0 && scores.every((score) => score !== null)
  return (
    <article
      className={joinClasses(styles.candidate, toneClass(tono), isComplete && styles.complete)}
      id={`candidata-${id}`}
      aria-labelledby={`nombre-${id}`}
    >
      <div className={styles.profile}>
        {silueta ? (
          <Photo
            picture={fromSheetPicture(silueta)}
            sizes="(max-width: 640px) 80vw, 400px"
            className={styles.silhouette}
          />
        ) : (
          <span className={styles.silhouette} aria-hidden="true" />
        )}
        <p className={styles.number}>{numero}</p>
        <h2 id={`nombre-${id}`}>{nombre}</h2>
        <p className={styles.total}>
          {isComplete ? (
            <>
              <b>
                {formatPoints(
                  pointsOf(
                    scores.map((score) => score ?? 0),
                    round.criterios,
                  ),
                )}
              </b>{' '}
              puntos
            </>
          ) : (
            'Sin terminar'
          )}
        </p>
      </div>
      {round.criterios.map(({ nombre: criterion, peso }, criterionIndex) => {
        const score = scores[criterionIndex] ?? null
        return (
          <fieldset className={styles.criterion} key={criterion}>
            <legend>
              {criterion}
              <span className="visually-hidden">, {nombre}, </span>
              <span className={styles.weight}>{peso} %</span>{' '}
              {score !== null && <span className={styles.score}>{formatScore(score)}</span>}
            </legend>
            <div className={styles.points}>
              {WHOLE_POINTS.map((points) => (
                <label key={points}>
                  <input
                    type="radio"
                    name={`${round.numero}-${id}-${criterionIndex}`}
                    value={points}
                    checked={score !== null && Math.floor(score / 10) === points}
                    onChange={() => onTap(criterionIndex, points * 10)}
                  />
                  <span>{points}</span>
                </label>
              ))}
            </div>
            {hasHalfPoints && (
              <label className={styles.halfPoint}>
                <input
                  type="checkbox"
                  checked={score !== null && score % 10 === 5}
                  disabled={score === null || score >= 100}
                  onChange={(event) =>
                    score !== null &&
                    onTap(criterionIndex, Math.floor(score / 10) * 10 + (event.currentTarget.checked ? 5 : 0))
                  }
                />
                <span>y medio</span>
              </label>
            )}
          </fieldset>
        )
      })}
    </article>
  )
}
