import type { ComponentProps } from 'react'
import { Form } from 'react-router'
import { beaconUrlOf } from '#app/analytics/schema.ts'
import { formatThousands } from '#app/core/text/thousands-separator.ts'
import { Button } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { Sash } from '#app/ui/ornaments/sash.tsx'
import { Photo } from '#app/ui/photos/photo.tsx'
import { ShareButton } from '#app/ui/sharing/share-button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { toneClass } from '#app/ui/styles/tone.ts'
import { lazyVoteWindow } from '#app/voting/ballot/load-vote-window.ts'
import type { NewestBlock, VotableCandidate } from '#app/voting/ballot/schema.ts'
import { Countdown } from './countdown.tsx'
import styles from './open-vote.module.css'
import { VoteWheel } from './vote-wheel.tsx'

interface Props {
  year: number
  /** Candidates in the order that was drawn for this visitor. */
  candidates: VotableCandidate[]
  /** Whether the vote is open. Before the opening, the page shows the candidates without buttons. */
  isVoteOpen: boolean
  countdown: ComponentProps<typeof Countdown>['countdown'] & { title: string }
  serverNow: string
  /** The newest block; undefined before the first block is closed, and if the blocks cannot be read. */
  newestBlock: NewestBlock | undefined
  /** The latest move of the closing, with its reason. */
  closingMove: { closingText: string; reason: string } | undefined
  /** Origin of the site's URLs, for shared links. */
  siteOrigin: string
  onVote: (votePlace: number, pressedButton: HTMLElement | null) => void
  onExpired: () => void
}

export function OpenVote({
  year,
  candidates,
  isVoteOpen,
  countdown,
  serverNow,
  newestBlock,
  closingMove,
  siteOrigin,
  onVote,
  onExpired,
}: Props) {
  return (
    <>
      <VoteWheel votes={newestBlock?.totalBallots ?? 0} />
      <section className={styles.heading}>
        <div>
          <p className={styles.label}>{`Señorita Popularidad ${year}`}</p>
          <h1>{countdown.title}</h1>
        </div>
        <Countdown countdown={countdown} serverNow={serverNow} onExpired={onExpired} />
      </section>
      {closingMove && (
        <p className={styles.closingMove}>
          El cierre se movió al {closingMove.closingText}: {closingMove.reason}
        </p>
      )}
      <ul className={styles.candidates} data-count={candidates.length}>
        {candidates.map(({ votePlace, id, name, hometown, tone, photo }, index) => (
          <li key={id} className={joinClasses(toneClass(tone), styles.candidate)}>
            <Photo
              picture={photo}
              sizes="(max-width: 640px) 36vw, (max-width: 1024px) 30vw, 18vw"
              className={styles.photo}
              // A phone's first view has two candidates.
              isFirst={index < 2}
            />
            <Sash as="h2" className={styles.sash}>
              <Link to={`/candidatas#${id}`}>{name}</Link>
            </Sash>
            <p className={styles.hometown}>{hometown}</p>
            {isVoteOpen && (
              <>
                {/* Without JavaScript the form opens the page with `?vote=`, which contains the window's step. */}
                <Form
                  action="/misspopularidad"
                  className={styles.actions}
                  onSubmit={(event) => {
                    event.preventDefault()
                    onVote(votePlace, (event.nativeEvent as SubmitEvent).submitter)
                  }}
                >
                  <Button
                    type="submit"
                    look="main"
                    name="vote"
                    value={votePlace}
                    className={styles.vote}
                    onPointerEnter={lazyVoteWindow.preload}
                    onFocus={lazyVoteWindow.preload}
                  >
                    Votar<span className="visually-hidden"> por {name}</span>
                  </Button>
                </Form>
                <ShareButton
                  text={`Vota por ${name} para Señorita Popularidad ${year}:`}
                  url={`${siteOrigin}/misspopularidad?vote=${votePlace}&candidata=${id}`}
                  subject={`a ${name}`}
                  pingUrl={beaconUrlOf('compartido', id)}
                  extraLink={{ to: `/misspopularidad?vote=${votePlace}`, label: `Votar por ${name.split(' ')[0]}` }}
                  className={styles.share}
                />
              </>
            )}
          </li>
        ))}
      </ul>
      <div className={styles.belowCandidates}>
        <p className={styles.rules}>
          Un voto por persona. Recibirás un código de recibo para comprobar que tu voto se contó: al cierre se publica
          el <Link to="/misspopularidad/acta">acta</Link> con todos los recibos.
        </p>
        {newestBlock && <NewestSeal {...newestBlock} />}
      </div>
    </>
  )
}

/** Renders the newest block's seal. A visitor who saves the seal can prove a later change of any vote up to this block. */
const NewestSeal = ({ number, seal, minBallots, totalBallots }: NewestBlock) => (
  <aside className={styles.sealed} aria-labelledby="sellados">
    <h2 id="sellados">Votos ya sellados</h2>
    <p>
      <strong>{formatThousands(totalBallots)}</strong> en{' '}
      {number === 1 ? 'una caja cerrada' : `${formatThousands(number)} cajas cerradas`}. Una caja se cierra al juntar al
      menos {minBallots} votos y recibe un sello. Si después cambiara un solo voto, el sello ya no saldría igual: guarda
      el de hoy y compáralo con el acta.
    </p>
    <p className={styles.seal}>
      Sello de la caja {formatThousands(number)} <code>{seal}</code>
    </p>
    <p>
      <a href="/misspopularidad/sellos.json">Todos los sellos hasta ahora</a>
    </p>
  </aside>
)
