import { Form } from 'react-router'
import { Button } from '#app/ui/components/button.tsx'

/** Shows «Cerrar sesión»; the screen's action must end the session for `hacer=salir`. */
export const SignOutButton = ({ look = 'quiet' }: { look?: 'quiet' | 'outline' }) => (
  <Form method="post">
    <Button type="submit" look={look} name="hacer" value="salir">
      Cerrar sesión
    </Button>
  </Form>
)
