import { setTimeout as sleep } from 'node:timers/promises'
import { data, Form, useNavigation } from 'react-router'
import { countHelpRequest } from '#app/accounts/throttling/help-requests.server.ts'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { submitEntryRequest } from '#app/entries/help-requests.server.ts'
import { readMailAvailability } from '#app/mail/data.server.ts'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { TextField } from '#app/ui/forms/field.tsx'
import { PhotoHeader } from '#app/ui/photos/photo-header.tsx'
import type { Route } from './+types/my-data.page'
import styles from './folio.module.css'

export const handle = { prefetch: false }

/** Least time of the answer to a valid request, so that its delay does not tell whether there is such an entry. */
const MIN_ANSWER_MS = 600

export async function loader() {
  const { registro } = await loadEdition()
  return { picture: registro.imagen }
}

export async function action({ request, context }: Route.ActionArgs) {
  const { services } = servicesOf(context)
  const form = await request.formData()
  const fieldText = (name: string) => typedText(String(form.get(name) ?? '').replaceAll('\0', '')).slice(0, 200)
  const [name, phone] = [fieldText('nombre'), fieldText('celular')]
  const kind = form.get('hacer') === 'borrado' ? 'borrado' : 'folio'
  const refusal = (message: string, status = 400) => data({ isTaken: false, message, name, phone }, { status })
  if (name === '') return refusal('Escribe el nombre con que te registraste.')
  if (phone.replace(/\D/g, '').length < 10) return refusal('Escribe los diez dígitos del celular que registraste.')
  const waitSeconds = await countHelpRequest(context, 'peticion')
  if (waitSeconds > 0)
    return refusal(`Ya se pidió varias veces. Inténtalo de nuevo en ${Math.ceil(waitSeconds / 60)} min.`, 429)
  await Promise.all([submitEntryRequest(services, { kind, name, phone: phone.slice(0, 40) }), sleep(MIN_ANSWER_MS)])
  const isByMail = kind === 'folio' && (await readMailAvailability(services)) === 'goes'
  // The message is the same whether there is such an entry or not.
  const message =
    kind === 'borrado'
      ? 'Listo. Si hay un registro con ese nombre y ese celular, el comité te llama o te escribe a ese celular para confirmarlo, y lo borra. No tienes que venir.'
      : `Listo. Si hay un registro con ese nombre y ese celular, ${isByMail ? 'tu folio va al correo que dejaste; si no dejaste correo, ' : ''}el comité te llama o te escribe a ese celular. No tienes que venir.`
  return data({ isTaken: true, message, name: '', phone: '' })
}

export const meta: Route.MetaFunction = (args) =>
  pageMeta({ screen: 'Tus datos', description: 'Recupera tu folio, o pide que se borre tu registro.' }, args)

/** Screen on which an entrant asks for a lost folio, or for the deletion of the entry. */
export default function MyDataPage({ loaderData: { picture }, actionData }: Route.ComponentProps) {
  const isBusy = useNavigation().state === 'submitting'
  return (
    <PhotoHeader picture={picture} title="Tus datos" className={styles.strip}>
      <p>
        Si perdiste tu folio, o quieres que se borre tu registro con sus documentos, escribe lo mismo que en tu
        registro. Te contestamos sólo al correo o al celular que dejaste ahí.
      </p>
      {actionData && <Banner tone={actionData.isTaken ? 'good' : 'bad'} message={actionData.message} />}
      <Form
        method="post"
        className={styles.request}
        aria-label="Tus datos"
        key={actionData?.isTaken ? 'taken' : 'open'}
        onSubmit={(event) => isBusy && event.preventDefault()}
      >
        <TextField
          id="nombre"
          name="nombre"
          label="Nombre completo"
          autoComplete="name"
          maxLength={200}
          defaultValue={actionData?.name}
          required
        />
        <TextField
          id="celular"
          name="celular"
          type="tel"
          label="Celular"
          hint="El que escribiste al registrarte, con diez dígitos."
          autoComplete="tel-national"
          maxLength={40}
          defaultValue={actionData?.phone}
          required
        />
        <Button type="submit" look="main" name="hacer" value="folio" isBusy={isBusy}>
          Recuperar mi folio
        </Button>
        <Button type="submit" look="quiet" name="hacer" value="borrado" isBusy={isBusy}>
          Pedir que se borre mi registro
        </Button>
      </Form>
    </PhotoHeader>
  )
}
