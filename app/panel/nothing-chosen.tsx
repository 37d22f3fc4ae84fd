import { buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import forms from './forms.module.css'

/** Says that no entry of the list was chosen, and leads back to the list. */
export const NothingChosen = ({ listPath }: { listPath: string }) => (
  <div className={forms.nothing}>
    <p>No elegiste ninguna. Vuelve a la lista y marca las que quieras.</p>
    <Link to={listPath} className={buttonLook('outline')}>
      Ir a la lista
    </Link>
  </div>
)
