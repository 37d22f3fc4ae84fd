import { splitNotice } from '#app/panel/rules.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './notices.module.css'
import { SecondFactorHint } from './second-factor-hint.tsx'

interface Props {
  /** Most urgent first. */
  notices: string[]
  hasSecondFactorHint: boolean
  /** Path of the screen; as React key it closes the notices when the screen changes. */
  pathname: string
}

/**
 * Shows the first notice in one line, which opens to the other notices and the second-factor hint. Shows nothing without
 * either.
 */
export function Notices({ notices, hasSecondFactorHint: hasHint, pathname }: Props) {
  const [first, ...otherNotices] = notices
  if (first === undefined && !hasHint) return null
  const otherCount = otherNotices.length + (first !== undefined && hasHint ? 1 : 0)
  return (
    <details className={styles.notices} key={pathname}>
      <summary className={joinClasses(styles.line, first === undefined && styles.hintLine)}>
        <span>{first === undefined ? 'Un consejo para tu cuenta' : <NoticeText text={first} />}</span>
        {otherCount > 0 && (
          <small>
            {otherCount}
            <span>{otherCount === 1 ? ' aviso más' : ' avisos más'}</span>
          </small>
        )}
      </summary>
      {otherNotices.map((text) => (
        <p key={text}>
          <NoticeText text={text} />
        </p>
      ))}
      {hasHint && <SecondFactorHint returnTo={pathname} />}
    </details>
  )
}

function NoticeText({ text }: { text: string }) {
  const { title, rest } = splitNotice(text)
  return (
    <>
      <b>{title}</b>
      <i>{rest}</i>
    </>
  )
}
