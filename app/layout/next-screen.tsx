import { useLocation } from 'react-router'
import { CALLS_TO_ACTION } from '#app/cms/edition-settings/rules.ts'
import { usePhase } from '#app/cms/edition-settings/use-periods.ts'
import { NextIcon } from '#app/ui/components/icons.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { nextScreenOf } from './navigation.ts'
import styles from './next-screen.module.css'

/**
 * Renders the link at a screen's end: the site's call to action where the screen allows it, else the next screen; nothing on
 * screens without a next screen.
 */
export function NextScreen() {
  const { pathname } = useLocation()
  const nextScreen = nextScreenOf(pathname)
  const callToAction = usePhase()?.llamado.que
  if (!nextScreen) return null
  const override = nextScreen.isOverridable && callToAction && CALLS_TO_ACTION[callToAction]
  const link = override && override.path !== pathname ? override : nextScreen
  return (
    <nav className={styles.next} aria-label="Sigue">
      <Link to={link.path} prefetch="none">
        <span>{link.label}</span> <NextIcon />
      </Link>
    </nav>
  )
}
