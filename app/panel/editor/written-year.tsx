import type { ListedEdition } from '#app/cms/editions/years.server.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { type Tone, toneClass } from '#app/ui/styles/tone.ts'
import styles from './written-year.module.css'

/** The years take these colours in turn, so that no year has the colour of the one before or after. */
const TONES: readonly Tone[] = ['turquesa', 'oro', 'violeta', 'coral', 'fucsia']

interface Props {
  edition: ListedEdition
  /** Leaves out whether visitors see the edition, where room is scarce. */
  isBrief?: boolean
}

/** Says on a screen of the editor which edition it writes. The year comes with the screen's data, so both are always the same. */
export const WrittenYear = ({ edition: { year, isCurrent, openedAt }, isBrief = false }: Props) => (
  <p className={joinClasses(styles.year, toneClass(TONES[year % TONES.length]!))}>
    <b>Escribes la {year}</b>
    {!isBrief && (isCurrent ? ' La que ve quien visita el sitio.' : openedAt ? ' Ya pasó.' : ' Todavía no se abre.')}
  </p>
)
