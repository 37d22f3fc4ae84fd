import { buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import formStyles from './forms.module.css'

export const NothingChosen = ({ inboxUrl }: { inboxUrl: string }) => (
  <div className={formStyles.empty}>
    <p>No elegiste ninguna. Vuelve a la lista y marca las que quieras.</p>
    <Link to={inboxUrl} className={buttonLook('outline')}>
      Ir a la lista
    </Link>
  </div>
)
