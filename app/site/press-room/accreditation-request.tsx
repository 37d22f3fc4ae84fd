import { Form, useNavigation } from 'react-router'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { TextField } from '#app/ui/forms/field.tsx'
import styles from './press-room.module.css'

/** Outcome of the form, with the typed values, which a refused form shows again. */
export interface AccreditationAnswer {
  /** Whether the request was received. */
  isTaken: boolean
  message: string
  outlet: string
  name: string
  email: string
}

export function AccreditationRequest({ answer }: { answer: AccreditationAnswer | undefined }) {
  const isBusy = useNavigation().state === 'submitting'
  return (
    <details className={styles.request} open={answer !== undefined}>
      <summary>Pedir que acrediten a mi medio</summary>
      {answer && <Banner tone={answer.isTaken ? 'good' : 'bad'} message={answer.message} />}
      {!answer?.isTaken && (
        <Form method="post" onSubmit={(event) => isBusy && event.preventDefault()}>
          <TextField id="medio" name="medio" label="Medio" maxLength={120} defaultValue={answer?.outlet} required />
          <TextField
            id="nombre"
            name="nombre"
            label="Tu nombre"
            autoComplete="name"
            maxLength={120}
            defaultValue={answer?.name}
            required
          />
          <TextField
            id="correo-medio"
            name="correo-medio"
            type="email"
            label="Correo del medio"
            maxLength={320}
            defaultValue={answer?.email}
            required
          />
          <Button type="submit" look="outline" name="hacer" value="acreditacion" isBusy={isBusy}>
            Enviar petición
          </Button>
        </Form>
      )}
    </details>
  )
}
