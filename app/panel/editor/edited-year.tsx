import type { ListedEdition } from '#app/cms/editions/years.server.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { type Tone, toneClass } from '#app/ui/styles/tone.ts'
import styles from './edited-year.module.css'

/** Colours of the years by turns, so that neighbouring years differ. */
const TONES: readonly Tone[] = ['turquesa', 'oro', 'violeta', 'coral', 'fucsia']

interface Props {
  edition: ListedEdition
  /** Whether room is scarce: the sentence on who sees the edition is left out, and a phone shows the year alone. */
  isBrief?: boolean
}

/** Shows which edition a screen of the editor changes. The year comes with the screen's data, so that both always agree. */
export const EditedYear = ({ edition: { year, isCurrent, openedAt }, isBrief = false }: Props) => (
  <p className={joinClasses(styles.year, toneClass(TONES[year % TONES.length]!))}>
    <b>
      <span className={isBrief ? styles.words : undefined}>Escribes la </span>
      {year}
    </b>
    {!isBrief && (isCurrent ? ' La que ve quien visita el sitio.' : openedAt ? ' Ya pasó.' : ' Todavía no se abre.')}
  </p>
)
