import { data } from 'react-router'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { originOf, servicesOf } from '#app/core/http/services.server.ts'
import { qrCodeOf } from '#app/core/text/qr-code.server.ts'
import { formatFullDateTimeWithZone } from '#app/core/time/mexico-dates.ts'
import { ClosedRound } from '#app/finals/judging-table/closed-round.tsx'
import { describeClosedRound, finalRankingRows } from '#app/finals/judging-table/data.server.ts'
import { RankingList } from '#app/finals/judging-table/final-ranking.tsx'
import { RulesInWords } from '#app/finals/judging-table/rules-in-words.tsx'
import { finalRecordPath } from '#app/finals/record/paths.ts'
import { recordNotes } from '#app/finals/record/record-notes.ts'
import { buttonLook } from '#app/ui/components/button.tsx'
import { MessageScreen } from '#app/ui/components/message-screen.tsx'
import { PrintedAddress } from '#app/ui/components/printed-address.tsx'
import { Emblem } from '#app/ui/ornaments/emblem.tsx'
import { NightFerrisWheel } from '#app/ui/ornaments/night-ferris-wheel.tsx'
import type { Route } from './+types/record.page'
import styles from './record.module.css'
import { readVisibleRecord } from './visible-record.server.ts'

// The screen is not indexed, since it answers visitors with 404 until the record is public.
export const handle = { noindex: true, prefetch: false, hasOwnSignOut: true }

export async function loader({ request, context }: Route.LoaderArgs) {
  const visibleRecord = await readVisibleRecord(request, context, servicesOf(context).services)
  if (!visibleRecord) {
    // A query for another year gets the error page; otherwise a page says when the record is published.
    const notFoundInit = { status: 404, headers: { 'cache-control': 'private, no-store' } }
    const requestedYear = new URL(request.url).searchParams.get('edicion')
    if (requestedYear !== null && Number(requestedYear) !== (await loadEditionCard()).anio)
      throw data(null, notFoundInit)
    return data(null, notFoundInit)
  }
  const { state, seal, edition } = visibleRecord.record
  const final = state.final!
  const url = `${originOf(context)}${finalRecordPath(edition)}`
  return data(
    {
      isPublic: visibleRecord.isPublic,
      seal,
      year: edition,
      url,
      qrCode: qrCodeOf(url),
      sealedAt: formatFullDateTimeWithZone(new Date(final.closing!.levantada)),
      rankingRows: finalRankingRows(final),
      rules: final.rules,
      rounds: final.rounds.map((round) => describeClosedRound(final, round)),
      notes: recordNotes(state),
    },
    { headers: { 'cache-control': 'private, no-store' } },
  )
}

export const headers: Route.HeadersFunction = ({ loaderHeaders }) => loaderHeaders

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Acta de la final' }, args)

export default function RecordPage({ loaderData }: Route.ComponentProps) {
  if (!loaderData)
    return (
      <MessageScreen kicker="La final" title="El acta se publica al terminar la final" ornament={<NightFerrisWheel />}>
        <p>Aquí estarán el orden final y lo que dio cada juez, para que cualquiera los sume de nuevo.</p>
      </MessageScreen>
    )
  const { isPublic, seal, year, url, qrCode, sealedAt, rankingRows, rules, rounds, notes } = loaderData
  return (
    <article className={styles.record}>
      <header>
        <PrintedAddress url={url} qrCode={qrCode}>
          Descarga el acta y cuéntala de nuevo en
        </PrintedAddress>
        <Emblem className={styles.emblem} />
        <p className={styles.label}>Final {year}</p>
        <h1>Acta de la final</h1>
        <p>Sellada el {sealedAt}.</p>
        {!isPublic && (
          <p className={styles.notice}>Todavía no es pública: sólo la ves porque llevas la mesa de la final.</p>
        )}
      </header>
      <RankingList rows={rankingRows} />
      {rounds.map((round) => (
        <ClosedRound key={round.number} round={round} isFolded={round !== rounds.at(-1)} />
      ))}
      {notes.length > 0 && (
        <section aria-labelledby="notas">
          <h2 id="notas">Lo que pasó aparte</h2>
          <ul>
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="reglas" className={styles.rules}>
        <h2 id="reglas">Las reglas, escritas antes</h2>
        <RulesInWords rules={rules} />
      </section>
      <section aria-labelledby="contar">
        <h2 id="contar">Cuéntala de nuevo</h2>
        <p>
          El archivo tiene cada hoja como la firmó su juez. Su sello debe ser el que la notaría imprimió y firmó esa
          noche:
        </p>
        <p className={styles.seal}>
          <code>{seal}</code>
        </p>
        <p className={styles.download}>
          <a
            className={buttonLook('outline')}
            href={finalRecordPath(year, '.json')}
            download={`acta-final-${year}.json`}
          >
            Descargar el acta
          </a>
        </p>
        <details className={styles.programNote}>
          <summary>Para quien sabe</summary>
          <p>
            El programa del sitio la suma otra vez y dice cualquier diferencia:{' '}
            <code>npm run escrutinio -- acta-final-{year}.json</code>
          </p>
        </details>
      </section>
    </article>
  )
}
