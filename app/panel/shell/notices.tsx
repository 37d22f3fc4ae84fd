import { splitNotice } from '#app/panel/rules.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './notices.module.css'
import { SecondFactorHint } from './second-factor-hint.tsx'

interface Props {
  /** Notices, the most urgent first. */
  notices: string[]
  hasSecondFactorHint: boolean
  /** Path of the screen; as React key it closes the notices when the screen changes. */
  pathname: string
}

/**
 * Shows the first notice in one line, which opens to the other notices and the second-factor hint. Renders nothing if there is
 * neither a notice nor the hint.
 */
export function Notices({ notices, hasSecondFactorHint, pathname }: Props) {
  const [firstNotice, ...otherNotices] = notices
  if (firstNotice === undefined && !hasSecondFactorHint) return null
  const otherCount = otherNotices.length + (firstNotice !== undefined && hasSecondFactorHint ? 1 : 0)
  return (
    <details className={styles.notices} key={pathname}>
      <summary className={joinClasses(styles.line, firstNotice === undefined && styles.hintLine)}>
        <span>{firstNotice === undefined ? 'Un consejo para tu cuenta' : <NoticeText text={firstNotice} />}</span>
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
      {notices.some((text) => text.includes('«Estado»')) && (
        <p>
          <Link to="/organizadores/estado">Abrir «Estado»</Link>
        </p>
      )}
      {hasSecondFactorHint && <SecondFactorHint returnTo={pathname} />}
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
