import styles from './tone.module.css'

export type Tone = 'fucsia' | 'oro' | 'turquesa' | 'violeta' | 'coral'

/** Sets --luz for an element and its descendants: `rgb(var(--luz) / 0.2)`. */
export const toneClass = (tone: Tone) => styles[tone]
