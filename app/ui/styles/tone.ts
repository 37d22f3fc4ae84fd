import styles from './tone.module.css'

export type Tone = 'fucsia' | 'oro' | 'turquesa' | 'violeta' | 'coral'

/** Sets --light for an element and its descendants: `rgb(var(--light) / 0.2)`. */
export const toneClass = (tone: Tone) => styles[tone]
