import { splitNotice } from '#app/panel/rules.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './notices.module.css'
import { SecondFactorHint } from './second-factor-hint.tsx'

interface Props {
  /** The most urgent notice comes first. */
  notices: string[]
  hasHint: boolean
  /** The screen's address. As the key it closes the line again on the next screen. */
  pathname: string
}

/** Shows one line, the first notice's title, which opens to all notices and the advice; nothing where there is none. */
export function Notices({ notices, hasHint, pathname }: Props) {
  const [first, ...others] = notices
  if (first === undefined && !hasHint) return null
  const otherCount = others.length + (first !== undefined && hasHint ? 1 : 0)
  return (
    <details className={styles.notices} key={pathname}>
      <summary className={joinClasses(styles.line, first === undefined && styles.advice)}>
        <span>{first === undefined ? 'Un consejo para tu cuenta' : <Notice text={first} />}</span>
        {otherCount > 0 && (
          <small>
            {otherCount}
            <span>{otherCount === 1 ? ' aviso más' : ' avisos más'}</span>
          </small>
        )}
      </summary>
      {others.map((text) => (
        <p key={text}>
          <Notice text={text} />
        </p>
      ))}
      {hasHint && <SecondFactorHint returnTo={pathname} />}
    </details>
  )
}

function Notice({ text }: { text: string }) {
  const { title, rest } = splitNotice(text)
  return (
    <>
      <b>{title}</b>
      <i>{rest}</i>
    </>
  )
}
