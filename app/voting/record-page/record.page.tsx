import { data, Form, useNavigation } from 'react-router'
import { displayedEdition, inRequestedEdition, loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import type { FlagKind } from '#app/core/db/tables.ts'
import { originOf, servicesOf } from '#app/core/http/services.server.ts'
import { qrCodeOf } from '#app/core/text/qr-code.server.ts'
import { quantity } from '#app/core/text/quantity.ts'
import { formatThousands } from '#app/core/text/thousands-separator.ts'
import { formatFullDateTimeWithZone } from '#app/core/time/mexico-dates.ts'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { PersonName } from '#app/ui/components/person-name.tsx'
import { PrintedAddress } from '#app/ui/components/printed-address.tsx'
import { TextField } from '#app/ui/forms/field.tsx'
import { Emblem } from '#app/ui/ornaments/emblem.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import disclosure from '#app/ui/styles/disclosure.module.css'
import { toneClass } from '#app/ui/styles/tone.ts'
import { hashReceipt } from '#app/voting/chain/seal-hash.server.ts'
import { loadElection, readRules } from '#app/voting/election/data.server.ts'
import { parseReceipt } from '#app/voting/election/receipt.ts'
import { isBeforeClosing, isBeforeOpening } from '#app/voting/election/rules.ts'
import { capitalize, flagTargetName } from '#app/voting/election/tally-rules.ts'
import { recordPath } from '#app/voting/record/record-path.ts'
import { type ClosingRecord, parseClosingRecordIfValid } from '#app/voting/record/schema.ts'
import { annulledCount } from '#app/voting/results-page/bursts.tsx'
import { RulesTable } from '#app/voting/results-page/rules-table.tsx'
import { findVoteByReceipt } from '#app/voting/sealing/data.server.ts'
import { listClosingMoves } from '#app/voting/sealing/moved-closing.server.ts'
import { readPublicKey } from '#app/voting/sealing/record-signature.server.ts'
import { OTHERS } from '#app/voting/sealing/schema.ts'
import { findVoteInSample, readSealedRecord } from '#app/voting/sealing/sealed-record.server.ts'
import type { Route } from './+types/record.page'
import { PendingRecord } from './pending-record.tsx'
import styles from './record.module.css'
import { ClosingMoves, OtherRecords, Seals, VoteBar } from './record-parts.tsx'
import { VerifyHere } from './verify-here.tsx'

// The page prefetches no other screens, so that a failed module cannot reload it while a visitor types a receipt.
export const handle = { prefetch: false }

export async function loader({ request, context }: Route.LoaderArgs) {
  const recordYears = (displayedEdition()?.pastEditions ?? []).flatMap(({ edition, result }) =>
    result ? [edition.anio] : [],
  )
  const recordData = await inRequestedEdition(request, () => loadRecord(context))
  const isPast = recordData.year !== (await loadEdition()).anio
  return {
    ...recordData,
    fileUrl: isPast ? recordPath(recordData.year, '.json') : '/misspopularidad/acta.json',
    otherYears: recordYears.filter((year) => year !== recordData.year),
  }
}

async function loadRecord(context: Route.LoaderArgs['context']) {
  const { services } = servicesOf(context)
  const { anio: year, fechas, tarjetas, candidatas } = await loadEdition()
  const election = await loadElection()
  const sealedRecord = await readSealedRecord(services, election)
  const record = sealedRecord && parseClosingRecordIfValid(sealedRecord.contenido)
  const url = `${originOf(context)}${recordPath(year)}`
  return {
    year,
    url,
    qrCode: qrCodeOf(url),
    shareCard: tarjetas.misspopularidad,
    /** When the vote opens, in words; undefined without a stated opening, and once the vote has opened. */
    openingText:
      fechas.aperturaVotacion !== undefined && isBeforeOpening(fechas.aperturaVotacion, services.clock.now())
        ? formatFullDateTimeWithZone(new Date(fechas.aperturaVotacion))
        : undefined,
    closingText: formatFullDateTimeWithZone(new Date(fechas.cierreVotacion)),
    hasCandidates: election.candidatas.length > 0,
    isClosingAhead: election.candidatas.length === 0 || isBeforeClosing(fechas.cierreVotacion, services.clock.now()),
    seal: sealedRecord?.sello,
    publicKey: await readPublicKey(services.db, year),
    sealedAtText: sealedRecord && formatFullDateTimeWithZone(sealedRecord.at),
    record,
    isUnreadable: sealedRecord !== undefined && record === undefined,
    /** Tones by the candidates' index in the record; undefined for a candidate who has left the edition. */
    tones: record?.candidatas.map(
      ({ id, nombre }) => candidatas.find((candidate) => candidate.id === id || candidate.nombre === nombre)?.tono,
    ),
    rules: (await readRules(services.db, election)).rules,
    closingMoves: (await listClosingMoves(services.db, year)).map(({ ahora, motivo }) => ({
      closingText: formatFullDateTimeWithZone(new Date(ahora)),
      reason: motivo,
    })),
  }
}

/** Looks up a receipt. The form is posted, so that the receipt appears in no URL and no log. */
export async function action({ request, context }: Route.ActionArgs) {
  const receiptField = (await request.formData()).get('recibo')
  return inRequestedEdition(request, () => findReceipt(context, receiptField))
}

async function findReceipt(context: Route.ActionArgs['context'], receiptField: FormDataEntryValue | null) {
  const { services } = servicesOf(context)
  const election = await loadElection()
  const receipt = parseReceipt(receiptField)
  const typedText = typeof receiptField === 'string' ? receiptField.slice(0, 60) : ''
  if (!receipt)
    return data(
      {
        typedText,
        error: 'Un recibo tiene doce letras y números, como 7F2K-94QX-M3TR, sin la I, la O, el 0 ni el 1.',
      },
      { status: 400 },
    )
  // Before the closing record is sealed, a receipt in wrong hands must not reveal its voter's choice.
  const sealedRecord = await readSealedRecord(services, election)
  if (!sealedRecord)
    return data({ typedText, error: 'Podrás comprobarlo cuando se publique el acta.' }, { status: 409 })
  const ballot = sealedRecord.sample
    ? await findVoteInSample(sealedRecord.sample, receipt)
    : await findVoteByReceipt(services.db, election, receipt)
  if (!ballot)
    return data(
      {
        typedText,
        error: 'Ningún voto tiene ese recibo. Revisa cada letra; si es así, avisa al comité organizador.',
      },
      { status: 404 },
    )
  return data({ typedText, foundBallot: { ...ballot, receiptHash: hashReceipt(receipt) } })
}

export const meta: Route.MetaFunction = (args) =>
  pageMeta(
    {
      screen: 'Acta de la votación',
      description:
        'El acta sellada de la votación por Señorita Popularidad: totales, recibos y cómo contarla de nuevo.',
      shareCard: args.loaderData?.shareCard,
    },
    args,
  )

/** Returns the name of the leading candidate, without counting withdrawn candidates; undefined at a tie and without votes. */
function soleLeaderOf({ candidatas, retiradas = [] }: ClosingRecord): string | undefined {
  const eligibleCandidates = candidatas.filter(({ id }) => !retiradas.some((withdrawn) => withdrawn.id === id))
  const mostVotes = Math.max(1, ...eligibleCandidates.map(({ votos }) => votos))
  const leaders = eligibleCandidates.filter(({ votos }) => votos === mostVotes)
  return leaders.length === 1 ? leaders[0]!.nombre : undefined
}

/**
 * Renders the published record: its totals, the search for a vote by its receipt, and the verification on the reader's device.
 */
export default function RecordPage({ loaderData, actionData }: Route.ComponentProps) {
  const { year, url, qrCode, record, tones, seal, publicKey, sealedAtText, closingMoves, otherYears, fileUrl } =
    loaderData
  const isBusy = useNavigation().state === 'submitting'
  if (!record) return <PendingRecord {...loaderData} />
  const foundBallot = actionData && 'foundBallot' in actionData ? actionData.foundBallot : undefined
  const mostVotes = Math.max(1, ...record.candidatas.map(({ votos }) => votos))
  const leaderName = soleLeaderOf(record)
  // The record lists the candidates in the edition's order, but readers expect the ranking.
  const rankedCandidates = record.candidatas
    .map((candidate, index) => ({ ...candidate, tone: tones?.[index] }))
    .sort((a, b) => b.votos - a.votos)
  return (
    <div className={styles.record}>
      <header>
        <PrintedAddress url={url} qrCode={qrCode}>
          Busca tu voto y cuenta el acta de nuevo en
        </PrintedAddress>
        <Emblem className={styles.emblem} />
        <p className={styles.label}>{`Señorita Popularidad ${year}`}</p>
        <h1>Acta de la votación</h1>
        <p className={styles.sealedAt}>Sellada el {sealedAtText}.</p>
        <ClosingMoves closingMoves={closingMoves} />
      </header>

      <section aria-labelledby="recibo-titulo" className={styles.lookup}>
        <h2 id="recibo-titulo">Busca tu voto</h2>
        <Form method="post" preventScrollReset className={styles.search}>
          <TextField
            id="recibo"
            name="recibo"
            label="Tu recibo"
            placeholder="7F2K-94QX-M3TR"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            defaultValue={actionData?.typedText}
            error={actionData && 'error' in actionData ? actionData.error : undefined}
            required
          />
          <Button type="submit" look="main" isBusy={isBusy}>
            Buscar
          </Button>
        </Form>
        {foundBallot && (
          <Banner
            tone={foundBallot.annulmentReason ? 'bad' : 'good'}
            message={
              foundBallot.annulmentReason
                ? `Tu voto por ${foundBallot.candidateName} fue anulado: ${foundBallot.annulmentReason}`
                : foundBallot.isWithdrawn
                  ? `Tu voto por ${foundBallot.candidateName}, que se retiró del certamen, está en la cuenta como dicen las reglas.`
                  : `Tu voto por ${foundBallot.candidateName} está en la cuenta.`
            }
          >
            <p className={styles.fingerprint}>
              En el archivo aparece como <code>{foundBallot.receiptHash}</code>
            </p>
          </Banner>
        )}
      </section>

      <section aria-labelledby="totales">
        <h2 id="totales">Totales</h2>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Candidata</th>
              <th scope="col">Votos</th>
            </tr>
          </thead>
          <tbody>
            {rankedCandidates.map(({ nombre, antes, votos, tone }) => (
              <tr key={nombre} className={joinClasses(tone && toneClass(tone), nombre === leaderName && styles.leader)}>
                <th scope="row">
                  <PersonName>{nombre}</PersonName>
                  {antes && ` (antes: ${antes.join(', ')})`}
                  <VoteBar share={votos / mostVotes} />
                </th>
                <td>{formatThousands(votos)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p className={styles.otherTotals}>
          <span>
            {OTHERS}: {formatThousands(record.otros)}
          </span>{' '}
          <span>Papeletas:&nbsp;{formatThousands(record.papeletas)}</span>{' '}
          <span>Anuladas:&nbsp;{formatThousands(record.anulados)}</span>
        </p>
        {record.retiradas?.map(({ id, nombre, desde, votos, regla }) => (
          <p key={id}>
            {nombre ?? 'Una candidata'} se retiró del certamen el {formatFullDateTimeWithZone(new Date(desde))}.{' '}
            {votos === 0
              ? 'No tenía ningún voto.'
              : `${votos === 1 ? 'Su voto cuenta' : `Sus ${quantity(votos, 'voto')} cuentan`} ${regla === 'nulos' ? `entre «${OTHERS}»` : 'para ella, que ya no puede ganar'}, como dice la regla publicada.`}
          </p>
        ))}
        {record.anulaciones.length > 0 && (
          <ul className={styles.annulments}>
            {record.anulaciones.map(({ motivo, votos, huella }) => (
              <li key={huella}>
                {annulledCount(votos)}: {motivo}
              </li>
            ))}
          </ul>
        )}
        {record.marcas && record.marcas.length > 0 && (
          <>
            <p>Orígenes que pasaron de la regla publicada antes, y cuántos de sus votos se anularon:</p>
            <ul className={styles.annulments}>
              {record.marcas.map(({ clase, origen, tramo, umbral, votos, anulados: annulledVotes }) => (
                <li key={`${clase} ${origen} ${tramo}`}>
                  {capitalize(flagTargetName({ clase: clase as FlagKind, origen }))}: {quantity(votos, 'voto')}
                  {umbral > 0 && `, con regla de ${formatThousands(umbral)}`}; {annulledCount(annulledVotes)}.
                </li>
              ))}
            </ul>
          </>
        )}
        {record.ajenos > 0 && (
          <p>
            {record.ajenos === 1
              ? 'Una fila se escribió en la base de datos sin pasar por el sitio; no cuenta.'
              : `${formatThousands(record.ajenos)} filas se escribieron en la base de datos sin pasar por el sitio; no cuentan.`}
          </p>
        )}
        {record.fallas.map((fault) => (
          <p key={fault}>El recuento antes de sellar encontró: {fault}</p>
        ))}
      </section>

      {record.reglas && (
        <section aria-labelledby="reglas">
          <h2 id="reglas">Reglas de esta votación</h2>
          <RulesTable rules={record.reglas} />
        </section>
      )}

      <div className={styles.verification}>
        <section aria-labelledby="contar" className={styles.recount}>
          <h2 id="contar">Cuéntala de nuevo</h2>
          <p>
            No hace falta creernos: tu propio aparato puede contar cada papeleta, calcular cada sello y decirte si el
            acta dice la verdad.
          </p>
          <VerifyHere fileUrl={fileUrl} seal={seal ?? ''} ballotCount={record.papeletas} publicKey={publicKey} />
          <details className={styles.file}>
            <summary className={disclosure.dropdown}>Cómo está hecho el archivo</summary>
            <p>
              El archivo tiene cada papeleta con la huella de su recibo y su candidata, en una cadena de{' '}
              {formatThousands(record.cajas)} {record.cajas === 1 ? 'caja' : 'cajas'}: cada sello cubre su caja y el
              sello anterior.{' '}
              {record.minimo !== undefined &&
                `Las cajas se cerraron durante la votación, al juntar al menos ${formatThousands(record.minimo)} papeletas, y sus sellos se publicaron en ese momento; sólo la última, la del cierre, puede tener menos. `}
              No dice quién votó ni cuándo. La huella es el SHA-256 del recibo tal como lo viste, en mayúsculas y con
              guiones: la de <span className={styles.sampleReceipt}>7F2K-94QX-M3TR</span> sale de esas catorce letras,
              números y guiones. También se comprueba sin navegador, con el programa de este sitio:
            </p>
            <pre className={styles.command}>npm run escrutinio -- acta.json --testigo recibo.eml</pre>
            {publicKey && (
              <p>
                Quien no tiene ningún recibo lo comprueba con la llave del sitio, <code>--llave {publicKey}</code>. Sin
                lo uno ni lo otro un archivo sólo prueba que coincide consigo mismo.
              </p>
            )}
          </details>
          <p className={styles.download}>
            <a className={buttonLook('outline')} href={fileUrl} download>
              Descargar acta.json
            </a>
          </p>
        </section>

        <section aria-labelledby="sellos">
          <h2 id="sellos">Sellos</h2>
          <Seals record={record} seal={seal ?? ''} publicKey={publicKey} />
        </section>
      </div>
      <OtherRecords years={otherYears} />
    </div>
  )
}
