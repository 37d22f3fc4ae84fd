import styles from './tone.module.css'

export type Tone = 'fucsia' | 'oro' | 'turquesa' | 'violeta' | 'coral'

/** Returns the class that sets --light for an element and its descendants: `rgb(var(--light) / 0.2)`. */
export const toneClass = (tone: Tone) => styles[tone]
