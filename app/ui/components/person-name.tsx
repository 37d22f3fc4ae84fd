import styles from './person-name.module.css'

/** Renders a person's name, whose surnames (its last two words; of two words, the last) stay on one line if there is room. */
export function PersonName({ children }: { children: string }) {
  const words = children.split(' ')
  const surnameIndex = Math.max(1, words.length - 2)
  return (
    <>
      {words.slice(0, surnameIndex).join(' ')}{' '}
      <span className={styles.surnames}>{words.slice(surnameIndex).join(' ')}</span>
    </>
  )
}
