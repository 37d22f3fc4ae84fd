import { Form } from 'react-router'
import { avisoDe } from '#app/analytics/schema.ts'
import { miles } from '#app/core/text/thousands-separator.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { Sash } from '#app/ui/ornaments/sash.tsx'
import { Photo } from '#app/ui/photos/photo.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import { ShareButton } from '#app/ui/sharing/share-button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { toneClass } from '#app/ui/styles/tone.ts'
import { VOTE_WINDOW } from '#app/voting/ballot/load-vote-window.ts'
import type { NewestBlock, Votable } from '#app/voting/ballot/schema.ts'
import { Countdown } from './countdown.tsx'
import styles from './open-vote.module.css'
import { VoteWheel } from './vote-wheel.tsx'

interface Props {
  anio: number
  /** The candidates in this visitor's order. */
  candidatas: Votable[]
  cierre: string
  cierra: string
  ahora: string
  /** Undefined before the first block is closed, and if the blocks cannot be read. */
  ultimaCaja: NewestBlock | undefined
  /** The latest move of the closing, with its reason. */
  movido: { ahora: string; motivo: string } | undefined
  /** The site's origin, for links that are shared. */
  origen: string
  onVotar: (index: number, pressed: HTMLElement | null) => void
  onVencida: () => void
}

/** The contest while the vote is open: candidates, countdown and vote buttons. */
export function Voting({
  anio,
  candidatas,
  cierre,
  cierra,
  ahora,
  ultimaCaja,
  movido,
  origen,
  onVotar,
  onVencida,
}: Props) {
  return (
    <>
      <VoteWheel votos={ultimaCaja?.votos ?? 0} />
      <section className={styles.cabeza}>
        <div>
          <p className={styles.rotulo}>{`Señorita Popularidad ${anio}`}</p>
          <h1>Tu voto enciende la rueda</h1>
        </div>
        <Countdown cierre={cierre} cierra={cierra} ahora={ahora} onVencida={onVencida} />
      </section>
      {movido && (
        <p className={styles.movido}>
          El cierre se movió al {movido.ahora}: {movido.motivo}
        </p>
      )}
      <ul className={styles.candidatas} data-son={candidatas.length}>
        {candidatas.map(({ indice, id, nombre, origen: pueblo, tono, foto }, place) => (
          <li key={id} className={joinClasses(toneClass(tono), styles.candidata)}>
            <Photo
              imagen={foto}
              sizes="(max-width: 640px) 36vw, (max-width: 1000px) 30vw, 18vw"
              className={styles.foto}
              // A phone shows two candidates at once.
              primera={place < 2}
            />
            <Sash como="h2" className={styles.banda}>
              <Enlace to={`/candidatas#${id}`}>{nombre}</Enlace>
            </Sash>
            <p className={styles.origen}>{pueblo}</p>
            {/* Without JavaScript the form opens the same question by its address. */}
            <Form
              action="/misspopularidad"
              className={styles.acciones}
              onSubmit={(event) => {
                event.preventDefault()
                onVotar(indice, (event.nativeEvent as SubmitEvent).submitter)
              }}
            >
              <Button
                type="submit"
                look="main"
                name="vote"
                value={indice}
                className={styles.votar}
                onPointerEnter={VOTE_WINDOW.ahead}
                onFocus={VOTE_WINDOW.ahead}
              >
                Votar<span className="solo-lectores"> por {nombre}</span>
              </Button>
            </Form>
            <ShareButton
              texto={`Vota por ${nombre} para Señorita Popularidad ${anio}:`}
              url={`${origen}/misspopularidad?vote=${indice}`}
              que={`a ${nombre}`}
              aviso={avisoDe('compartido', id)}
              enlace={{ a: `/misspopularidad?vote=${indice}`, dice: `Votar por ${nombre.split(' ')[0]}` }}
              className={styles.compartir}
            />
          </li>
        ))}
      </ul>
      <p className={styles.reglas}>
        Un voto por persona. Recibirás un código de recibo para comprobar que tu voto se contó: al cierre se publica el{' '}
        <Enlace to="/misspopularidad/acta">acta</Enlace> con todos los recibos.
      </p>
      {ultimaCaja && <SealedSoFar {...ultimaCaja} />}
    </>
  )
}

/** The newest seal. A visitor who keeps the seal can prove later that no vote under it was changed. */
const SealedSoFar = ({ numero, sello, minimo, votos }: NewestBlock) => (
  <aside className={styles.sellados} aria-labelledby="sellados">
    <h2 id="sellados">Votos ya sellados</h2>
    <p>
      <strong>{miles(votos)}</strong> en {numero === 1 ? 'una caja cerrada' : `${miles(numero)} cajas cerradas`}. Una
      caja se cierra al juntar al menos {minimo} votos y recibe un sello. Si después cambiara un solo voto, el sello ya
      no saldría igual: guarda el de hoy y compáralo con el acta.
    </p>
    <p className={styles.sello}>
      Sello de la caja {miles(numero)} <code>{sello}</code>
    </p>
    <p>
      <a href="/misspopularidad/sellos.json">Todos los sellos hasta ahora</a>
    </p>
  </aside>
)
