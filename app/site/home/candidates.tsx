import { usePhase } from '#app/cms/edition-settings/use-periods.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import { Photo, type Picture } from '#app/ui/photos/photo.tsx'
import { type Tone, toneClass } from '#app/ui/styles/tone.ts'
import styles from './candidates.module.css'

interface Props {
  candidates: { id: string; nombre: string; tono: Tone; picture: Picture }[]
  reigningQueen: string
}

/**
 * Renders the candidates in their colours, each linked to her block, and names the reigning queen or, once the final is public,
 * the new one.
 */
export function Candidates({ candidates, reigningQueen }: Props) {
  const newQueen = usePhase()?.reina
  return (
    <div className={styles.candidates}>
      {candidates.length > 0 && (
        <ul aria-label="Candidatas">
          {/* Names are compared, since the phase holds the queen's name and not her id. */}
          {candidates.map(({ id, nombre, tono, picture }) => (
            <li key={id} className={toneClass(tono)} data-queen={nombre === newQueen?.nombre || undefined}>
              <Link to={`/candidatas#${id}`} prefetch="none" aria-label={nombre}>
                <Photo picture={picture} sizes="(max-width: 640px) 18vw, 240px" className={styles.arch} />
                {nombre.split(' ')[0]}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <p>
        {newQueen ? 'La nueva reina:' : 'Reina en funciones:'}{' '}
        <Link to={newQueen ? '/reina' : '/nuestra-historia#reina'} prefetch="none">
          {newQueen?.nombre ?? reigningQueen}
        </Link>
      </p>
    </div>
  )
}
