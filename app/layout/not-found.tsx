import { buttonLook } from '#app/ui/components/button.tsx'
import { MessageScreen } from '#app/ui/components/message-screen.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { NightFerrisWheel } from '#app/ui/ornaments/night-ferris-wheel.tsx'

export function NotFound() {
  return (
    <MessageScreen
      kicker="Error 404"
      title="Esta página no está en el programa"
      ornament={<NightFerrisWheel />}
      extraLink={
        <Link to="/programa" className={buttonLook('quiet')}>
          Ver el programa de la feria
        </Link>
      }
    >
      <p>La dirección no existe o cambió de lugar. Desde el inicio se llega a todo lo demás.</p>
    </MessageScreen>
  )
}
